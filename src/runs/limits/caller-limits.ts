import { LRUCache } from "lru-cache";
import type { Config } from "../../config/config.ts";
import type { Caller } from "../../core/caller.ts";
import type { DayBudget, WantedTurn } from "../../core/model/turn-budget.ts";
import type { TurnReservation } from "../../core/model/turn-charge.ts";
import {
  type DailyUsage,
  mostCallers,
  type Spend,
  toUsageKey,
  type UsageLimits,
} from "../../core/store/daily-usage.ts";
import { dayMs } from "../../core/store/retention.ts";
import { createSemaphore, type Semaphore } from "../../kit/async/semaphore.ts";
import { createWaitLimit, waitAbortable } from "../../kit/async/timeout.ts";
import type { CallerPlaces, RunPlace } from "./caller-places.ts";
import { type CallerUsage, createCallerUsage } from "./caller-usage.ts";
import {
  describeTooExpensive,
  describeTooFast,
  describeTooManyRuns,
  describeTooManyTokens,
  describeUnfairShare,
  overLimitError,
  tooManyWaitingError,
} from "./limit-errors.ts";

/**
 * Limits what each caller may use of the server (`serve.limits`). What is used in a day is counted in the store, and so are the runs and the
 * minute where processes of several machines share it. Each process counts its own runs, too.
 */
export interface CallerLimits {
  /**
   * Learns what the caller has used today, and whether there is a place for one run more, so that `admit` knows. A run that was let in
   * before needs no other place. Is undefined where nothing has to be learnt. Never rejects.
   */
  prepare(caller: Caller, isLetIn?: boolean): Promise<void> | undefined;
  /** Throws what `admit` would, and counts nothing. */
  check(caller: Caller, work: ActiveRunsView): void;
  /** Counts one run more. Throws `rate_limit` or `quota`, with the time after which it is worth trying again. */
  admit(caller: Caller, work: ActiveRunsView): void;
  /** Gives a run the place that `prepare` has asked for, or throws `rate_limit`. A run that was let in before is not refused. */
  takePlace(caller: Caller, isForced: boolean): RunPlace | undefined;
  /** Returns what remains of the daily limits, as far as it is known. A value is undefined when there is no such limit. */
  getRemaining(caller: Caller): { tokens: number | undefined; cost: number | undefined };
  /** Counts the runs that the caller has begun within the last minute, where that is limited. */
  countMinute(caller: Caller): number;
  /** Returns what the caller's model turns reserve and count, or undefined when no day is counted. */
  getBudget(caller: Caller): DayBudget | undefined;
}

/** Counts the active runs. Runs that only wait for a person are counted separately. */
export interface ActiveRunsView {
  all: number;
  /** Counts the active runs of this caller. */
  own: number;
  /**
   * Counts this caller's runs that wait for a person. `freeInMs` is the time until the first of them is given up, in
   * milliseconds.
   */
  waiting: number;
  freeInMs: number;
}

export interface CallerLimitsOptions {
  limits: Config["serve"]["limits"];
  /** Limits the active runs of all callers together. */
  most: number;
  /** Is true when other callers may come; then one caller alone never gets all of `most`. */
  isShared: boolean;
  /** Is true where what is used in a day is counted for other limits as well: for those of agents (`agent.budgets`). */
  isDayCounted?: boolean | undefined;
  /** Opens what counts a caller's daily usage. Without it, or while it cannot be used, this process counts for itself. */
  openUsage?: ((caller: Caller) => Promise<DailyUsage | undefined>) | undefined;
  /** Counts the runs of callers in all processes that share the store; without it, this process counts for itself. */
  places?: CallerPlaces | undefined;
  /** Returns milliseconds since 1970. */
  now?: (() => number) | undefined;
}

interface Account {
  /** Holds the start times of the last minute's runs. */
  begun: number[];
  usage: CallerUsage;
  /** Lets one turn at a time ask for a reservation. */
  turn: Semaphore;
  /** Resolves when a turn of this process has ended. */
  settled: PromiseWithResolvers<void>;
}

const minuteMs = 60_000;
/** Is how often a turn that waits looks what other processes have used, in milliseconds. */
const pollMs = 250;
/** Suggests when to try again, in milliseconds, so that another run can end first. */
const laterMs = 5000;

export function createCallerLimits({
  limits,
  most,
  isShared,
  isDayCounted = false,
  openUsage = async () => undefined,
  places,
  now = Date.now,
}: CallerLimitsOptions): CallerLimits {
  const { maxRuns, runsPerMinute, tokensPerDay, costPerDay } = limits;
  const daily: UsageLimits = { tokens: tokensPerDay, cost: costPerDay };
  const hasDailyLimit = tokensPerDay !== undefined || costPerDay !== undefined;
  // The last tenth, and at least one, is for callers who have none.
  const share = isShared && most > 1 ? most - Math.max(1, Math.floor(most / 10)) : most;
  // With `max` the cache would allocate all places at the start, which takes it 15 ms.
  const accounts = new LRUCache<string, Account>({ maxSize: mostCallers, sizeCalculation: () => 1 });

  function findAccount(caller: Caller): Account {
    const key = toUsageKey(caller.owner);
    const known = accounts.get(key);
    if (known !== undefined) return known;
    const account: Account = {
      begun: [],
      usage: createCallerUsage({ limits: daily, open: () => openUsage(caller), now }),
      turn: createSemaphore(1),
      settled: Promise.withResolvers(),
    };
    accounts.set(key, account);
    return account;
  }

  /** Throws `quota` when nothing is left of the day. */
  function checkDay({ usage }: Account): void {
    const { tokens, cost } = usage.known();
    const retryAfterMs = dayMs - (now() % dayMs);
    if (tokensPerDay !== undefined && tokens >= tokensPerDay)
      throw overLimitError("quota", describeTooManyTokens(tokens, tokensPerDay), retryAfterMs);
    if (costPerDay !== undefined && cost >= costPerDay)
      throw overLimitError("quota", describeTooExpensive(cost, costPerDay), retryAfterMs);
  }

  /** Turns that have to wait do so in the order in which they came. */
  async function reserve(account: Account, { runId, spend, lastsMs, signal }: WantedTurn): Promise<TurnReservation> {
    await account.turn.acquire(signal);
    try {
      for (;;) {
        const settled = account.settled.promise;
        const id = await account.usage.reserve({ runId, spend, lastsMs });
        if (id !== undefined) return toReservation(account, id);
        checkDay(account);
        await waitUpTo(pollMs, settled, signal);
      }
    } finally {
      account.turn.release();
    }
  }

  function toReservation(account: Account, id?: string): TurnReservation {
    return {
      id: id ?? "",
      settle: (used) => settle(account, id, used),
      async settleWith(used, recording) {
        await account.usage.settleWith(id, used, recording);
        wakeWaiting(account);
      },
    };
  }

  async function settle(account: Account, id: string | undefined, used: Spend): Promise<void> {
    await account.usage.settle(id, used);
    wakeWaiting(account);
  }

  function wakeWaiting(account: Account): void {
    account.settled.resolve();
    account.settled = Promise.withResolvers();
  }

  function forgetOldRuns(account: Account, time: number): void {
    account.begun = account.begun.filter((at) => at > time - minuteMs && at <= time);
  }

  function checkMinute(account: Account): void {
    if (runsPerMinute === undefined) return;
    const time = now();
    forgetOldRuns(account, time);
    const [oldest = time] = account.begun;
    if (account.begun.length >= runsPerMinute)
      throw overLimitError("rate_limit", describeTooFast(runsPerMinute), oldest + minuteMs - time);
  }

  function check(caller: Caller, { all, own, waiting, freeInMs }: ActiveRunsView): void {
    if (own >= maxRuns) throw overLimitError("rate_limit", describeTooManyRuns(maxRuns), laterMs);
    if (own + waiting >= 2 * maxRuns) throw tooManyWaitingError(waiting, freeInMs);
    if (own > 0 && all >= share) throw overLimitError("rate_limit", describeUnfairShare(own), laterMs);
    const account = findAccount(caller);
    checkDay(account);
    checkMinute(account);
    places?.check(caller);
  }

  function prepare(caller: Caller, isLetIn = false): Promise<void> | undefined {
    const asked = isLetIn ? undefined : places?.ask(caller);
    const learnt = hasDailyLimit ? findAccount(caller).usage.load() : undefined;
    return asked && learnt ? Promise.all([asked, learnt]).then(() => {}) : (asked ?? learnt);
  }

  return {
    prepare,
    check,
    takePlace: (caller, isForced) => places?.take(caller, isForced),
    admit(caller, work) {
      check(caller, work);
      if (runsPerMinute !== undefined) findAccount(caller).begun.push(now());
    },
    getRemaining(caller) {
      const { tokens, cost } = findAccount(caller).usage.known();
      return {
        tokens: tokensPerDay === undefined ? undefined : tokensPerDay - tokens,
        cost: costPerDay === undefined ? undefined : costPerDay - cost,
      };
    },
    countMinute(caller) {
      const account = findAccount(caller);
      forgetOldRuns(account, now());
      return account.begun.length;
    },
    getBudget(caller) {
      const openBill = (): TurnReservation => toReservation(findAccount(caller));
      if (hasDailyLimit) return { reserve: (turn) => reserve(findAccount(caller), turn), openBill };
      return isDayCounted ? { reserve: async () => openBill(), openBill } : undefined;
    },
  };
}

/** Resolves with `settled` or after `ms` milliseconds; rejects when the signal aborts. */
async function waitUpTo(ms: number, settled: Promise<void>, signal: AbortSignal): Promise<void> {
  const limit = createWaitLimit(ms, signal);
  try {
    await waitAbortable(settled, limit.signal);
  } catch (thrown) {
    if (!limit.expired) throw thrown;
  } finally {
    limit.clear();
  }
}
