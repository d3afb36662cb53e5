import { discardedOwner } from "../../../core/store/discarded-owner.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { toText } from "../../../kit/json.ts";
import type { StoreConnection } from "../connection.ts";
import { statements } from "../statements/statements.ts";
import { lock, type Work } from "../work.ts";
import { removeInSteps } from "./removal.ts";
import { dropRunRecords } from "./run-records.ts";
import type { Owner } from "./update-conversation.ts";

/** Limits the pause after an attempt that has failed, in milliseconds. */
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/** Timers take no longer time, in milliseconds. */
const longestTimerMs = 2_147_483_647;

/** Keeps conversations of all owners that have been taken away until they are brought back, or their time is over. */
export interface DiscardedConversations {
  /** Returns when the time is over, in milliseconds since 1970; undefined when the owner has no such conversation. */
  add(id: string, owner: Owner, graceMs: number): Promise<number | undefined>;
  restore(id: string, owner: Owner): Promise<boolean>;
  /** Removes those whose time is over, and looks again when the time of the next one is. Never rejects. */
  removeDue(): Promise<void>;
  close(): void;
}

/** Several processes may share the file: whichever lives when the time is over removes them. */
export function createDiscardedConversations(
  connection: StoreConnection,
  now: () => number = Date.now,
  setTimer: (callback: () => void, ms: number) => NodeJS.Timeout = setTimeout,
): DiscardedConversations {
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let going: Promise<void> | undefined;
  let pauseMs = firstPauseMs;

  async function remove(): Promise<void> {
    let waitMs: number | undefined = pauseMs;
    try {
      const due = await connection.read(() => statements.dueDiscarded.all({ now: now() }));
      const removals = due.map(({ conversation }) => ({ id: toText(conversation), owner: discardedOwner }));
      if (removals.length > 0) await removeInSteps(connection, removals, { signal: closing.signal });
      const next = await connection.read(() => statements.nextDiscarded.get());
      const until = next?.until;
      waitMs = typeof until === "number" ? Math.max(0, until - now()) + 1 : undefined;
      pauseMs = firstPauseMs;
    } catch (thrown) {
      // A file that is locked or full now may be written later.
      pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      throw thrown;
    } finally {
      clearTimeout(timer);
      if (waitMs !== undefined && !closing.signal.aborted) timer = wait(Math.min(longestTimerMs, waitMs));
    }
  }

  const wait = (ms: number): NodeJS.Timeout => setTimer(() => void removeDue(), ms).unref();

  async function removeDue(): Promise<void> {
    await going;
    if (closing.signal.aborted) return;
    going ??= ignoreRejection(remove(), "the next process that opens the store removes them").finally(() => {
      going = undefined;
    });
    await going;
  }

  return {
    async add(id, owner, graceMs) {
      const until = now() + graceMs;
      const isThere = await connection.write(function* () {
        yield* lock(`conversation ${id}`);
        if ((yield* statements.isOwned.get({ id, owner })) === undefined) return false;
        // A run of it that was interrupted must not go on for nobody.
        yield* statements.dropIdempotencyRecords.run({ id, owner });
        yield* dropRunRecords({ id, owner });
        yield* statements.discard.run({ id, owner, until });
        yield* changeOwner({ id, owner, to: discardedOwner });
        return true;
      });
      if (isThere) void removeDue();
      return isThere ? until : undefined;
    },
    restore: (id, owner) =>
      connection.write(function* () {
        yield* lock(`conversation ${id}`);
        if ((yield* statements.undiscard.run({ id, owner, now: now() })) === 0) return false;
        yield* changeOwner({ id, owner: discardedOwner, to: owner });
        return true;
      }),
    removeDue,
    close() {
      closing.abort();
      clearTimeout(timer);
    },
  };
}

/** Gives what belongs to a conversation to another owner. */
function* changeOwner(parameters: { id: string; owner: Owner; to: Owner }): Work<void> {
  const { giveTraces, giveResponses, giveConversation } = statements;
  for (const each of [giveTraces, giveResponses, giveConversation]) yield* each.run(parameters);
}
