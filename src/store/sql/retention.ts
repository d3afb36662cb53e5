import { longestDeadTokenMs } from "../../core/store/credentials.ts";
import { longestResponseMs } from "../../core/store/response-records.ts";
import {
  dayMs,
  type ExpiredConversation,
  inUseMs,
  type Retention,
  type RetentionLimits,
} from "../../core/store/retention.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { toText } from "../../kit/json.ts";
import type { StoreConnection } from "./connection.ts";
import {
  pauseAfterStep,
  type Removal,
  removeInSteps,
  removeLooseResponses,
  type StepsOptions,
} from "./conversations/removal.ts";
import { pruneEndedRuns, pruneInterruptedRuns } from "./conversations/run-records.ts";
import { pruneDailyUsage } from "./records/daily-usage.ts";
import { statements } from "./statements/statements.ts";
import { lock, type Row, type Work } from "./work.ts";

/** Says what the database takes, and gives back what it no longer needs. */
export interface StoreSpace {
  /** Returns how much is stored, in bytes. */
  measure(): Work<number>;
  /** Gives the space of what was removed back, step by step. */
  release(options: StepsOptions): Promise<void>;
}

/** Removes old conversations of all owners. Several processes may share the database. */
export interface StoreRetention extends Retention {
  /** Removes old conversations in the background when it is time, and from then on once an hour. Never waits, never throws. */
  pruneWhenDue(): void;
  /** Ends the work in the background. */
  close(): void;
}

export interface StoreRetentionOptions {
  space: StoreSpace;
  limits: RetentionLimits;
  /** Returns milliseconds since 1970. */
  now?: (() => number) | undefined;
  /** Reads the time that all processes share, by which whoever prunes is chosen, and what lasts for hours is forgotten. */
  readNow(): Work<number>;
}

/** Is how often one of the processes prunes, in milliseconds. */
const intervalMs = 3_600_000;
/** Is how long a process has the work to itself, in milliseconds. Another one takes over when it was killed. */
const leaseMs = 60_000;
/**
 * When nobody has used the store for this long, or its clock was set by this much, in milliseconds, nothing is removed by age for
 * a day: a clock that is wrong for a moment must not make everything old.
 */
const clockJumpMs = 30 * dayMs;
/** Limits how many conversations are looked up at a time. */
const batch = 20;

export function createStoreRetention(
  connection: StoreConnection,
  { limits, space, now = Date.now, readNow }: StoreRetentionOptions,
): StoreRetention {
  const closing = new AbortController();
  const toTime = (ms: number): string => new Date(ms).toISOString();
  /** Is how far the time that all processes share is before the clock of this one, in milliseconds. */
  let aheadMs = 0;
  const getTime = (): number => now() + aheadMs;
  const getAgeLimit = (): string => toTime(getTime() - limits.keepDays * dayMs);
  const getInUseLimit = (): string => toTime(getTime() - inUseMs);
  let nextCheck = 0;
  let going: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** By its own clock, a process whose clock is wrong would remove what others have just stored. */
  function* setClock(): Work<number> {
    const time = yield* readNow();
    aheadMs = time - now();
    return time;
  }

  function* isSmallEnough(): Work<boolean> {
    return (yield* space.measure()) <= limits.maxSize;
  }

  /**
   * Removes a few conversations, those that are too old first. Where that is not enough, what programs can ask for by its ID alone goes
   * before what people have said. Returns how many conversations it removed; 0 when there is nothing to do.
   */
  async function pruneSome(usesAge: boolean, options: StepsOptions): Promise<number> {
    const { old, isFull, spare } = await connection.read(function* () {
      return {
        old: usesAge ? yield* listExpired(getAgeLimit()) : [],
        isFull: !(yield* isSmallEnough()),
        spare: yield* listExpired(getInUseLimit()),
      };
    });
    if (old.length > 0) return removeInSteps(connection, old, options);
    if (!isFull) return 0;
    await removeLooseResponses(connection, getInUseLimit(), { ...options, isEnough: isSmallEnough });
    return spare.length > 0 ? removeInSteps(connection, spare, { ...options, isEnough: isSmallEnough }) : 0;
  }

  async function pruneAll(usesAge: boolean, options: StepsOptions): Promise<number> {
    let removed = 0;
    if (usesAge) await removeLooseResponses(connection, toTime(getTime() - longestResponseMs), options);
    for (;;) {
      const more = await pruneSome(usesAge, options);
      removed += more;
      if (more === 0) break;
    }
    await space.release(options);
    return removed;
  }

  /** Returns what this process may remove now, and undefined when another one is at it or it is not time yet. */
  function claim(): Promise<{ usesAge: boolean } | undefined> {
    return connection.write(function* () {
      yield* lock("upkeep");
      const time = yield* setClock();
      const row = yield* statements.upkeep.get();
      const due = Date.parse(toText(row?.due_at));
      // A time that is further away than any process sets comes from another clock.
      if (due > time && due <= time + intervalMs) return undefined;
      const seen = Date.parse(toText(row?.seen_at));
      const isKnown = Math.abs(time - seen) < clockJumpMs;
      const trusted = isKnown ? toText(row?.trusted_at) : toTime(time + dayMs);
      yield* statements.putUpkeep.run({ due: toTime(time + leaseMs), seen: toTime(time), trusted });
      yield* pruneDailyUsage(time);
      yield* pruneInterruptedRuns(time);
      yield* statements.pruneApiTokens.run({ oldest: toTime(time - longestDeadTokenMs) });
      yield* statements.pruneSessions.run({ now: toTime(time) });
      yield* statements.pruneAllPlaces.run({ now: time - dayMs, since: time - dayMs });
      yield* statements.pruneSharedRecords.run({ now: time, yesterday: time - dayMs });
      return { usesAge: trusted <= toTime(time) };
    });
  }

  /** Is done in steps: a busy hour leaves many, each with its events, and one statement for all would take longer than it may. */
  async function pruneEnded({ signal, beforeStep }: StepsOptions): Promise<void> {
    for (;;) {
      await beforeStep?.();
      const began = performance.now();
      if (!(await connection.write(() => pruneEndedRuns(getTime())))) return;
      await pauseAfterStep(began, signal);
    }
  }

  function extend(ms: number): Promise<void> {
    return connection.write(function* () {
      yield* lock("upkeep");
      const row = yield* statements.upkeep.get();
      yield* statements.putUpkeep.run({
        due: toTime((yield* readNow()) + ms),
        seen: toText(row?.seen_at),
        trusted: toText(row?.trusted_at),
      });
    });
  }

  async function pruneInTurn(): Promise<void> {
    const claimed = await claim();
    if (claimed === undefined) return;
    let extended = now();
    async function extendLease(): Promise<void> {
      if (Math.abs(now() - extended) < leaseMs / 3) return;
      extended = now();
      await extend(leaseMs);
    }
    const options = { signal: closing.signal, beforeStep: extendLease };
    await pruneEnded(options);
    await pruneAll(claimed.usesAge, options);
    await extend(intervalMs);
  }

  function pruneWhenDue(): void {
    if (going !== undefined || closing.signal.aborted || Math.abs(now() - nextCheck) < leaseMs) return;
    nextCheck = now();
    timer ??= setInterval(pruneWhenDue, intervalMs).unref();
    going = ignoreRejection(pruneInTurn(), "the next run reports what is wrong with the store").finally(() => {
      going = undefined;
    });
  }

  return {
    limits,
    measure: () => connection.read(space.measure),
    async listExpired() {
      await connection.read(setClock);
      const before = getInUseLimit();
      const [rows, stored] = await connection.read(function* (): Work<[Row[], number]> {
        const loose = Number((yield* statements.looseResponseBytes.get({ before }))?.bytes);
        return [yield* statements.weighed.all({ before }), (yield* space.measure()) - loose];
      });
      const ageLimit = getAgeLimit();
      let left = stored;
      const expired: ExpiredConversation[] = [];
      for (const row of rows) {
        const isOld = toText(row.updated_at) < ageLimit;
        if (!isOld && left <= limits.maxSize) break;
        left -= Number(row.bytes);
        expired.push(toExpired(row, isOld ? "age" : "size"));
      }
      return expired;
    },
    async prune(signal) {
      await connection.read(setClock);
      return pruneAll(true, { signal });
    },
    settled: async () => going,
    pruneWhenDue,
    close() {
      clearInterval(timer);
      closing.abort();
    },
  };
}

function* listExpired(before: string): Work<Removal[]> {
  return (yield* statements.expired.all({ before, limit: batch })).map(({ id, owner }) => ({
    id: toText(id),
    owner: typeof owner === "string" ? owner : null,
    before,
  }));
}

function toExpired(
  { id, owner, title, updated_at, bytes }: Row,
  reason: ExpiredConversation["reason"],
): ExpiredConversation {
  return {
    id: toText(id),
    owner: typeof owner === "string" ? owner : undefined,
    title: toText(title),
    updatedAt: toText(updated_at),
    bytes: Number(bytes),
    reason,
  };
}
