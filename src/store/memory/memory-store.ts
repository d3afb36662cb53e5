import { LRUCache } from "lru-cache";
import { toConversationTitle } from "../../core/store/conversation-title.ts";
import { type DailyUsage, mostCallers, toUsageKey } from "../../core/store/daily-usage.ts";
import { findLastResult, moveNumbers } from "../../core/store/move-numbers.ts";
import {
  dayMs,
  type ExpiredConversation,
  keepAll,
  type Retention,
  type RetentionLimits,
} from "../../core/store/retention.ts";
import {
  type Conversation,
  type ConversationChanges,
  type ConversationEntry,
  type ConversationTurn,
  createId,
  type FinishedRun,
  mostTypedTexts,
  type OperatorStore,
  type SharedStore,
  type SourceList,
  type Summary,
  type TypedHistory,
  toRunEntry,
} from "../../core/store/store.ts";
import type { AgentTrace } from "../../core/trace.ts";
import { redactValue } from "../../kit/text/redact.ts";
import { noConversationError } from "../store-errors.ts";
import { createMemoryCredentials } from "./credentials.ts";
import { createMemoryDailyUsage } from "./daily-usage.ts";
import { createMemoryFiles } from "./files.ts";
import { createMemoryIdempotencyRecords } from "./idempotency-records.ts";
import { createMemoryJournal } from "./journal.ts";
import { createMemoryResponseRecords } from "./response-records.ts";
import { createMemoryResults, type MemoryResults } from "./result-list.ts";
import { createMemorySourceList } from "./source-list.ts";

interface StoredConversation {
  id: string;
  owner: string | undefined;
  title: string;
  isNamed: boolean;
  isPinned: boolean;
  turns: ConversationTurn[];
  summary: Summary | undefined;
  sources: SourceList;
  results: MemoryResults;
  marker: string | undefined;
  /** Is about what it takes with its traces, in bytes. */
  bytes: number;
  runIds: string[];
  pendingPlan?: string | undefined;
  loadedTools?: readonly string[] | undefined;
  /** Orders conversations by their last question: a conversation that is only read comes no further up. */
  asked: number;
  createdAt: string;
  updatedAt: string;
}

interface StoredTrace {
  owner: string | undefined;
  trace: AgentTrace;
}

export interface MemoryStoreOptions {
  /** Limits the conversations, and as many traces are kept. */
  max?: number;
  retention?: RetentionLimits | undefined;
  /** Returns milliseconds since 1970. */
  now?: () => number;
}

/** Is how often the age of all conversations is looked at, in milliseconds. */
const ageCheckMs = 3_600_000;

/**
 * Keeps conversations for as long as the process lives. Beyond the limits, the least recently used of all owners are dropped that
 * nobody has named or pinned. When only such ones are left, it keeps more.
 */
export function createMemoryStore({
  max = 1000,
  retention: limits = keepAll,
  now = Date.now,
}: MemoryStoreOptions = {}): OperatorStore {
  /** Holds the least recently used first. */
  const conversations = new Map<string, StoredConversation>();
  const traces = new LRUCache<string, StoredTrace>({ max });
  const records = createMemoryIdempotencyRecords();
  const responses = createMemoryResponseRecords();
  const journal = createMemoryJournal(now);
  const files = createMemoryFiles();
  const usages = new LRUCache<string, DailyUsage>({ maxSize: mostCallers, sizeCalculation: () => 1 });
  let asked = 0;
  /** Counts the bytes of all conversations. */
  let stored = 0;
  let ageCheckedAt = Number.NEGATIVE_INFINITY;

  function markUsed(conversation: StoredConversation): void {
    conversations.delete(conversation.id);
    conversations.set(conversation.id, conversation);
  }

  function drop(id: string): boolean {
    const { bytes = 0, runIds = [], owner } = conversations.get(id) ?? {};
    for (const runId of runIds) traces.delete(runId);
    records.removeOf(id);
    responses.removeOf(id);
    journal.removeOf(id, owner);
    files.removeOf(id);
    stored -= bytes;
    return conversations.delete(id);
  }

  /**
   * Lists what is over the limits, the least recently used first. The conversation that was used last always stays. Without
   * `checksAge` it looks no further than the other limits need.
   */
  function listExpired(checksAge = true): ExpiredConversation[] {
    const oldest = toTime(now() - limits.keepDays * dayMs);
    let count = conversations.size;
    let bytes = stored;
    let seen = 0;
    const expired: ExpiredConversation[] = [];
    for (const each of conversations.values()) {
      if (++seen === conversations.size || !(checksAge || count > max || bytes > limits.maxSize)) break;
      const { id, owner, title, updatedAt, isNamed, isPinned } = each;
      const isOld = updatedAt < oldest;
      if (isNamed || isPinned || !(isOld || count > max || bytes > limits.maxSize)) continue;
      count -= 1;
      bytes -= each.bytes;
      expired.push({ id, owner, title, updatedAt, bytes: each.bytes, reason: isOld ? "age" : "size" });
    }
    return expired;
  }

  function dropAll(expired: readonly ExpiredConversation[]): number {
    for (const { id } of expired) drop(id);
    return expired.length;
  }

  /** Runs with each question, so that it looks at the age of all conversations only once an hour. */
  function dropExpired(): void {
    const checksAge = now() - ageCheckedAt >= ageCheckMs;
    if (checksAge) ageCheckedAt = now();
    dropAll(listExpired(checksAge));
  }

  function getUsage(owner: string | undefined): DailyUsage {
    const key = toUsageKey(owner);
    const known = usages.get(key) ?? createMemoryDailyUsage(now);
    usages.set(key, known);
    return known;
  }

  function scopeToOwner(owner: string | undefined): SharedStore {
    function getOwned<T extends { owner: string | undefined }>(found: T | undefined): T | undefined {
      return found?.owner === owner ? found : undefined;
    }

    /** Returns the conversation, or a new one, and marks it as the most recently used. */
    function touch(id: string): StoredConversation {
      const kept = conversations.get(id) ?? begin(id, owner, toTime(now()));
      if (kept.owner !== owner) throw noConversationError();
      kept.asked = ++asked;
      kept.updatedAt = toTime(now());
      markUsed(kept);
      dropExpired();
      return kept;
    }

    function isAllowed(id: string): boolean {
      const there = conversations.get(id);
      return there === undefined ? owner === undefined : there.owner === owner;
    }

    const sortByLastAsked = (): StoredConversation[] =>
      [...conversations.values()].filter(getOwned).sort((a, b) => b.asked - a.asked);
    const findFirstTrace = (id: string): AgentTrace | undefined =>
      listTraces().findLast(({ conversation_id }) => conversation_id === id);
    const listTraces = (): AgentTrace[] => [...traces.values()].filter(getOwned).map(({ trace }) => trace);

    return {
      of: scopeToOwner,
      idempotency: records.of(owner),
      responses: responses.of(owner),
      dailyUsage: getUsage(owner),
      async load(id) {
        const kept = getOwned(conversations.get(id));
        if (kept) markUsed(kept);
        return kept && toConversation(kept);
      },
      create: async (wanted, { isGiven = false } = {}) =>
        toConversation(touch(wanted !== undefined && (isGiven || isAllowed(wanted)) ? wanted : createId("conv"))),
      async append({ conversationId, runId, turn, trace, pendingPlan, loadedTools, files: added = [], ...more }) {
        if (traces.has(runId) && !getOwned(traces.peek(runId))) throw noConversationError();
        const kept = touch(conversationId);
        kept.title ||= toConversationTitle(trace.question);
        const said = turn ? addTurn(kept, { turn, ...more }) : 0;
        const bytes = 2 * (JSON.stringify(trace).length + said) + files.add(conversationId, added);
        kept.bytes += bytes;
        stored += bytes;
        kept.runIds.push(runId);
        kept.pendingPlan = pendingPlan;
        kept.loadedTools = loadedTools ?? kept.loadedTools;
        traces.set(runId, { owner, trace });
        records.settle(runId);
        journal.end(runId, owner);
        dropExpired();
      },
      async readFile({ conversationId, hash }) {
        return getOwned(conversations.get(conversationId)) && files.read(conversationId, hash);
      },
      async summarise(conversationId, summary) {
        const kept = getOwned(conversations.get(conversationId));
        if (!kept) return;
        const known = kept.summary?.turns ?? 0;
        const isWanted = summary.isWanted || kept.summary?.isWanted;
        if (summary.turns > known || (summary.isWanted && summary.turns === known))
          kept.summary = isWanted ? { ...summary, isWanted } : summary;
      },
      latest: async () =>
        sortByLastAsked().find(({ turns, pendingPlan }) => turns.length > 0 || pendingPlan !== undefined)?.id,
      async list({ limit, offset }) {
        return sortByLastAsked()
          .slice(offset, offset + limit)
          .map(toEntry);
      },
      async remove(id) {
        return getOwned(conversations.get(id)) !== undefined && drop(id);
      },
      async change(id, changes) {
        const kept = getOwned(conversations.get(id));
        if (kept) changeConversation(kept, changes, findFirstTrace(id));
        return kept !== undefined;
      },
      // A trace that is only read does not become the last one.
      trace: async (runId) => (runId === undefined ? listTraces()[0] : getOwned(traces.peek(runId))?.trace),
      async runs(which) {
        if ("newest" in which)
          return listTraces()
            .filter(({ run_id }) => run_id.startsWith(which.beginning ?? ""))
            .slice(0, which.newest)
            .map(toRunEntry);
        const all = listTraces().reverse();
        if ("beginning" in which)
          return all
            .filter(({ run_id }) => run_id.startsWith(which.beginning))
            .slice(0, 10)
            .map(toRunEntry);
        return all.filter(({ conversation_id }) => conversation_id === which.conversationId).map(toRunEntry);
      },
      async close() {},
    };
  }

  const retention: Retention = {
    limits,
    listExpired: async () => listExpired(),
    prune: async () => dropAll(listExpired()),
    measure: async () => stored,
    settled: async () => {},
  };
  return {
    ...scopeToOwner(undefined),
    typedHistory: createMemoryTypedHistory(),
    credentials: createMemoryCredentials(),
    retention,
    journal: journal.open(),
  };
}

/**
 * Adds a turn with its results, and returns how many UTF-16 units that takes. They get the marker and the numbers that they have in
 * the conversation: two runs of it may have gone on side by side.
 */
function addTurn(
  kept: StoredConversation,
  { turn, marker, lastResult = 0, results = [] }: Pick<FinishedRun, "marker" | "lastResult" | "results"> & TurnOf,
): number {
  kept.marker ??= marker;
  const first = kept.marker ?? "";
  const isOther = marker !== undefined && marker !== first;
  const marked = isOther ? redactValue(turn, (text) => text.replaceAll(marker, first)) : turn;
  const by = kept.results.last - lastResult;
  const given = { turn: marked, results };
  const numbered = by > 0 && findLastResult(given) > lastResult ? moveNumbers(given, lastResult, by) : given;
  kept.turns.push(numbered.turn);
  return JSON.stringify(numbered.turn).length + kept.results.add(numbered.results, findLastResult(numbered));
}

interface TurnOf {
  turn: ConversationTurn;
}

/** Without a name of a person's, the title is that of the first run. */
function changeConversation(
  kept: StoredConversation,
  { name, isPinned = kept.isPinned }: ConversationChanges,
  firstTrace: AgentTrace | undefined,
): void {
  kept.isPinned = isPinned;
  if (name === undefined) return;
  kept.isNamed = name !== "";
  kept.title = name || toConversationTitle(firstTrace?.question ?? "");
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

function createMemoryTypedHistory(): TypedHistory {
  let all: string[] = [];
  return {
    list: async () => [...all],
    async add(texts) {
      all = [...all, ...(typeof texts === "function" ? texts() : texts)].slice(-mostTypedTexts);
    },
  };
}

function begin(id: string, owner: string | undefined, now: string): StoredConversation {
  const [sources, results, marker] = [createMemorySourceList(), createMemoryResults(), undefined];
  const times = { asked: 0, createdAt: now, updatedAt: now };
  const words = { title: "", isNamed: false, isPinned: false, turns: [], summary: undefined };
  return { id, owner, ...words, sources, results, marker, bytes: 0, runIds: [], ...times };
}

/** Returns a snapshot of the conversation. Later turns are not added to it. */
function toConversation(kept: StoredConversation): Conversation {
  const { id, title, turns, summary, sources, results, marker, pendingPlan, loadedTools } = kept;
  return { id, title, turns: [...turns], summary, sources, results: results.open(), marker, pendingPlan, loadedTools };
}

function toEntry(kept: StoredConversation): ConversationEntry {
  const { id, title, isNamed, isPinned, turns, createdAt, updatedAt } = kept;
  return { id, title, isNamed, isPinned, turns: turns.length, createdAt, updatedAt };
}
