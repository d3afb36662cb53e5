import { createRandomHex } from "../../kit/random.ts";

/** Counts tokens and US dollars. */
export interface Spend {
  tokens: number;
  cost: number;
}

/**
 * Counts what one caller uses in a day of UTC, in all processes that share the store. A turn counts in the day in which it ends.
 */
export interface DailyUsage {
  /** Returns what was used today, and what the turns that go on have reserved. */
  read(): Promise<UsageToday>;
  /**
   * Reserves what a turn may use. A turn that would pass a limit together with others that go on is not granted, and neither is
   * one for whose caller nothing is left. A turn that is alone is granted whatever it may use. Of several concurrent calls, in
   * any process, each sees the reservations of those before it.
   */
  reserve(wanted: UsageReservation): Promise<UsageToday & { isGranted: boolean }>;
  /** Ends a reservation, which need not exist, and counts what was used. Returns all that was used today. */
  settle(id: string, used: Spend): Promise<Spend>;
}

export interface UsageToday {
  used: Spend;
  reserved: Spend;
}

/** Is what a step has used. It is counted with the record of the step, or not at all. */
export interface StepUsage {
  used: Spend;
  /** Lists the reservations that end with it, which need not exist. */
  reservations: readonly string[];
}

export interface UsageReservation {
  id: string;
  spend: Spend;
  limits: UsageLimits;
  /** Is how long the reservation lasts when its process cannot settle it, in milliseconds. */
  lastsMs: number;
}

/**
 * Returns a new name for a reservation. Of a run, it begins with the name of the run: whoever takes that over from a process that is gone
 * ends what was reserved for its turns.
 */
export function createReservationId(runId: string | undefined): string {
  return runId === undefined ? createRandomHex() : `${runId}/${createRandomHex()}`;
}

/** Limits what is used in a day. There is no limit where a value is absent. */
export interface UsageLimits {
  tokens?: number | undefined;
  cost?: number | undefined;
}

/** Limits the callers that a process remembers. The least recently active one is forgotten first. */
export const mostCallers = 100_000;

export const noSpend: Spend = { tokens: 0, cost: 0 };

export function addSpend(one: Spend, other: Spend): Spend {
  return { tokens: one.tokens + other.tokens, cost: one.cost + other.cost };
}

/** Returns true when nothing is left of one of the limits. */
export function isUsedUp(used: Spend, limits: UsageLimits): boolean {
  return usageKeys.some((key) => used[key] >= (limits[key] ?? Number.POSITIVE_INFINITY));
}

/** Returns true when a turn may begin that may use this much. */
export function canReserve({ used, reserved }: UsageToday, wanted: Spend, limits: UsageLimits): boolean {
  if (isUsedUp(used, limits)) return false;
  return usageKeys.every((key) => {
    const limit = limits[key];
    return limit === undefined || reserved[key] <= 0 || used[key] + reserved[key] + wanted[key] <= limit;
  });
}

const usageKeys = ["tokens", "cost"] as const;

/** Returns the name under which a caller's usage is counted. The operator, who has no name, has the empty one. */
export function toUsageKey(owner: string | null | undefined): string {
  return owner === null || owner === undefined ? "" : `=${owner}`;
}

/** Returns the day of UTC, such as `2026-11-26`. */
export function toUsageDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
