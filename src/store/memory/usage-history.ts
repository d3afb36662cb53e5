import { toUsageDay } from "../../core/store/daily-usage.ts";
import { dayMs } from "../../core/store/retention.ts";
import { keptUsageDays, type UsageEntry, type UsageHistory } from "../../core/store/usage-history.ts";

/** Keeps the history for as long as the process lives. */
export function createMemoryUsageHistory(now: () => number): UsageHistory {
  const entries = new Map<string, UsageEntry>();
  return {
    async add(added) {
      const oldest = toUsageDay(now() - keptUsageDays * dayMs);
      for (const [key, { day }] of entries) if (day < oldest) entries.delete(key);
      for (const { runs, tokens, cost, unpriced, ...about } of added) {
        const key = JSON.stringify([about.day, about.owner ?? null, about.model]);
        const sum = entries.get(key) ?? { ...about, runs: 0, tokens: 0, cost: 0, unpriced: 0 };
        sum.runs += runs;
        sum.tokens += Math.ceil(tokens);
        sum.cost += cost;
        sum.unpriced += unpriced;
        entries.set(key, sum);
      }
    },
    async list(since) {
      const found = [...entries.values()].filter(({ day }) => day >= since);
      return found.sort((one, other) => (one.day < other.day ? -1 : Number(one.day > other.day)));
    },
  };
}
