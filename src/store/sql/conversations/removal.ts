import { sleep } from "../../../kit/async/timeout.ts";
import { toText } from "../../../kit/json.ts";
import type { StoreConnection } from "../connection.ts";
import { statements } from "../statements/statements.ts";
import { lock, type Work } from "../work.ts";
import { dropRunRecords } from "./run-records.ts";
import type { Owner } from "./update-conversation.ts";

/** Limits what one transaction removes, in rows and in bytes. Removed bytes are overwritten, which takes a few milliseconds. */
const mostRows = 200;
const mostBytes = 256 * 1024;

export interface Removal {
  id: string;
  owner: Owner;
  /** Is the time of last use before which the conversation may be removed unasked; absent where somebody asked for it. */
  before?: string | undefined;
}

/** Says how far a step has come. */
export interface RemovalProgress {
  /** Counts the conversations at the beginning of the list that need no further step. */
  taken: number;
  /** Counts those of them that were removed. The others were not there, or may not be removed. */
  gone: number;
}

/**
 * Removes as much of these conversations as one step may: of each first its traces, the oldest first. Ends before the first one
 * for which `isEnough` is true.
 */
export function* removeSome(removals: readonly Removal[], isEnough?: () => Work<boolean>): Work<RemovalProgress> {
  const left = { rows: mostRows, bytes: mostBytes };
  const progress = { taken: 0, gone: 0 };
  for (const removal of removals) {
    if (isEnough && (yield* isEnough())) return { ...progress, taken: removals.length };
    const state = yield* removeOne(removal, left);
    if (state === "more") return progress;
    progress.taken += 1;
    if (state === "gone") progress.gone += 1;
  }
  return progress;
}

function* removeOne(
  { id, owner, before }: Removal,
  left: { rows: number; bytes: number },
): Work<"gone" | "kept" | "more"> {
  yield* lock(`conversation ${id}`);
  const isThere =
    before === undefined
      ? yield* statements.isOwned.get({ id, owner })
      : yield* statements.isExpendable.get({ id, owner, before });
  if (isThere === undefined) return "kept";
  for (const [list, drop] of [
    [statements.oldestTraces, statements.dropTrace],
    [statements.oldestTurns, statements.dropTurn],
    [statements.oldestSources, statements.dropSource],
    [statements.oldestResults, statements.dropResult],
    [statements.oldestResponses, statements.dropResponseOf],
  ] as const) {
    const rows = yield* list.all({ id, limit: mostRows });
    for (const { n, bytes } of rows) {
      if (left.rows <= 0 || left.bytes <= 0) return "more";
      yield* drop.run({ id, n: typeof n === "number" ? n : toText(n) });
      left.rows -= 1;
      left.bytes -= Number(bytes);
    }
    if (rows.length === mostRows) return "more";
  }
  const files = yield* statements.namedFiles.all({ id, limit: mostRows });
  for (const { hash, bytes } of files) {
    if (left.rows <= 0 || left.bytes <= 0) return "more";
    yield* statements.unnameFile.run({ id, hash: toText(hash) });
    yield* statements.dropUnnamedFile.run({ hash: toText(hash) });
    left.rows -= 1;
    left.bytes -= Number(bytes);
  }
  if (files.length === mostRows) return "more";
  left.rows -= 1;
  yield* statements.dropIdempotencyRecords.run({ id, owner });
  yield* dropRunRecords({ id, owner });
  yield* statements.dropSharedRecord.run({ kind: "approvals", name: id });
  yield* statements.dropConversation.run({ id, owner });
  return "gone";
}

export interface StepsOptions {
  signal?: AbortSignal | undefined;
  /** Runs before each step. */
  beforeStep?: (() => Promise<void>) | undefined;
  /** Is asked before each conversation, inside the transaction; true ends the removal. */
  isEnough?: (() => Work<boolean>) | undefined;
}

/** Removes conversations step by step. Returns how many were there and might be removed. */
export async function removeInSteps(
  connection: StoreConnection,
  removals: readonly Removal[],
  { signal, beforeStep, isEnough }: StepsOptions = {},
): Promise<number> {
  let gone = 0;
  let rest = removals;
  for (;;) {
    await beforeStep?.();
    const began = performance.now();
    const progress = await connection.write(() => removeSome(rest, isEnough));
    gone += progress.gone;
    rest = rest.slice(progress.taken);
    if (rest.length === 0) return gone;
    await pauseAfterStep(began, signal);
  }
}

/**
 * Removes the responses from before a time that stand in no conversation step by step, the oldest first. Ends before the first one for
 * which `isEnough` is true.
 */
export async function removeLooseResponses(
  connection: StoreConnection,
  before: string,
  { signal, beforeStep, isEnough }: StepsOptions = {},
): Promise<void> {
  for (;;) {
    await beforeStep?.();
    const began = performance.now();
    const isDone = await connection.write(function* () {
      let bytesLeft = mostBytes;
      const rows = yield* statements.looseResponses.all({ before, limit: mostRows });
      for (const { n, bytes } of rows) {
        if (isEnough && (yield* isEnough())) return true;
        if (bytesLeft <= 0) return false;
        yield* statements.dropLooseResponse.run({ n: toText(n) });
        bytesLeft -= Number(bytes);
      }
      return rows.length < mostRows;
    });
    if (isDone) return;
    await pauseAfterStep(began, signal);
  }
}

/** Limits the pause after a step, in milliseconds. */
const longestPauseMs = 50;

/** Leaves the event loop and the store to others for as long as the step took. */
export function pauseAfterStep(began: number, signal: AbortSignal | undefined): Promise<void> {
  return sleep(Math.min(longestPauseMs, performance.now() - began), signal);
}
