import type { NumberedSource } from "../../core/sources.ts";
import type { Conversation, ConversationEntry, ConversationTurn } from "../../core/store/store.ts";
import type { AgentTrace } from "../../core/trace.ts";
import { isRecord, toText } from "../../kit/json.ts";
import { unpackTrace } from "./packed-trace.ts";
import type { Owner, Statements } from "./statements.ts";
import { readTurnFiles } from "./turn-files.ts";

type Row = Record<string, unknown>;

type LoadedWords = Pick<Conversation, "title" | "turns" | "summary" | "pendingPlan" | "loadedTools">;

export interface LoadedConversation extends LoadedWords {
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
  const title = toText(row.title);
  const words = { title, turns: turns.all(id).map(toTurn), summary: toSummary(row), pendingPlan };
  const names = loadedTools.all(id).map(({ name }) => toText(name));
  return { ...words, loadedTools: names, sources: sources.all(id).map(toSource) };
}

function toTurn({ question, answer, files }: Row): ConversationTurn {
  return { question: toText(question), answer: toText(answer), ...readTurnFiles(toText(files)) };
}

function toSummary({ summary, summarised, wanted }: Row): LoadedConversation["summary"] {
  if (typeof summary !== "string") return undefined;
  return { text: summary, turns: Number(summarised), ...(wanted ? { isWanted: true } : {}) };
}

function toSource({ n, url, title, snippet }: Row): NumberedSource {
  return { n: Number(n), source: { title: toText(title), url: toText(url), snippet: toText(snippet) } };
}

export function toEntry({ id, title, named_by_person, pinned, turns, created_at, updated_at }: Row): ConversationEntry {
  return {
    id: toText(id),
    title: toText(title),
    isNamed: named_by_person === 1,
    isPinned: pinned === 1,
    turns: Number(turns),
    createdAt: toText(created_at),
    updatedAt: toText(updated_at),
  };
}

/** Returns undefined when the columns do not hold a trace. */
export function toTrace({ trace, packed }: Row): AgentTrace | undefined {
  try {
    const value: unknown = JSON.parse(packed instanceof Uint8Array ? unpackTrace(packed) : toText(trace));
    return isTrace(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The store reads only what it wrote, so the check only recognises the value as a trace. */
function isTrace(value: unknown): value is AgentTrace {
  return isRecord(value) && typeof value.run_id === "string" && Array.isArray(value.steps);
}
