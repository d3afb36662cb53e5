/**
 * Counts the runs of one owner in all processes that share the store. A run has a place while it goes on; places of a process that is gone
 * end by themselves.
 */
export interface RunPlaces {
  /** Takes a place where the limits allow one more. Of several at once, in any process, each sees those before it. */
  claim(wanted: WantedPlace): Promise<PlaceAnswer>;
  /** Says what the runs of this process do, and that they go on. */
  renew(places: readonly { id: string; state: PlaceState }[], lastsMs: number): Promise<void>;
  /** Gives a place back. A run that has begun counts within its minute; where none has, nothing does. */
  release(id: string, hasBegun: boolean): Promise<void>;
}

/** Says whether a run works, waits for a person, or waits for its client's tools, which counts as nothing. */
export type PlaceState = "going" | "waiting" | "paused";

export interface WantedPlace {
  id: string;
  limits: PlaceLimits;
  /** Is how long the place lasts without a renewal, in milliseconds. */
  lastsMs: number;
  /** Is true for a run that counts and is not refused any more. */
  isForced?: boolean | undefined;
  /** Is true for one that was let in before, and has counted within its minute. */
  isLetIn?: boolean | undefined;
}

export interface PlaceLimits {
  /** Limits the runs that go on. As many more may wait for a person. */
  runs: number;
  perMinute?: number | undefined;
}

export interface PlaceCounts {
  going: number;
  waiting: number;
  /** Counts the runs that have begun within the last minute. */
  inMinute: number;
  /** Is how long ago the first of them has begun, in milliseconds. */
  oldestMs: number;
}

export interface PlaceAnswer extends PlaceCounts {
  /** Names the limit that is reached, and is undefined where the place is taken. */
  refusal: "runs" | "waiting" | "minute" | undefined;
}

/** Is for how long a run counts that has begun, in milliseconds. */
export const placeMinuteMs = 60_000;

/** Returns the limit that one run more would pass. */
export function findRefusal({ going, waiting, inMinute }: PlaceCounts, limits: PlaceLimits): PlaceAnswer["refusal"] {
  if (going >= limits.runs) return "runs";
  if (going + waiting >= 2 * limits.runs) return "waiting";
  return inMinute >= (limits.perMinute ?? Number.POSITIVE_INFINITY) ? "minute" : undefined;
}
