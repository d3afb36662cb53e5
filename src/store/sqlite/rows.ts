import type { NumberedSource } from "../../core/sources.ts";
import type { Conversation, ConversationEntry } from "../../core/store/store.ts";
import type { AgentTrace } from "../../core/trace.ts";
import { isRecord, toText } from "../../kit/json.ts";
import type { Owner, Statements } from "./statements.ts";

type Row = Record<string, unknown>;

export interface LoadedConversation extends Pick<Conversation, "turns" | "summary" | "pendingPlan" | "loadedTools"> {
  sources: NumberedSource[];
}

/** Returns undefined when the owner has no such conversation. Must run inside a transaction. */
export function loadConversation(
  { conversation, turns, sources, loadedTools }: Statements,
  { id, owner }: { id: string; owner: Owner },
): LoadedConversation | undefined {
  const row = conversation.get({ id, owner });
  if (row === undefined) return undefined;
  const pendingPlan = typeof row.plan === "string" ? row.plan : undefined;
  const words = { turns: turns.all(id).map(toTurn), summary: toSummary(row), pendingPlan };
  const names = loadedTools.all(id).map(({ name }) => toText(name));
  return { ...words, loadedTools: names, sources: sources.all(id).map(toSource) };
}

function toTurn({ question, answer }: Row): LoadedConversation["turns"][number] {
  return { question: toText(question), answer: toText(answer) };
}

function toSummary({ summary, summarised, wanted }: Row): LoadedConversation["summary"] {
  if (typeof summary !== "string") return undefined;
  return { text: summary, turns: Number(summarised), ...(wanted ? { isWanted: true } : {}) };
}

function toSource({ n, url, title, snippet }: Row): NumberedSource {
  return { n: Number(n), source: { title: toText(title), url: toText(url), snippet: toText(snippet) } };
}

export function toEntry({ id, title, turns, created_at, updated_at }: Row): ConversationEntry {
  return {
    id: toText(id),
    title: toText(title),
    turns: Number(turns),
    createdAt: toText(created_at),
    updatedAt: toText(updated_at),
  };
}

/** Returns undefined when the column does not hold a trace. */
export function toTrace({ trace }: Row): AgentTrace | undefined {
  try {
    const value: unknown = JSON.parse(toText(trace));
    return isTrace(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The store reads only what it wrote, so the check only recognises the value as a trace. */
function isTrace(value: unknown): value is AgentTrace {
  return isRecord(value) && typeof value.run_id === "string" && Array.isArray(value.steps);
}
