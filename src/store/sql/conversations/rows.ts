import { modes } from "../../../core/run/modes.ts";
import type { AgentTrace } from "../../../core/run/trace.ts";
import type { NumberedSource } from "../../../core/sources.ts";
import { firstBranch } from "../../../core/store/conversations/branches.ts";
import type { Conversation, ConversationTurn } from "../../../core/store/conversations/conversation.ts";
import type { ConversationEntry, LastRun } from "../../../core/store/conversations/entries.ts";
import type { Feedback } from "../../../core/store/feedback.ts";
import { isRecord, toText } from "../../../kit/json.ts";
import { statements } from "../statements/statements.ts";
import type { Row, Work } from "../work.ts";
import { findPlace, listTurnPath, loadBranchSummary, toBranch, toStoredSummary } from "./branches.ts";
import { unpackTrace } from "./packed-trace.ts";
import { readTurnFiles } from "./turn-files.ts";
import { readTurnRecord } from "./turn-record.ts";
import type { Owner } from "./update-conversation.ts";

type LoadedWords = Pick<
  Conversation,
  "title" | "branch" | "turns" | "summary" | "pendingPlan" | "loadedTools" | "marker"
>;

export interface LoadedConversation extends LoadedWords {
  sources: NumberedSource[];
  /** Is the highest number that was given to a result. */
  lastResult: number;
  hasResults: boolean;
}

/** Holds the turns of a conversation that were read before. Turns are added, and never changed. */
export interface KnownTurns {
  createdAt: string;
  turns: readonly ConversationTurn[];
  /** Is about what they take in memory, in UTF-16 units. */
  size: number;
}

export interface KnownTurnsCache {
  get(): KnownTurns | undefined;
  set(known: KnownTurns): void;
}

/** Returns undefined when the owner has no such conversation. */
export function* loadConversation(
  {
    id,
    owner,
    branch: wanted,
    after,
  }: { id: string; owner: Owner; branch: number | undefined; after: number | undefined },
  cache: KnownTurnsCache,
): Work<LoadedConversation | undefined> {
  const row = yield* statements.conversation.get({ id, owner });
  if (row === undefined) return undefined;
  const place = yield* findPlace({ id, row, branch: wanted, after });
  const { turns, summary } = place
    ? yield* loadBranch(id, place.tip)
    : { turns: yield* loadLine({ id, row }, cache), summary: toSummary(row) };
  const branch = place?.branch ?? firstBranch;
  const hasPlan = typeof row.plan === "string" && toBranch(row.plan_branch) === branch;
  const marker = typeof row.marker === "string" ? row.marker : undefined;
  return {
    title: toText(row.title),
    branch,
    turns,
    summary,
    pendingPlan: hasPlan ? toText(row.plan) : undefined,
    marker,
    loadedTools: (yield* statements.loadedTools.all({ id })).map(({ name }) => toText(name)),
    sources: (yield* statements.sources.all({ id })).map(toSource),
    lastResult: Number(row.results),
    hasResults: row.has_results === 1,
  };
}

/** Loads the turns of a conversation without branches: those that were read before are not read again. */
function* loadLine({ id, row }: { id: string; row: Row }, cache: KnownTurnsCache): Work<readonly ConversationTurn[]> {
  const createdAt = toText(row.created_at);
  const known = cache.get();
  const isSame = known?.createdAt === createdAt && known.turns.length <= Number(row.turns);
  const { turns: before, size } = isSame ? known : { turns: [], size: 1 };
  const added = yield* statements.turns.all({ id, after: before.length });
  const turns = [...before, ...added.map(toTurn)];
  cache.set({ createdAt, turns, size: added.reduce(addSize, size) });
  return turns;
}

function* loadBranch(id: string, tip: number): Work<Pick<LoadedConversation, "turns" | "summary">> {
  const path = yield* listTurnPath(id, tip);
  const turns: ConversationTurn[] = [];
  for (const n of path) turns.push(toTurn((yield* statements.turn.get({ id, n })) ?? {}));
  return { turns, summary: yield* loadBranchSummary(id, path) };
}

/** A record takes several times the bytes that it takes packed. */
const unpackedFactor = 4;

function addSize(sum: number, { question, answer, record }: Row): number {
  const packed = record instanceof Uint8Array ? record.length : 0;
  return sum + toText(question).length + toText(answer).length + packed * unpackedFactor;
}

function toTurn({ question, answer, files, record }: Row): ConversationTurn {
  const words = { question: toText(question), answer: toText(answer) };
  return { ...words, ...readTurnFiles(toText(files)), ...readTurnRecord(record) };
}

function toSummary({ summary, summarised, wanted, facts }: Row): LoadedConversation["summary"] {
  if (typeof summary !== "string") return undefined;
  return toStoredSummary({ text: summary, turns: summarised, wanted, facts });
}

function toSource({ n, url, title, snippet }: Row): NumberedSource {
  return { n: Number(n), source: { title: toText(title), url: toText(url), snippet: toText(snippet) } };
}

export function toEntry(row: Row): ConversationEntry {
  const { id, title, named_by_person, pinned, turns, created_at, updated_at, folder, is_fork, questions } = row;
  const lastRun = toStoredLastRun(row);
  return {
    ...(lastRun && { lastRun }),
    ...(typeof folder === "string" && { folder }),
    ...(is_fork === 1 && { isFork: true }),
    ...(typeof questions === "string" && { questions }),
    id: toText(id),
    title: toText(title),
    isNamed: named_by_person === 1,
    isPinned: pinned === 1,
    turns: Number(turns),
    createdAt: toText(created_at),
    updatedAt: toText(updated_at),
  };
}

function toStoredLastRun({ mode, function_call, answer }: Row): LastRun | undefined {
  const known = modes.find((each) => each === mode);
  return known && { mode: known, functionCall: toText(function_call), answer: toText(answer) };
}

/** Returns undefined when the columns do not hold a trace. */
export function toTrace({ trace, packed, feedback }: Row): AgentTrace | undefined {
  try {
    const value: unknown = JSON.parse(packed instanceof Uint8Array ? unpackTrace(packed) : toText(trace));
    if (!isTrace(value)) return undefined;
    const rated = readFeedback(feedback);
    return rated ? { ...value, feedback: rated } : value;
  } catch {
    return undefined;
  }
}

/** Reads what `rate` wrote. */
export function readFeedback(json: unknown): Feedback | undefined {
  if (typeof json !== "string") return undefined;
  const value: unknown = JSON.parse(json);
  if (!isRecord(value)) return undefined;
  const { rating, comment, at } = value;
  return { rating: rating === "up" || rating === "down" ? rating : null, comment: toText(comment), at: toText(at) };
}

/** The store reads only what it wrote, so the check only recognises the value as a trace. */
function isTrace(value: unknown): value is AgentTrace {
  return isRecord(value) && typeof value.run_id === "string" && Array.isArray(value.steps);
}
