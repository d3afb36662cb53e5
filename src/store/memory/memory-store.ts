import { LRUCache } from "lru-cache";
import type { AgentTrace } from "../../core/run/trace.ts";
import { listBranchTurns, type TurnNode } from "../../core/store/conversations/branches.ts";
import type { Conversation, ConversationTurn, SourceList } from "../../core/store/conversations/conversation.ts";
import { toConversationTitle } from "../../core/store/conversations/conversation-title.ts";
import { type ConversationEntry, type LastRun, toLastRun, toRunEntry } from "../../core/store/conversations/entries.ts";
import { findFileRef } from "../../core/store/conversations/find-file.ts";
import { findLastResult, moveNumbers } from "../../core/store/conversations/move-numbers.ts";
import { createTextSearch, type TextMatch } from "../../core/store/conversations/text-search.ts";
import { createId } from "../../core/store/create-id.ts";
import { mostCallers, toUsageKey } from "../../core/store/daily-usage.ts";
import { discardedOwner } from "../../core/store/discarded-owner.ts";
import {
  dayMs,
  type ExpiredConversation,
  keepAll,
  type Retention,
  type RetentionLimits,
} from "../../core/store/retention.ts";
import { localRuns } from "../../core/store/shared-runs.ts";
import type { ConversationChanges, FinishedRun, OperatorStore, SharedStore } from "../../core/store/store.ts";
import { mostTypedTexts, type TypedHistory } from "../../core/store/typed-history.ts";
import { redactValue } from "../../kit/text/redact.ts";
import { noConversationError } from "../store-errors.ts";
import { createMemoryCredentials } from "./credentials.ts";
import { createMemoryDailyUsage, type MemoryDailyUsage } from "./daily-usage.ts";
import { createMemoryFiles } from "./files.ts";
import { createMemoryIdempotencyRecords } from "./idempotency-records.ts";
import { createMemoryJournal } from "./journal.ts";
import { createMemoryResponseRecords } from "./response-records.ts";
import { createMemoryResults, type MemoryResults } from "./result-list.ts";
import { createMemorySourceList } from "./source-list.ts";
import { createMemoryTurns, type MemoryTurns } from "./turn-list.ts";
import { createMemoryUsageHistory } from "./usage-history.ts";

interface StoredConversation {
  id: string;
  owner: string | undefined;
  title: string;
  isNamed: boolean;
  isPinned: boolean;
  turns: MemoryTurns;
  folder: string | undefined;
  isFork: boolean;
  sources: SourceList;
  results: MemoryResults;
  marker: string | undefined;
  /** Is about what it takes with its traces, in bytes. */
  bytes: number;
  runIds: string[];
  pendingPlan?: { plan: string; branch: number } | undefined;
  loadedTools?: readonly string[] | undefined;
  /** Orders conversations by their last question: a conversation that is only read comes no further up. */
  asked: number;
  createdAt: string;
  updatedAt: string;
  lastRun?: LastRun | undefined;
  /** Is whose it was, and until when it may be brought back. Nobody sees it meanwhile. */
  discarded?: { owner: string | undefined; until: number } | undefined;
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
  const journal = createMemoryJournal((owner, usage) => getUsage(owner).count(usage), now);
  const files = createMemoryFiles();
  const usages = new LRUCache<string, MemoryDailyUsage>({ maxSize: mostCallers, sizeCalculation: () => 1 });
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

  /** Gives a conversation and what belongs to it to another owner. */
  function changeOwner(kept: StoredConversation, owner: string | undefined): void {
    kept.owner = owner;
    for (const runId of kept.runIds) {
      const found = traces.peek(runId);
      if (found) found.owner = owner;
    }
    responses.changeOwner(kept.id, owner);
  }

  /** Removes what was discarded and can no longer be brought back. */
  function dropDue(): number {
    const due = [...conversations.values()].filter(({ discarded }) => discarded && discarded.until <= now());
    for (const { id } of due) drop(id);
    return due.length;
  }

  /** Runs with each question, so that it looks at the age of all conversations only once an hour. */
  function dropExpired(): void {
    const checksAge = now() - ageCheckedAt >= ageCheckMs;
    if (checksAge) ageCheckedAt = now();
    dropAll(listExpired(checksAge));
  }

  function getUsage(owner: string | undefined): MemoryDailyUsage {
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

    const sortByLastAsked = (folder?: string | null): StoredConversation[] =>
      [...conversations.values()]
        .filter((kept) => getOwned(kept) && (folder === undefined || (kept.folder ?? null) === folder))
        .sort((a, b) => b.asked - a.asked);
    function findOwned(id: string, folder: string | null | undefined): StoredConversation[] {
      const kept = getOwned(conversations.get(id));
      return kept && (folder === undefined || (kept.folder ?? null) === folder) ? [kept] : [];
    }

    const findFirstTrace = (id: string): AgentTrace | undefined =>
      listTraces().findLast(({ conversation_id }) => conversation_id === id);
    const listTraces = (): AgentTrace[] => [...traces.values()].filter(getOwned).map(({ trace }) => trace);

    return {
      of: scopeToOwner,
      idempotency: records.of(owner),
      responses: responses.of(owner),
      dailyUsage: getUsage(owner),
      branches: {
        async read(id) {
          const tree = getOwned(conversations.get(id))?.turns.tree();
          const addFeedback = (turn: TurnNode): TurnNode => {
            const feedback = traces.peek(turn.runId ?? "")?.trace.feedback;
            return feedback ? { ...turn, feedback } : turn;
          };
          return tree && { ...tree, turns: tree.turns.map(addFeedback) };
        },
        begin: async (id, after) => getOwned(conversations.get(id))?.turns.begin(after),
        select: async (id, branch) => getOwned(conversations.get(id))?.turns.select(branch) ?? false,
        async fork(id, { branch, folder } = {}) {
          const kept = getOwned(conversations.get(id));
          const { turns: copied = [] } = kept?.turns.read(branch) ?? {};
          if (kept === undefined || copied.length === 0) return undefined;
          const fork = touch(createId("conv"));
          await copyConversation(kept, fork, branch);
          files.add(fork.id, files.list(id));
          fork.folder = folder;
          stored += fork.bytes;
          return fork.id;
        },
      },
      async load(id, branch, after) {
        const kept = getOwned(conversations.get(id));
        if (kept) markUsed(kept);
        return kept && toConversation(kept, branch, after);
      },
      create: async (wanted, { isGiven = false } = {}) =>
        toConversation(touch(wanted !== undefined && (isGiven || isAllowed(wanted)) ? wanted : createId("conv"))),
      async append(run) {
        const { conversationId, runId, turn, trace, pendingPlan, loadedTools, files: added = [], ...others } = run;
        const { branch, after, folder, ...more } = others;
        if (traces.has(runId) && !getOwned(traces.peek(runId))) throw noConversationError();
        const kept = touch(conversationId);
        kept.title ||= toConversationTitle(trace.question);
        kept.folder ??= folder;
        kept.lastRun = toLastRun(trace);
        const said = turn ? addTurn(kept, { turn, runId, branch, after, ...more }) : 0;
        // A turn makes its branch the current one.
        const place = kept.turns.read(turn ? undefined : branch).branch;
        const bytes = 2 * (JSON.stringify(trace).length + said) + files.add(conversationId, added);
        kept.bytes += bytes;
        stored += bytes;
        kept.runIds.push(runId);
        kept.pendingPlan = pendingPlan === undefined ? undefined : { plan: pendingPlan, branch: place };
        kept.loadedTools = loadedTools ?? kept.loadedTools;
        traces.set(runId, { owner, trace });
        records.settle(runId);
        journal.end(runId, owner);
        dropExpired();
      },
      async findFile({ conversationId, hash }) {
        const kept = getOwned(conversations.get(conversationId));
        const branches = kept?.turns.tree().branches ?? [];
        return findFileRef(
          branches.flatMap(({ branch }) => kept?.turns.read(branch).turns ?? []),
          hash,
        );
      },
      async readFile({ conversationId, hash }) {
        return getOwned(conversations.get(conversationId)) && files.read(conversationId, hash);
      },
      async summarise(conversationId, summary, branch, after) {
        getOwned(conversations.get(conversationId))?.turns.summarise(summary, branch, after);
      },
      async latest(folder) {
        const begun = sortByLastAsked(folder).find(
          ({ turns, pendingPlan }) => turns.count > 0 || pendingPlan !== undefined,
        );
        return begun?.id;
      },
      async list({ limit, offset, folder, withQuestions = false, id, beginning = "", isPinned, search }) {
        return (id === undefined ? sortByLastAsked(folder) : findOwned(id, folder))
          .filter((kept) => (isPinned ?? kept.isPinned) === kept.isPinned && kept.id.startsWith(beginning))
          .flatMap((kept) => {
            const match = search === undefined ? undefined : findText(kept, search);
            return search === undefined || match ? [{ kept, match }] : [];
          })
          .slice(offset, offset + limit)
          .map(({ kept, match }) => ({ ...toEntry(kept, withQuestions), ...(match && { match }) }));
      },
      async remove(id) {
        return getOwned(conversations.get(id)) !== undefined && drop(id);
      },
      async discard(id, graceMs) {
        const kept = getOwned(conversations.get(id));
        if (kept === undefined) return undefined;
        kept.discarded = { owner, until: now() + graceMs };
        changeOwner(kept, discardedOwner);
        records.removeOf(id);
        journal.removeOf(id, owner);
        setTimeout(dropDue, graceMs + 1).unref();
        return kept.discarded.until;
      },
      async restore(id) {
        dropDue();
        const kept = conversations.get(id);
        if (kept?.discarded === undefined || kept.discarded.owner !== owner) return false;
        kept.discarded = undefined;
        changeOwner(kept, owner);
        return true;
      },
      async rate(runId, feedback) {
        const found = getOwned(traces.peek(runId));
        if (found) found.trace = { ...found.trace, feedback };
        return found !== undefined;
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
    prune: async () => dropDue() + dropAll(listExpired()),
    measure: async () => stored,
    settled: async () => {},
  };
  return {
    ...scopeToOwner(undefined),
    typedHistory: createMemoryTypedHistory(),
    credentials: createMemoryCredentials(),
    usageHistory: createMemoryUsageHistory(now),
    retention,
    journal: journal.open(),
    sharedRuns: localRuns,
  };
}

/**
 * Adds a turn with its results, and returns how many UTF-16 units that takes. They get the marker and the numbers that they have in
 * the conversation: two runs of it may have gone on side by side.
 */
function addTurn(
  kept: StoredConversation,
  { turn, runId, branch, after, marker, lastResult = 0, results = [] }: AddedTurn,
): number {
  kept.marker ??= marker;
  const first = kept.marker ?? "";
  const isOther = marker !== undefined && marker !== first;
  const marked = isOther ? redactValue(turn, (text) => text.replaceAll(marker, first)) : turn;
  const by = kept.results.last - lastResult;
  const given = { turn: marked, results };
  const numbered = by > 0 && findLastResult(given) > lastResult ? moveNumbers(given, lastResult, by) : given;
  kept.turns.add(numbered.turn, runId, branch, after);
  return JSON.stringify(numbered.turn).length + kept.results.add(numbered.results, findLastResult(numbered));
}

interface AddedTurn extends Pick<FinishedRun, "runId" | "branch" | "after" | "marker" | "lastResult" | "results"> {
  turn: ConversationTurn;
}

/** Copies what a branch consists of into a conversation that has just begun. */
async function copyConversation(
  { turns, title, marker, loadedTools, sources, results }: StoredConversation,
  to: StoredConversation,
  branch: number | undefined,
): Promise<void> {
  const { turns: copied, summary } = turns.read(branch);
  const nodes = listBranchTurns(turns.tree(), turns.read(branch).branch);
  for (const [index, turn] of copied.entries()) to.turns.add(turn, nodes[index]?.runId ?? "", undefined);
  if (summary) to.turns.summarise(summary, undefined);
  await to.sources.number(sources.all().map(({ source }) => source));
  to.bytes = 2 * (JSON.stringify(copied).length + to.results.add(results.list(), results.last));
  Object.assign(to, { title, marker, loadedTools, isFork: true });
}

/** Without a name of a person's, the title is that of the first run. */
function changeConversation(
  kept: StoredConversation,
  { name, title, isPinned = kept.isPinned }: ConversationChanges,
  firstTrace: AgentTrace | undefined,
): void {
  if (title !== undefined && !kept.isNamed) kept.title = title;
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
  const words = { title: "", isNamed: false, isPinned: false, turns: createMemoryTurns() };
  const place = { folder: undefined, isFork: false };
  return { id, owner, ...words, ...place, sources, results, marker, bytes: 0, runIds: [], ...times };
}

/** Returns a snapshot of the conversation. Later turns are not added to it. */
function toConversation(kept: StoredConversation, wanted?: number, after?: number): Conversation {
  const { id, title, sources, results, marker, pendingPlan: waiting, loadedTools } = kept;
  const { branch, turns, summary } = kept.turns.read(wanted, after);
  const pendingPlan = waiting?.branch === branch ? waiting.plan : undefined;
  return { id, title, branch, turns, summary, sources, results: results.open(), marker, pendingPlan, loadedTools };
}

function toEntry(kept: StoredConversation, withQuestions: boolean): ConversationEntry {
  const { id, title, isNamed, isPinned, turns, createdAt, updatedAt, folder, isFork, lastRun } = kept;
  const questions = withQuestions
    ? turns
        .tree()
        .turns.map(({ question }) => question.slice(0, 300))
        .join("\n")
    : undefined;
  const more = {
    ...(folder !== undefined && { folder }),
    ...(isFork && { isFork }),
    ...(questions && { questions }),
    ...(lastRun && { lastRun }),
  };
  return { id, title, isNamed, isPinned, turns: turns.read().turns.length, createdAt, updatedAt, ...more };
}

/** Returns the first place of the words that are searched for. */
function findText({ title, turns }: StoredConversation, words: string): TextMatch | undefined {
  const search = createTextSearch(words);
  const found = search?.matchTitle(title);
  if (search === undefined || found) return found;
  for (const turn of turns.list()) {
    const match = search.matchTurn(turn);
    if (match) return match;
  }
  return undefined;
}
