import {
  addSpend,
  canReserve,
  type DailyUsage,
  noSpend,
  type Spend,
  type StepUsage,
  toUsageDay,
  type UsageToday,
} from "../../core/store/daily-usage.ts";

export interface MemoryDailyUsage extends DailyUsage {
  /** Counts what a step has used. Returns all that was used today. */
  count(step: StepUsage): Spend;
}

/** Counts the usage of one caller for as long as the process lives. */
export function createMemoryDailyUsage(now: () => number = Date.now): MemoryDailyUsage {
  const reservations = new Map<string, { spend: Spend; until: number }>();
  let day = "";
  let used = noSpend;

  function read(): UsageToday {
    const time = now();
    const today = toUsageDay(time);
    if (today !== day) used = noSpend;
    day = today;
    for (const [id, { until }] of reservations) if (until <= time) reservations.delete(id);
    return { used, reserved: reservations.values().reduce((sum, { spend }) => addSpend(sum, spend), noSpend) };
  }

  function count(step: StepUsage): Spend {
    read();
    for (const id of step.reservations) reservations.delete(id);
    used = addSpend(used, step.used);
    return used;
  }

  return {
    read: async () => read(),
    async reserve({ id, spend, limits, lastsMs }) {
      const today = read();
      const isGranted = canReserve(today, spend, limits);
      if (isGranted) reservations.set(id, { spend, until: now() + lastsMs });
      return { ...today, isGranted };
    },
    settle: async (id, more) => count({ used: more, reservations: [id] }),
    count,
  };
}
