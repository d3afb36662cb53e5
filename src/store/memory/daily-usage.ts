import {
  addSpend,
  canReserve,
  type DailyUsage,
  noSpend,
  type Spend,
  toUsageDay,
  type UsageToday,
} from "../../core/store/daily-usage.ts";

/** Counts the usage of one caller for as long as the process lives. */
export function createMemoryDailyUsage(now: () => number = Date.now): DailyUsage {
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

  return {
    read: async () => read(),
    async reserve({ id, spend, limits, lastsMs }) {
      const today = read();
      const isGranted = canReserve(today, spend, limits);
      if (isGranted) reservations.set(id, { spend, until: now() + lastsMs });
      return { ...today, isGranted };
    },
    async settle(id, more) {
      read();
      reservations.delete(id);
      used = addSpend(used, more);
      return read();
    },
  };
}
