import { sleep } from "../../kit/async/timeout.ts";
import type { StoreConnection } from "./connection.ts";
import type { Owner, Prepare, Statements } from "./statements.ts";

/** Prepares the statements that remove a conversation. Each finds rows of a conversation whose owner was checked before. */
export function prepareRemoval(prepare: Prepare) {
  return {
    isOwned: prepare("SELECT 1 FROM conversations WHERE id = :id AND owner IS :owner"),
    isExpendable: prepare(`
      SELECT 1 FROM conversations
      WHERE id = :id AND owner IS :owner AND pinned = 0 AND named_by_person = 0 AND updated_at < :before`),
    oldestTraces: prepare(`
      SELECT n, octet_length(trace) + coalesce(octet_length(packed), 0) AS bytes FROM traces
      WHERE conversation = :id ORDER BY n LIMIT :limit`),
    oldestTurns: prepare(`
      SELECT n, octet_length(question) + octet_length(answer) AS bytes FROM turns
      WHERE conversation = :id ORDER BY n LIMIT :limit`),
    oldestSources: prepare(`
      SELECT n, octet_length(title) + octet_length(snippet) AS bytes FROM sources
      WHERE conversation = :id ORDER BY n LIMIT :limit`),
    dropTrace: prepare("DELETE FROM traces WHERE conversation = :id AND n = :n"),
    dropTurn: prepare("DELETE FROM turns WHERE conversation = :id AND n = :n"),
    dropSource: prepare("DELETE FROM sources WHERE conversation = :id AND n = :n"),
    dropIdempotencyRecords: prepare("DELETE FROM begun_runs WHERE conversation = :id AND owner IS :owner"),
    dropConversation: prepare("DELETE FROM conversations WHERE id = :id AND owner IS :owner"),
    /** Gives free pages back to the file system, at most so many. A file of an earlier version has none to give. */
    giveBack: prepare(`PRAGMA incremental_vacuum(${pagesPerStep})`),
    freePages: prepare("SELECT freelist_count AS n FROM pragma_freelist_count()"),
    vacuumMode: prepare("SELECT auto_vacuum AS mode FROM pragma_auto_vacuum()"),
  };
}

/** Limits what one transaction removes, in rows and in bytes. Removed bytes are overwritten, which takes a few milliseconds. */
const mostRows = 200;
const mostBytes = 256 * 1024;

const pagesPerStep = 64;

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
  left.rows -= 1;
  statements.dropIdempotencyRecords.run({ id, owner });
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

/** Gives the pages of what was removed back, step by step. */
export async function giveBackPages(
  connection: StoreConnection,
  { signal, beforeStep }: StepsOptions = {},
): Promise<void> {
  for (;;) {
    await beforeStep?.();
    const began = performance.now();
    const isDone = await connection.write(({ vacuumMode, freePages, giveBack }) => {
      // 2 is incremental (https://www.sqlite.org/pragma.html#pragma_auto_vacuum).
      if (Number(vacuumMode.get()?.mode) !== 2 || Number(freePages.get()?.n) === 0) return true;
      giveBack.all();
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
