import { sleep } from "../../kit/async/timeout.ts";
import { toText } from "../../kit/json.ts";
import type { StoreConnection } from "./connection.ts";
import { dropRunRecords } from "./journal/journal.ts";
import type { Owner, Statements } from "./statements.ts";

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
 * for which `isEnough` is true. Must run inside a transaction.
 */
export function removeSome(
  statements: Statements,
  removals: readonly Removal[],
  isEnough: () => boolean = () => false,
): RemovalProgress {
  const left = { rows: mostRows, bytes: mostBytes };
  const progress = { taken: 0, gone: 0 };
  for (const removal of removals) {
    if (isEnough()) return { ...progress, taken: removals.length };
    const state = removeOne(statements, removal, left);
    if (state === "more") return progress;
    progress.taken += 1;
    if (state === "gone") progress.gone += 1;
  }
  return progress;
}

function removeOne(
  statements: Statements,
  { id, owner, before }: Removal,
  left: { rows: number; bytes: number },
): "gone" | "kept" | "more" {
  const isThere =
    before === undefined ? statements.isOwned.get({ id, owner }) : statements.isExpendable.get({ id, owner, before });
  if (isThere === undefined) return "kept";
  for (const [list, drop] of [
    [statements.oldestTraces, statements.dropTrace],
    [statements.oldestTurns, statements.dropTurn],
    [statements.oldestSources, statements.dropSource],
    [statements.oldestResults, statements.dropResult],
    [statements.oldestResponses, statements.dropResponseOf],
  ] as const) {
    const rows = list.all({ id, limit: mostRows });
    for (const { n, bytes } of rows) {
      if (left.rows <= 0 || left.bytes <= 0) return "more";
      drop.run({ id, n: Number(n) });
      left.rows -= 1;
      left.bytes -= Number(bytes);
    }
    if (rows.length === mostRows) return "more";
  }
  const files = statements.namedFiles.all({ id, limit: mostRows });
  for (const { hash, bytes } of files) {
    if (left.rows <= 0 || left.bytes <= 0) return "more";
    statements.unnameFile.run({ id, hash: toText(hash) });
    statements.dropUnnamedFile.run({ hash: toText(hash) });
    left.rows -= 1;
    left.bytes -= Number(bytes);
  }
  if (files.length === mostRows) return "more";
  left.rows -= 1;
  statements.dropIdempotencyRecords.run({ id, owner });
  dropRunRecords(statements, { id, owner });
  statements.dropConversation.run({ id, owner });
  return "gone";
}

export interface StepsOptions {
  signal?: AbortSignal | undefined;
  /** Runs before each step. */
  beforeStep?: (() => Promise<void>) | undefined;
  /** Is asked before each conversation, inside the transaction; true ends the removal. */
  isEnough?: ((statements: Statements) => boolean) | undefined;
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
    const progress = await connection.write((statements) =>
      removeSome(statements, rest, isEnough && (() => isEnough(statements))),
    );
    gone += progress.gone;
    rest = rest.slice(progress.taken);
    if (rest.length === 0) return gone;
    await pause(began, signal);
  }
}

/**
 * Removes the responses from before a time that stand in no conversation step by step, the oldest first. Ends before the first one for
 * which `isEnough` is true.
 */
export async function removeLooseResponses(
  connection: StoreConnection,
  before: string,
  { signal, beforeStep, isEnough = () => false }: StepsOptions = {},
): Promise<void> {
  for (;;) {
    await beforeStep?.();
    const began = performance.now();
    const isDone = await connection.write((statements) => {
      let bytesLeft = mostBytes;
      const rows = statements.looseResponses.all({ before, limit: mostRows });
      for (const { n, bytes } of rows) {
        if (isEnough(statements)) return true;
        if (bytesLeft <= 0) return false;
        statements.dropLooseResponse.run({ n: Number(n) });
        bytesLeft -= Number(bytes);
      }
      return rows.length < mostRows;
    });
    if (isDone) return;
    await pause(began, signal);
  }
}

/** Gives the pages of what was removed back, step by step. */
export async function releasePages(
  connection: StoreConnection,
  { signal, beforeStep }: StepsOptions = {},
): Promise<void> {
  for (;;) {
    await beforeStep?.();
    const began = performance.now();
    const isDone = await connection.write(({ vacuumMode, freePages, releaseSome }) => {
      // 2 is incremental (https://www.sqlite.org/pragma.html#pragma_auto_vacuum).
      if (Number(vacuumMode.get()?.mode) !== 2 || Number(freePages.get()?.n) === 0) return true;
      releaseSome.all();
      return false;
    });
    if (isDone) return;
    await pause(began, signal);
  }
}

/** Limits the pause after a step, in milliseconds. */
const longestPauseMs = 50;

/** Leaves the event loop and the store to others for as long as the step took. */
function pause(began: number, signal: AbortSignal | undefined): Promise<void> {
  return sleep(Math.min(longestPauseMs, performance.now() - began), signal);
}
