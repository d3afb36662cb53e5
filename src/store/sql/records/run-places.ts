import { toUsageKey } from "../../../core/store/daily-usage.ts";
import { findRefusal, placeMinuteMs, type RunPlaces } from "../../../core/store/run-places.ts";
import { longestOutageMs, type StoreConnection } from "../connection.ts";
import type { Owner } from "../conversations/update-conversation.ts";
import { statements } from "../statements/statements.ts";
import { lock, type Work } from "../work.ts";

/**
 * Counts the runs of one caller in the database, by the clock that all processes share. A place that its process does not renew is kept
 * for as long as a run waits for the database.
 */
export function createSqlRunPlaces(connection: StoreConnection, owner: Owner, readNow: () => Work<number>): RunPlaces {
  const caller = toUsageKey(owner);
  return {
    claim: ({ id, limits, lastsMs, isForced = false, isLetIn = false }) =>
      connection.write(function* () {
        // What is counted comes after the lock, in a statement of its own: two at once do not see the same.
        yield* lock(`runs ${caller}`);
        const now = yield* readNow();
        const since = now - placeMinuteMs;
        yield* statements.prunePlaces.run({ caller, since, lost: now - longestOutageMs });
        const row = (yield* statements.placeCounts.get({ caller, now, since })) ?? {};
        const inMinute = Number(row.in_minute);
        const oldestMs = inMinute === 0 ? 0 : now - Number(row.oldest);
        const counts = { going: Number(row.going), waiting: Number(row.waiting), inMinute, oldestMs };
        const refusal = isForced ? undefined : findRefusal(counts, limits);
        const begun = isLetIn ? since : now;
        if (refusal === undefined) yield* statements.addPlace.run({ id, caller, now: begun, until: now + lastsMs });
        return { ...counts, refusal };
      }),
    async renew(places, lastsMs) {
      const renewed = JSON.stringify(places.map(({ id, state }) => ({ id, state })));
      await connection.write(function* () {
        const until = (yield* readNow()) + lastsMs;
        yield* statements.renewPlaces.run({ places: renewed, until });
      });
    },
    async release(id, hasBegun) {
      await connection.write(() => (hasBegun ? statements.endPlace : statements.dropPlace).run({ id }));
    },
  };
}
