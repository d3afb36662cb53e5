import type { NumberedSource } from "../../core/sources.ts";
import { firstBranch } from "../../core/store/branches.ts";
import { toConversationTitle } from "../../core/store/conversation-title.ts";
import { findLastResult, moveNumbers } from "../../core/store/move-numbers.ts";
import { type ConversationTurn, type FinishedRun, toLastRun } from "../../core/store/store.ts";
import { toText } from "../../kit/json.ts";
import { extendBranch, findPlace, insertBranch, newBranch, type Place } from "./branches/branches.ts";
import { dropRunFiles, endRunRecord } from "./journal/journal.ts";
import { packTextNow } from "./packed-text.ts";
import type { TraceColumns } from "./packed-trace.ts";
import { type PackedResult, packResults, saveResults } from "./result-list.ts";
import { saveSource } from "./source-list.ts";
import { type Owner, type Statements, updateConversation } from "./statements.ts";
import { writeTurnFiles } from "./turn-files.ts";
import { packTurnRecord, writeTurnRecord } from "./turn-record.ts";

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
}

/**
 * Returns the record and the results of a turn with the marker and the numbers that they have in the conversation: two runs of it
 * may have gone on side by side.
 */
function settleTurn(statements: Statements, { run, record, results }: UnsettledTurn): PackedTurn & { last: number } {
  const { conversationId: id, marker, lastResult = 0 } = run;
  const first = marker === undefined ? "" : toText(statements.setMarker.get({ id, marker })?.marker);
  const by = Number(statements.lastResult.get(id)?.results) - lastResult;
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
}

/**
 * Keeps a run with the sources its turn may cite; a run that is kept already stays as it is. Within a transaction. Throws where
 * the conversation or the run is another owner's.
 */
export function insertRun(statements: Statements, stored: StoredRun): void {
  const { run, owner } = stored;
  statements.dropIdempotencyRecord.run({ run: run.runId, owner });
  const isRecorded = endRunRecord(statements, run.runId, owner);
  if (!statements.isKept.get({ run: run.runId, owner })) insertNewRun(statements, stored);
  // What the conversation has named by now stays.
  if (isRecorded) dropRunFiles(statements, run.runId);
}

function insertNewRun(statements: Statements, { run, columns, owner, owed, record, results }: StoredRun): void {
  const { conversationId, runId, turn, trace, pendingPlan, loadedTools, files = [], folder } = run;
  const title = toConversationTitle(trace.question);
  const found = findRunPlace(statements, run, owner);
  const turns = updateConversation(statements, { id: conversationId, owner, title, turns: turn ? 1 : 0, folder });
  statements.setLastRun.run({ id: conversationId, ...toLastRun(trace) });
  const isNew = found?.branch === newBranch;
  const place = isNew
    ? { ...found, branch: insertBranch(statements, conversationId, { after: found.tip, last: turns - 1 }) }
    : found;
  statements.addTrace.run(runId, conversationId, columns.trace, columns.packed, owner);
  statements.dropPlan.run(conversationId);
  if (pendingPlan !== undefined) statements.addPlan.run(conversationId, pendingPlan, place?.branch ?? firstBranch);
  if (loadedTools !== undefined) {
    statements.dropLoadedTools.run(conversationId);
    for (const [index, name] of loadedTools.entries()) statements.addLoadedTool.run(conversationId, index, name);
  }
  if (turn === undefined) return;
  const stored = settleTurn(statements, { run: { ...run, turn }, record, results });
  const { question, answer } = turn;
  const named = writeTurnFiles(turn);
  const parent = extendBranch(statements, conversationId, place, turns);
  statements.addTurn.run(conversationId, turns, question, answer, named, stored.record, parent, runId);
  saveResults(statements, conversationId, stored);
  for (const { hash, bytes } of files) {
    statements.addFile.run(hash, bytes);
    statements.nameFile.run(conversationId, hash);
  }
  for (const source of owed) saveSource(statements, conversationId, source);
}

/** Returns where the turn of a run goes. A run that has none begins no branch. */
function findRunPlace(
  statements: Statements,
  { conversationId: id, branch, after, turn }: FinishedRun,
  owner: Owner,
): Place | undefined {
  const row = statements.conversation.get({ id, owner });
  return row && findPlace(statements, { id, row, branch, after: turn && after });
}
