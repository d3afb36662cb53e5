import { createTimeLimit, timeoutError, waitAbortable } from "../../../kit/async/timeout.ts";
import type { DuetError } from "../../../kit/errors.ts";
import { toDuetError } from "../../../kit/errors.ts";
import type { Clock } from "./settings.ts";

/** Keys that were had at one moment. */
export interface CachedKeys<Keys> {
  readonly keys: Keys;
  readonly at: number;
}

/** The issuer's keys, fetched when they are needed and then kept. Both reject with a `DuetError`, or the signal's reason. */
export interface KeyCache<Keys> {
  /** Those in force. */
  current(signal: AbortSignal): Promise<CachedKeys<Keys>>;
  /** For a token whose key is not among them: newer ones; undefined where there are none to be had yet. */
  newer(than: CachedKeys<Keys>, signal: AbortSignal): Promise<CachedKeys<Keys> | undefined>;
}

export interface KeyCacheOptions<Keys> {
  load(signal: AbortSignal): Promise<Keys>;
  clock: Pick<Clock, "elapsed">;
  /** Told when keys cannot be had, and with undefined when they can again; each once. */
  onChange(problem: DuetError | undefined): void;
  /** For one fetch, in milliseconds. */
  limitMs?: number;
}

/** In milliseconds. Keys are asked for anew after `fresh`, and taken for want of others until `longest`. */
const fresh = 600_000;
const longest = 3_600_000;
/** Between two fetches because of tokens with unknown keys, which anybody can send, and after a fetch that failed. */
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

  const age = ({ at }: { at: number }): number => clock.elapsed() - at;

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

  /** One fetch for all who want it; none right after one that failed. */
  async function fetchOnce(signal: AbortSignal): Promise<CachedKeys<Keys>> {
    if (trouble && fetching === undefined && age(trouble) < rest) throw trouble.problem;
    fetching ??= fetchNow();
    return waitAbortable(fetching, signal);
  }

  return {
    async current(signal) {
      if (held && age(held) < fresh) return held;
      if (held && trouble && age(held) < longest) {
        // Who can do without newer ones waits no more for an issuer that has failed, and may let everybody wait.
        fetchOnce(signal).catch(() => {});
        return held;
      }
      try {
        return await fetchOnce(signal);
      } catch (thrown) {
        signal.throwIfAborted();
        if (held && age(held) < longest) return held;
        throw thrown;
      }
    },
    async newer(than, signal) {
      if (held && held !== than) return held;
      return age(than) < cooldown ? undefined : fetchOnce(signal);
    },
  };
}
