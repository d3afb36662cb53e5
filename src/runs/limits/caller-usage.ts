import {
  addSpend,
  canReserve,
  createReservationId,
  type DailyUsage,
  noSpend,
  type Spend,
  toUsageDay,
  type UsageLimits,
  type UsageReservation,
} from "../../core/store/daily-usage.ts";

/**
 * Counts what one caller uses in a day: in the store, which other processes share, and in memory for as long as the store fails.
 * Only `settleWith` rejects.
 */
export interface CallerUsage {
  /** Returns what was used today, as far as this process knows. */
  known(): Spend;
  /** Learns what was used today, if this process does not know it yet. */
  load(): Promise<void>;
  /** Reserves what a turn may use. Returns the id of the reservation, and undefined when it is not granted. */
  reserve(wanted: WantedReservation): Promise<string | undefined>;
  /** Ends a reservation, if an id is given, and counts what was used. */
  settle(id: string | undefined, used: Spend): Promise<void>;
  /** Ends a reservation with what ends it in the store, as `TurnReservation` says. */
  settleWith(id: string | undefined, used: Spend, recording: Promise<Spend | undefined>): Promise<void>;
}

export interface WantedReservation extends Pick<UsageReservation, "spend" | "lastsMs"> {
  runId: string | undefined;
}

export interface CallerUsageOptions {
  limits: UsageLimits;
  /** Opens the caller's part of the store. Returns undefined for a store that does not count. */
  open: () => Promise<DailyUsage | undefined>;
  now: () => number;
}

export function createCallerUsage({ limits, open, now }: CallerUsageOptions): CallerUsage {
  let day = "";
  /** Is what the store said last. */
  let stored: Spend | undefined;
  /** Is what this process could not store. It is stored with the next turn that can be. */
  let owed = noSpend;
  /** Is what is being stored at this moment. */
  const pending = new Set<Spend>();
  /** Holds the reservations of this process, and whether the store holds them too. */
  const going = new Map<string, { spend: Spend; isStored: boolean }>();
  /** Names those that the store still holds although their turns have ended. They end there with the next turn that can be stored. */
  let ended: string[] = [];

  /** A new day begins with nothing used. What could not be stored of the old one no longer matters. */
  function turnDay(): void {
    const today = toUsageDay(now());
    if (today === day) return;
    day = today;
    stored = undefined;
    owed = noSpend;
  }

  function getKnown(): Spend {
    turnDay();
    return [...pending, owed].reduce(addSpend, stored ?? noSpend);
  }

  /** Returns undefined when the store cannot be used. */
  async function tryStore<T>(work: (usage: DailyUsage) => Promise<T>): Promise<T | undefined> {
    try {
      const usage = await open();
      return usage && (await work(usage));
    } catch {
      // What the store does not count, this process does.
      return undefined;
    }
  }

  async function settle(id: string | undefined, used: Spend): Promise<void> {
    turnDay();
    const earlier = ended;
    ended = [];
    const kept = id !== undefined && going.get(id)?.isStored ? [id] : [];
    if (id !== undefined) going.delete(id);
    const due = addSpend(owed, used);
    owed = noSpend;
    pending.add(due);
    const today = await tryStore(async (usage) => {
      for (const each of earlier) await usage.settle(each, noSpend);
      return usage.settle(id ?? "", due);
    });
    pending.delete(due);
    if (today !== undefined) {
      stored = today;
      return;
    }
    owed = addSpend(owed, due);
    ended.push(...earlier, ...kept);
  }

  async function settleWith(id: string | undefined, used: Spend, recording: Promise<Spend | undefined>): Promise<void> {
    turnDay();
    pending.add(used);
    try {
      const today = await recording;
      if (id !== undefined) going.delete(id);
      stored = today ?? addSpend(stored ?? noSpend, used);
    } finally {
      pending.delete(used);
    }
  }

  return {
    known: getKnown,
    settle,
    settleWith,
    async load() {
      turnDay();
      if (stored !== undefined) return;
      stored = (await tryStore((usage) => usage.read()))?.used ?? stored;
    },
    async reserve({ runId, ...wanted }) {
      turnDay();
      if (owed.tokens > 0 || owed.cost > 0 || ended.length > 0) await settle(undefined, noSpend);
      const id = createReservationId(runId);
      const answer = await tryStore((usage) => usage.reserve({ ...wanted, id, limits }));
      if (answer !== undefined) stored = answer.used;
      const reserved = [...going.values()].map(({ spend }) => spend).reduce(addSpend, noSpend);
      const isGranted = answer?.isGranted ?? canReserve({ used: getKnown(), reserved }, wanted.spend, limits);
      if (!isGranted) return undefined;
      going.set(id, { spend: wanted.spend, isStored: answer !== undefined });
      return id;
    },
  };
}
