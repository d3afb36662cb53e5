import { LRUCache } from "lru-cache";
import { toConversationTitle } from "../../core/store/conversation-title.ts";
import {
  type Conversation,
  type ConversationEntry,
  type ConversationTurn,
  createId,
  type IdempotencyRecord,
  type IdempotencyRecords,
  longestRecordMs,
  mostTypedTexts,
  type OperatorStore,
  type SharedStore,
  type SourceList,
  type Summary,
  type TypedHistory,
  toRunEntry,
} from "../../core/store/store.ts";
import type { Source } from "../../core/tools/tool.ts";
import type { AgentTrace } from "../../core/trace.ts";
import { noConversationError } from "../store-errors.ts";

interface StoredConversation {
  id: string;
  owner: string | undefined;
  title: string;
  turns: ConversationTurn[];
  summary: Summary | undefined;
  sources: SourceList;
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

/** Keeps conversations for as long as the process lives. Beyond `max`, the least recently used of all owners are dropped. */
export function createMemoryStore(max = 1000): OperatorStore {
  const conversations = new LRUCache<string, StoredConversation>({ max });
  const traces = new LRUCache<string, StoredTrace>({ max });
  const records = createMemoryIdempotencyRecords();
  let asked = 0;

  function scopeToOwner(owner: string | undefined): SharedStore {
    function getOwned<T extends { owner: string | undefined }>(found: T | undefined): T | undefined {
      return found?.owner === owner ? found : undefined;
    }

    /** Returns the conversation, or a new one, and marks it as the most recently used. */
    function touch(id: string): StoredConversation {
      const kept = conversations.get(id) ?? begin(id, owner);
      if (kept.owner !== owner) throw noConversationError();
      kept.asked = ++asked;
      kept.updatedAt = new Date().toISOString();
      conversations.set(id, kept);
      return kept;
    }

    function isAllowed(id: string): boolean {
      const there = conversations.peek(id);
      return there === undefined ? owner === undefined : there.owner === owner;
    }

    const sortByLastAsked = (): StoredConversation[] =>
      [...conversations.values()].filter(getOwned).sort((a, b) => b.asked - a.asked);
    const listTraces = (): AgentTrace[] => [...traces.values()].filter(getOwned).map(({ trace }) => trace);

    return {
      of: scopeToOwner,
      idempotency: records.of(owner),
      async load(id) {
        const kept = getOwned(conversations.peek(id)) && conversations.get(id);
        return kept && toConversation(kept);
      },
      create: async (wanted) =>
        toConversation(touch(wanted !== undefined && isAllowed(wanted) ? wanted : createId("conv"))),
      async append({ conversationId, runId, turn, trace, pendingPlan, loadedTools }) {
        if (traces.has(runId) && !getOwned(traces.peek(runId))) throw noConversationError();
        const kept = touch(conversationId);
        kept.title ||= toConversationTitle(trace.question);
        if (turn) kept.turns.push(turn);
        kept.pendingPlan = pendingPlan;
        kept.loadedTools = loadedTools ?? kept.loadedTools;
        traces.set(runId, { owner, trace });
        records.settle(runId);
      },
      async summarise(conversationId, summary) {
        const kept = getOwned(conversations.peek(conversationId));
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
        if (!getOwned(conversations.peek(id))) return false;
        for (const [runId, { trace }] of traces.entries()) if (trace.conversation_id === id) traces.delete(runId);
        return conversations.delete(id);
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

  return { ...scopeToOwner(undefined), typedHistory: createMemoryTypedHistory() };
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

function begin(id: string, owner: string | undefined): StoredConversation {
  const now = new Date().toISOString();
  const sources = createMemorySourceList();
  return { id, owner, title: "", turns: [], summary: undefined, sources, asked: 0, createdAt: now, updatedAt: now };
}

/** Returns a snapshot of the conversation. Later turns are not added to it. */
function toConversation({ id, turns, summary, sources, pendingPlan, loadedTools }: StoredConversation): Conversation {
  return { id, turns: [...turns], summary, sources, pendingPlan, loadedTools };
}

function toEntry({ id, title, turns, createdAt, updatedAt }: StoredConversation): ConversationEntry {
  return { id, title, turns: turns.length, createdAt, updatedAt };
}

export function createMemorySourceList(): SourceList {
  const sources: Source[] = [];
  const numbers = new Map<string, number>();
  function numberSource(source: Source): number {
    const known = numbers.get(source.url);
    if (known !== undefined) return known;
    sources.push(source);
    numbers.set(source.url, sources.length);
    return sources.length;
  }
  return {
    number: async (found) => found.map(numberSource),
    get: (wanted) => sources[wanted - 1],
    all: () => sources.map((source, index) => ({ n: index + 1, source })),
    get size() {
      return sources.length;
    },
  };
}

export interface MemoryIdempotencyRecords {
  of(owner: string | undefined): IdempotencyRecords;
  /** Runs when the run has been stored. */
  settle(runId: string): void;
}

/** Creates records that live as long as the process. */
export function createMemoryIdempotencyRecords(): MemoryIdempotencyRecords {
  const records = new Map<string, IdempotencyRecord & { owner: string | undefined }>();
  const settle = (runId: string): void => void records.delete(runId);

  function removeOldest(): void {
    const oldest = new Date(Date.now() - longestRecordMs).toISOString();
    for (const { runId, begunAt } of records.values()) if (begunAt < oldest) settle(runId);
  }

  return {
    settle,
    of: (owner) => ({
      async add({ runId, beginning }) {
        removeOldest();
        for (const { owner: whose, ...record } of records.values())
          if (whose === owner && record.runId.startsWith(beginning)) return record;
        records.set(runId, { runId, begunAt: new Date().toISOString(), owner });
        return undefined;
      },
      async remove(runId) {
        if (records.get(runId)?.owner === owner) settle(runId);
      },
    }),
  };
}
