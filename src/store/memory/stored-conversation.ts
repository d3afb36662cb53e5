import type { AgentTrace } from "../../core/run/trace.ts";
import { listBranchTurns } from "../../core/store/conversations/branches.ts";
import type { Conversation, ConversationTurn, SourceList } from "../../core/store/conversations/conversation.ts";
import { toConversationTitle } from "../../core/store/conversations/conversation-title.ts";
import type { ConversationEntry, LastRun } from "../../core/store/conversations/entries.ts";
import { findLastResult, moveNumbers } from "../../core/store/conversations/move-numbers.ts";
import { createTextSearch, type TextMatch } from "../../core/store/conversations/text-search.ts";
import type { ConversationChanges, FinishedRun } from "../../core/store/store.ts";
import { redactValue } from "../../kit/text/redact.ts";
import { createMemoryResults, type MemoryResults } from "./result-list.ts";
import { createMemorySourceList } from "./source-list.ts";
import { createMemoryTurns, type MemoryTurns } from "./turn-list.ts";

/** Holds one conversation as the store in memory keeps it. */
export interface StoredConversation {
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

/** Creates a conversation without turns. `now` is ISO 8601, UTC. */
export function createStoredConversation(id: string, owner: string | undefined, now: string): StoredConversation {
  const [sources, results, marker] = [createMemorySourceList(), createMemoryResults(), undefined];
  const times = { asked: 0, createdAt: now, updatedAt: now };
  const words = { title: "", isNamed: false, isPinned: false, turns: createMemoryTurns() };
  const place = { folder: undefined, isFork: false };
  return { id, owner, ...words, ...place, sources, results, marker, bytes: 0, runIds: [], ...times };
}

/** Returns a snapshot of the conversation. Later turns are not added to it. */
export function toConversation(kept: StoredConversation, wanted?: number, after?: number): Conversation {
  const { id, title, sources, results, marker, pendingPlan: waiting, loadedTools } = kept;
  const { branch, turns, summary } = kept.turns.read(wanted, after);
  const pendingPlan = waiting?.branch === branch ? waiting.plan : undefined;
  return { id, title, branch, turns, summary, sources, results: results.open(), marker, pendingPlan, loadedTools };
}

export function toEntry(kept: StoredConversation, withQuestions: boolean): ConversationEntry {
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
export function findText({ title, turns }: StoredConversation, words: string): TextMatch | undefined {
  const search = createTextSearch(words);
  const found = search?.matchTitle(title);
  if (search === undefined || found) return found;
  for (const turn of turns.list()) {
    const match = search.matchTurn(turn);
    if (match) return match;
  }
  return undefined;
}

/**
 * Adds a turn with its results, and returns how many UTF-16 units that takes. They get the marker and the numbers that they have in
 * the conversation: two runs of it may have gone on side by side.
 */
export function addTurn(
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
export async function copyConversation(
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
export function changeConversation(
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
