import type { NumberedSource } from "../../core/sources.ts";
import type { Conversation } from "../../core/store/conversation.ts";
import type { ConversationEntry, RunEntry } from "../../core/store/store.ts";
import type { AgentTrace } from "../../core/trace.ts";
import { isRecord, textOf } from "../../kit/json.ts";
import type { Owner, Statements } from "./statements.ts";

type Row = Record<string, unknown>;

/** What the store holds of a conversation. */
export interface Loaded extends Pick<Conversation, "turns" | "summary" | "pendingPlan"> {
  sources: NumberedSource[];
}

/** Undefined when the owner has no such conversation. Within a transaction. */
export function loadWords(
  { conversation, turns, sources }: Statements,
  { id, owner }: { id: string; owner: Owner },
): Loaded | undefined {
  const row = conversation.get({ id, owner });
  if (row === undefined) return undefined;
  const pendingPlan = typeof row.plan === "string" ? row.plan : undefined;
  const words = { turns: turns.all(id).map(toTurn), summary: toSummary(row), pendingPlan };
  return { ...words, sources: sources.all(id).map(toSource) };
}

function toTurn({ question, answer }: Row): Loaded["turns"][number] {
  return { question: textOf(question), answer: textOf(answer) };
}

function toSummary({ summary, summarised, wanted }: Row): Loaded["summary"] {
  if (typeof summary !== "string") return undefined;
  return { text: summary, turns: Number(summarised), ...(wanted ? { isWanted: true } : {}) };
}

function toSource({ n, url, title, snippet }: Row): NumberedSource {
  return { n: Number(n), source: { title: textOf(title), url: textOf(url), snippet: textOf(snippet) } };
}

export function toEntry({ id, title, turns, created_at, updated_at }: Row): ConversationEntry {
  return {
    id: textOf(id),
    title: textOf(title),
    turns: Number(turns),
    createdAt: textOf(created_at),
    updatedAt: textOf(updated_at),
  };
}

/** Undefined when what stands there is no trace. */
export function toTrace({ trace }: Row): AgentTrace | undefined {
  try {
    const value: unknown = JSON.parse(textOf(trace));
    return isTrace(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function toRunEntry({ run_id, question, status, started_at }: AgentTrace): RunEntry {
  return { id: run_id, question, status, startedAt: started_at };
}

/** Our own writing, read back: enough to know that it is that. */
function isTrace(value: unknown): value is AgentTrace {
  return isRecord(value) && typeof value.run_id === "string" && Array.isArray(value.steps);
}
