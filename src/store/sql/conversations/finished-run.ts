import type { NumberedSource } from "../../../core/sources.ts";
import { firstBranch } from "../../../core/store/conversations/branches.ts";
import type { ConversationTurn } from "../../../core/store/conversations/conversation.ts";
import { toConversationTitle } from "../../../core/store/conversations/conversation-title.ts";
import { toLastRun } from "../../../core/store/conversations/entries.ts";
import { findLastResult, moveNumbers } from "../../../core/store/conversations/move-numbers.ts";
import type { FinishedRun } from "../../../core/store/store.ts";
import { toText } from "../../../kit/json.ts";
import { noConversationError } from "../../errors/usage-errors.ts";
import { statements } from "../statements/statements.ts";
import { lock, type Row, type Work } from "../work.ts";
import { extendBranch, findPlace, insertBranch, newBranch, type Place } from "./branches.ts";
import { packTextNow } from "./packed-text.ts";
import type { TraceColumns } from "./packed-trace.ts";
import { type PackedResult, packResults, saveResults } from "./result-list.ts";
import { dropRunFiles, endRunRecord } from "./run-records.ts";
import { saveOwedSource } from "./source-list.ts";
import { writeTurnFiles } from "./turn-files.ts";
import { packTurnRecord, writeTurnRecord } from "./turn-record.ts";
import { type Owner, updateConversation } from "./update-conversation.ts";

/** Holds what a turn remembers of its run, and the results of the run, as their rows store them. */
interface PackedTurn {
  record: Uint8Array | null;
  results: readonly PackedResult[];
}

export async function packTurn({ turn, results: kept }: FinishedRun): Promise<PackedTurn> {
  const [record, results] = await Promise.all([
    packTurnRecord(turn && writeTurnRecord(turn)),
    packResults(turn && kept),
  ]);
  return { record, results };
}

interface UnsettledTurn extends PackedTurn {
  run: FinishedRun & { turn: ConversationTurn };
  /** Holds the conversation's `marker`, and the last number of its `results` so far. */
  conversation: Row;
}

/**
 * Returns the record and the results of a turn with the marker and the numbers that they have in the conversation: two runs of it
 * may have gone on side by side.
 */
function settleTurn({ run, record, results, conversation }: UnsettledTurn): PackedTurn & { last: number } {
  const { marker, lastResult = 0 } = run;
  const first = toText(conversation.marker);
  const by = Number(conversation.results) - lastResult;
  const given = { turn: run.turn, results: run.results ?? [] };
  const last = findLastResult(given);
  const isNumbered = by > 0 && last > lastResult;
  const isMarked = marker === undefined || first === marker;
  if (!isNumbered && isMarked) return { record, results, last };
  const { turn } = isNumbered ? moveNumbers(given, lastResult, by) : given;
  const json = writeTurnRecord(turn);
  return {
    record: json === undefined ? null : packTextNow(isMarked ? json : json.replaceAll(marker, first)),
    results: isNumbered ? results.map(({ n, body }) => ({ n: n > lastResult ? n + by : n, body })) : results,
    last: isNumbered ? last + by : last,
  };
}

/** Holds a run with its owner and the source numbers that still have to be stored. */
interface StoredRun extends PackedTurn {
  run: FinishedRun;
  columns: TraceColumns;
  owner: Owner;
  owed: readonly NumberedSource[];
  /** Is who stores it, where a run may belong to another process meanwhile. */
  holder?: string | undefined;
  /** Reads the time by which what has ended is forgotten later. */
  readNow(): Work<number>;
}

/**
 * Keeps a run with the sources its turn may cite; a run that is kept already stays as it is. Returns false, and keeps nothing, where
 * another process goes on with the run. Throws where the conversation or the run is another owner's.
 */
export function* insertRun(stored: StoredRun): Work<boolean> {
  const { run, owner, holder, readNow } = stored;
  yield* lock(`conversation ${run.conversationId}`);
  const isRecorded = yield* endRunRecord(run.runId, owner, holder ?? null, yield* readNow());
  if (!isRecorded && holder && (yield* statements.isHeldElsewhere.get({ run: run.runId, holder }))) return false;
  yield* statements.dropIdempotencyRecord.run({ run: run.runId, owner });
  if (!(yield* statements.isKept.get({ run: run.runId, owner }))) yield* insertNewRun(stored, isRecorded);
  // What the conversation has named by now stays.
  if (isRecorded) yield* dropRunFiles(run.runId);
  return true;
}

function* insertNewRun({ run, columns, owner, owed, record, results }: StoredRun, isRecorded: boolean): Work<void> {
  const { conversationId: id, runId, turn, trace, pendingPlan, loadedTools, files = [], folder } = run;
  // The record of a run has begun its conversation.
  if (!isRecorded) yield* updateConversation({ id, owner, title: toConversationTitle(trace.question), folder });
  const conversation = yield* addRunToConversation(run, owner);
  const turns = Number(conversation.turns);
  const found = yield* findRunPlace(run, conversation);
  const isNew = found?.branch === newBranch;
  const place = isNew ? { ...found, branch: yield* insertBranch(id, { after: found.tip, last: turns - 1 }) } : found;
  yield* statements.addTrace.run({ run: runId, id, ...columns, owner });
  yield* statements.dropPlan.run({ id });
  if (pendingPlan !== undefined)
    yield* statements.addPlan.run({ id, plan: pendingPlan, branch: place?.branch ?? firstBranch });
  if (loadedTools !== undefined) {
    yield* statements.dropLoadedTools.run({ id });
    yield* statements.addLoadedTool.runEach(loadedTools.map((name, n) => ({ id, n, name })));
  }
  if (turn === undefined) return;
  const stored = settleTurn({ run: { ...run, turn }, record, results, conversation });
  const { question, answer } = turn;
  const words = { question, answer, files: writeTurnFiles(turn), record: stored.record };
  const parent = yield* extendBranch(id, place, turns);
  yield* statements.addTurn.run({ id, n: turns, ...words, parent, run: runId });
  yield* saveResults(id, stored);
  for (const { hash, bytes } of files) {
    yield* statements.addFile.run({ hash, bytes });
    yield* statements.nameFile.run({ id, hash });
  }
  for (const source of owed) yield* saveOwedSource(id, source);
}

/** Counts the turn of a run. Returns `turns`, `branch`, `marker` and `results` of the conversation. Throws where it is another owner's. */
function* addRunToConversation({ conversationId: id, turn, marker, trace }: FinishedRun, owner: Owner): Work<Row> {
  const now = new Date().toISOString();
  const words = { ...toLastRun(trace), marker: (turn && marker) ?? null };
  const row = yield* statements.addRun.get({ id, owner, turns: turn ? 1 : 0, now, ...words });
  if (row === undefined) throw noConversationError();
  return row;
}

/** Returns where the turn of a run goes. A run that has none begins no branch. */
function findRunPlace(
  { conversationId: id, branch, after, turn }: FinishedRun,
  conversation: Row,
): Work<Place | undefined> {
  const row = { ...conversation, turns: Number(conversation.turns) - (turn ? 1 : 0) };
  return findPlace({ id, row, branch, after: turn && after });
}
