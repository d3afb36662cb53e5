import { LRUCache } from "lru-cache";
import type { Caller } from "../../core/caller.ts";
import { mostCallers, toUsageKey } from "../../core/store/daily-usage.ts";
import {
  type PlaceAnswer,
  type PlaceLimits,
  type PlaceState,
  placeMinuteMs,
  type RunPlaces,
} from "../../core/store/run-places.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createRandomHex } from "../../kit/random.ts";
import { describeTooFast, describeTooManyRuns, overLimitError, tooManyWaitingError } from "./limit-errors.ts";

/** Takes places for runs in the store, where the processes that share it count the runs of a caller together. */
export interface CallerPlaces {
  /**
   * Asks for a place for one run more, which `take` then gives or refuses. Is undefined where the store counts no runs. Never rejects:
   * without an answer nothing is refused.
   */
  ask(caller: Caller): Promise<void> | undefined;
  /** Throws what `take` would, where there is no place. */
  check(caller: Caller): void;
  /** Gives a run its place. Throws `rate_limit` where the store has refused one. A run that was let in before is not refused. */
  take(caller: Caller, isForced: boolean): RunPlace | undefined;
}

/** Is what a run occupies, from its beginning to its end. */
export interface RunPlace {
  /** Says what the run does by now. */
  update(state: PlaceState): void;
  release(): void;
}

export interface CallerPlacesOptions {
  limits: PlaceLimits;
  /** Opens the caller's part of the store. Returns undefined for a store that counts no runs. */
  open(caller: Caller): Promise<RunPlaces | undefined>;
}

interface HeldPlace {
  id: string;
  places: RunPlaces;
  state: PlaceState;
}

interface Answers {
  granted: HeldPlace[];
  refused: Error[];
}

/**
 * Is how long a place lasts without a renewal, and how often it is renewed, in milliseconds. By the time at which another process takes
 * over the runs of one that is gone, their places end as well.
 */
const lastsMs = 6_500;
const renewalMs = 1_500;
/** Is how long an answer waits for its run, in milliseconds: a request may join a run that goes on, and needs no place. */
const answerMs = 3_000;
/** Suggests when to try again, in milliseconds, so that another run can end first. */
const laterMs = 5_000;

export function createCallerPlaces({ limits, open }: CallerPlacesOptions): CallerPlaces {
  const held = new Map<string, HeldPlace>();
  const answers = new LRUCache<string, Answers>({ maxSize: mostCallers, sizeCalculation: () => 1 });
  let timer: NodeJS.Timeout | undefined;
  /** Is false once the store is known to count no runs. */
  let isCounted = true;

  function findAnswers({ owner }: Caller): Answers {
    const key = toUsageKey(owner);
    const known = answers.get(key) ?? { granted: [], refused: [] };
    answers.set(key, known);
    return known;
  }

  function renew(places: readonly HeldPlace[]): void {
    const [first] = places;
    if (first !== undefined)
      void ignoreRejection(first.places.renew(places, lastsMs), "the next renewal makes up for it");
  }

  function hold(place: HeldPlace): void {
    held.set(place.id, place);
    timer ??= setInterval(() => renew([...held.values()]), renewalMs).unref();
  }

  function release({ id, places }: HeldPlace, hasBegun: boolean): void {
    held.delete(id);
    if (held.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    void ignoreRejection(places.release(id, hasBegun), "the place ends by itself");
  }

  async function claim(
    caller: Caller,
    id: string,
    { isForced = false, isLetIn = false } = {},
  ): Promise<{ place: HeldPlace; answer: PlaceAnswer } | undefined> {
    try {
      const places = await open(caller);
      isCounted = places !== undefined;
      if (places === undefined) return undefined;
      const answer = await places.claim({ id, limits, lastsMs, isForced, isLetIn });
      return { answer, place: { id, places, state: "going" } };
    } catch {
      // Where the store cannot be used, this process counts for itself.
      return undefined;
    }
  }

  /** Forgets an answer whose run does not come. */
  function expire<T>(list: T[], entry: T, onExpire: (entry: T) => void): void {
    list.push(entry);
    setTimeout(() => {
      const at = list.indexOf(entry);
      if (at < 0) return;
      list.splice(at, 1);
      onExpire(entry);
    }, answerMs).unref();
  }

  function toRunPlace(found: Promise<HeldPlace | undefined>): RunPlace {
    return {
      async update(state) {
        const place = await found;
        if (place === undefined || place.state === state || !held.has(place.id)) return;
        place.state = state;
        renew([place]);
      },
      async release() {
        const place = await found;
        if (place !== undefined) release(place, true);
      },
    };
  }

  async function ask(caller: Caller): Promise<void> {
    const claimed = await claim(caller, createRandomHex());
    if (claimed === undefined) return;
    const { granted, refused } = findAnswers(caller);
    const { place, answer } = claimed;
    if (answer.refusal !== undefined) return expire(refused, toError(answer.refusal, answer, limits), () => {});
    hold(place);
    expire(granted, place, (unused) => release(unused, false));
  }

  return {
    ask: (caller) => (isCounted ? ask(caller) : undefined),
    check(caller) {
      const { granted, refused } = findAnswers(caller);
      if (granted.length === 0 && refused[0] !== undefined) throw refused[0];
    },
    take(caller, isForced) {
      if (!isCounted) return undefined;
      const { granted, refused } = findAnswers(caller);
      const place = granted.shift();
      if (place !== undefined) return toRunPlace(Promise.resolve(place));
      const refusal = isForced ? undefined : refused.shift();
      if (refusal !== undefined) throw refusal;
      const claimed = claim(caller, createRandomHex(), { isForced: true, isLetIn: isForced });
      return toRunPlace(
        claimed.then((found) => {
          if (found !== undefined) hold(found.place);
          return found?.place;
        }),
      );
    },
  };
}

function toError(
  refusal: NonNullable<PlaceAnswer["refusal"]>,
  { waiting, oldestMs }: PlaceAnswer,
  limits: PlaceLimits,
): Error {
  if (refusal === "runs") return overLimitError("rate_limit", describeTooManyRuns(limits.runs), laterMs);
  if (refusal === "waiting") return tooManyWaitingError(waiting, laterMs);
  return overLimitError("rate_limit", describeTooFast(limits.perMinute ?? 0), Math.max(0, placeMinuteMs - oldestMs));
}
