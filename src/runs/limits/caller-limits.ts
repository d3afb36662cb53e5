import { LRUCache } from "lru-cache";
import type { Config } from "../../config/config.ts";
import type { Caller } from "../../core/caller.ts";
import type { AgentEvent } from "../../core/events.ts";
import {
  describeTooExpensive,
  describeTooFast,
  describeTooManyRuns,
  describeTooManyTokens,
  describeUnfairShare,
  overLimitError,
  tooManyWaitingError,
} from "./limit-errors.ts";

/** Limits what each caller may use of the server (`serve.limits`). The counts are held in memory and restart with the process. */
export interface CallerLimits {
  /** Counts one run more. Throws `rate_limit` or `quota`, with the time after which it is worth trying again. */
  admit(caller: Caller, work: ActiveRunsView): void;
  /** Returns what remains of the daily limits. A value is undefined when there is no such limit. */
  getRemaining(caller: Caller): { tokens: number | undefined; cost: number | undefined };
  /** Counts what a run of the caller's uses, as it uses it. */
  countUsage(caller: Caller, event: AgentEvent): void;
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
  /** Returns milliseconds since 1970. */
  now?: (() => number) | undefined;
}

interface Account {
  /** Holds the start times of the last minute's runs. */
  begun: number[];
  /** Identifies the day whose usage is counted. */
  day: number;
  tokens: number;
  cost: number;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Suggests when to try again, in milliseconds, so that another run can end first. */
const laterMs = 5000;
/** Limits the callers that are remembered. The least recently active one is forgotten first. */
const mostCallers = 100_000;

export function createCallerLimits({ limits, most, isShared, now = Date.now }: CallerLimitsOptions): CallerLimits {
  const { maxRuns, runsPerMinute, tokensPerDay, costPerDay } = limits;
  // The last tenth, and at least one, is for callers who have none.
  const share = isShared && most > 1 ? most - Math.max(1, Math.floor(most / 10)) : most;
  // With `max` the cache would allocate all places at the start, which takes it 15 ms.
  const accounts = new LRUCache<string, Account>({ maxSize: mostCallers, sizeCalculation: () => 1 });

  function findAccount({ owner }: Caller): Account {
    const key = owner === undefined ? "" : `=${owner}`;
    const day = Math.floor(now() / dayMs);
    const known = accounts.get(key);
    const account = known?.day === day ? known : { begun: known?.begun ?? [], day, tokens: 0, cost: 0 };
    accounts.set(key, account);
    return account;
  }

  function checkDay({ day, tokens, cost }: Account): void {
    const retryAfterMs = (day + 1) * dayMs - now();
    if (tokensPerDay !== undefined && tokens >= tokensPerDay)
      throw overLimitError("quota", describeTooManyTokens(tokens, tokensPerDay), retryAfterMs);
    if (costPerDay !== undefined && cost >= costPerDay)
      throw overLimitError("quota", describeTooExpensive(cost, costPerDay), retryAfterMs);
  }

  function countMinute(account: Account): void {
    if (runsPerMinute === undefined) return;
    const time = now();
    account.begun = account.begun.filter((at) => at > time - minuteMs && at <= time);
    const [oldest = time] = account.begun;
    if (account.begun.length >= runsPerMinute)
      throw overLimitError("rate_limit", describeTooFast(runsPerMinute), oldest + minuteMs - time);
    account.begun.push(time);
  }

  return {
    admit(caller, { all, own, waiting, freeInMs }) {
      if (own >= maxRuns) throw overLimitError("rate_limit", describeTooManyRuns(maxRuns), laterMs);
      if (own + waiting >= 2 * maxRuns) throw tooManyWaitingError(waiting, freeInMs);
      if (own > 0 && all >= share) throw overLimitError("rate_limit", describeUnfairShare(own), laterMs);
      const account = findAccount(caller);
      checkDay(account);
      countMinute(account);
    },
    getRemaining(caller) {
      const { tokens, cost } = findAccount(caller);
      return {
        tokens: tokensPerDay === undefined ? undefined : tokensPerDay - tokens,
        cost: costPerDay === undefined ? undefined : costPerDay - cost,
      };
    },
    countUsage(caller, event) {
      if (event.type === "phase-end") add(caller, event.usage.inputTokens + event.usage.outputTokens, event.costUsd);
      const agents = event.type === "run-end" ? event.outcome.meta.agents : undefined;
      if (agents) add(caller, agents.total_tokens, agents.cost_usd);
    },
  };

  function add(caller: Caller, tokens: number, cost: number | null): void {
    const account = findAccount(caller);
    account.tokens += tokens;
    account.cost += cost ?? 0;
  }
}
