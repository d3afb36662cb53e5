import { LRUCache } from "lru-cache";
import type { Source } from "../../core/tool.ts";
import type { AgentTrace } from "../../core/trace.ts";
import { type ConversationTurn, newId, type Summary } from "../conversation.ts";
import type { SourceList } from "../sources.ts";
import type { ConversationEntry, ConversationStore } from "../store.ts";

interface Kept {
  id: string;
  turns: ConversationTurn[];
  summary: Summary | undefined;
  sources: SourceList;
  pendingPlan?: string | undefined;
  createdAt: string;
  updatedAt: string;
}

/** Conversations for as long as the process lives; the least recently used are forgotten beyond `max`. */
export function createMemoryStore(max = 1000): ConversationStore {
  const conversations = new LRUCache<string, Kept>({ max });
  const traces = new LRUCache<string, AgentTrace>({ max });

  function make(id: string): Kept {
    const now = new Date().toISOString();
    return { id, turns: [], summary: undefined, sources: createSourceList(), createdAt: now, updatedAt: now };
  }

  return {
    async load(id) {
      const kept = conversations.get(id);
      return kept && { ...kept, turns: [...kept.turns] };
    },
    async create(id = newId("conv")) {
      const kept = make(id);
      conversations.set(id, kept);
      return { ...kept, turns: [] };
    },
    async append({ conversationId, runId, turn, trace, pendingPlan }) {
      const kept = conversations.get(conversationId) ?? make(conversationId);
      conversations.set(conversationId, kept);
      kept.updatedAt = new Date().toISOString();
      if (turn) kept.turns.push(turn);
      kept.pendingPlan = pendingPlan;
      traces.set(runId, trace);
    },
    async summarise(conversationId, summary) {
      const kept = conversations.get(conversationId);
      if (kept && summary.turns > (kept.summary?.turns ?? 0)) kept.summary = summary;
    },
    latest: async () => [...conversations.keys()][0],
    async list({ limit, offset }) {
      return [...conversations.values()].slice(offset, offset + limit).map(entryOf);
    },
    async remove(id) {
      for (const [runId, trace] of traces.entries()) if (trace.conversation_id === id) traces.delete(runId);
      return conversations.delete(id);
    },
    trace: async (runId) => (runId === undefined ? [...traces.values()][0] : traces.get(runId)),
    async close() {},
  };
}

function entryOf({ id, turns, createdAt, updatedAt }: Kept): ConversationEntry {
  return { id, title: turns[0]?.question ?? "", turns: turns.length, createdAt, updatedAt };
}

export function createSourceList(): SourceList {
  const sources: Source[] = [];
  const numbers = new Map<string, number>();
  function number(source: Source): number {
    const known = numbers.get(source.url);
    if (known !== undefined) return known;
    sources.push(source);
    numbers.set(source.url, sources.length);
    return sources.length;
  }
  return {
    number: async (found) => found.map(number),
    get: (wanted) => sources[wanted - 1],
    all: () => sources.map((source, index) => ({ n: index + 1, source })),
    get size() {
      return sources.length;
    },
  };
}
