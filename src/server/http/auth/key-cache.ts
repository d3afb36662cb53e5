import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { createTimeLimit, timeoutError, waitAbortable } from "../../../kit/async/timeout.ts";
import type { DuetError } from "../../../kit/errors.ts";
import { toDuetError } from "../../../kit/errors.ts";
import type { Clock } from "./auth-settings.ts";

/** Holds the keys that were fetched at one moment. */
export interface CachedKeys<Keys> {
  readonly keys: Keys;
  readonly at: number;
}

/**
 * Fetches the issuer's keys when they are needed, and keeps them. Both methods reject with a `DuetError`, or the signal's
 * reason.
 */
export interface KeyCache<Keys> {
  /** Returns the keys in force. */
  current(signal: AbortSignal): Promise<CachedKeys<Keys>>;
  /** Returns newer keys for a token whose key is missing from `than`, or undefined when none can be had yet. */
  newer(than: CachedKeys<Keys>, signal: AbortSignal): Promise<CachedKeys<Keys> | undefined>;
}

export interface KeyCacheOptions<Keys> {
  load(signal: AbortSignal): Promise<Keys>;
  clock: Pick<Clock, "elapsed">;
  /** Reports once when keys cannot be fetched, and once, with undefined, when they can be fetched again. */
  onChange(problem: DuetError | undefined): void;
  /** Limits one fetch, in milliseconds. */
  limitMs?: number;
}

/** Both limits are in milliseconds. Keys are fetched again after `fresh`, and if that fails, used until `longest`. */
const fresh = 600_000;
const longest = 3_600_000;
/**
 * Is the minimum time, in milliseconds, between two fetches for tokens with unknown keys, which anybody can send. `rest` is the
 * minimum after a failed fetch.
 */
const cooldown = 30_000;
const rest = 5_000;

export function createKeyCache<Keys>({
  load,
  clock,
  onChange,
  limitMs = 10_000,
}: KeyCacheOptions<Keys>): KeyCache<Keys> {
  let held: CachedKeys<Keys> | undefined;
  let trouble: { problem: DuetError; at: number } | undefined;
  let fetching: Promise<CachedKeys<Keys>> | undefined;

  const getAge = ({ at }: { at: number }): number => clock.elapsed() - at;

  async function fetchNow(): Promise<CachedKeys<Keys>> {
    const limit = createTimeLimit(limitMs, () => timeoutError({ zh: "获取公钥", en: "Fetching the keys" }, limitMs));
    try {
      held = { keys: await waitAbortable(load(limit.signal), limit.signal), at: clock.elapsed() };
      if (trouble) onChange(undefined);
      trouble = undefined;
      return held;
    } catch (thrown) {
      const problem = toDuetError(thrown);
      if (!trouble) onChange(problem);
      trouble = { problem, at: clock.elapsed() };
      throw problem;
    } finally {
      limit.clear();
      fetching = undefined;
    }
  }

  /** All callers share one fetch, and none starts right after one that failed. */
  async function fetchOnce(signal: AbortSignal): Promise<CachedKeys<Keys>> {
    if (trouble && fetching === undefined && getAge(trouble) < rest) throw trouble.problem;
    fetching ??= fetchNow();
    return waitAbortable(fetching, signal);
  }

  return {
    async current(signal) {
      if (held && getAge(held) < fresh) return held;
      if (held && trouble && getAge(held) < longest) {
        // Who can do without newer ones waits no more for an issuer that has failed, and may let everybody wait.
        void ignoreRejection(fetchOnce(signal), "the keys that are held are used on, and the failure is remembered");
        return held;
      }
      try {
        return await fetchOnce(signal);
      } catch (thrown) {
        signal.throwIfAborted();
        if (held && getAge(held) < longest) return held;
        throw thrown;
      }
    },
    async newer(than, signal) {
      if (held && held !== than) return held;
      return getAge(than) < cooldown ? undefined : fetchOnce(signal);
    },
  };
}
