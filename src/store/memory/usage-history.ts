import { toUsageDay, toUsageKey } from "../../core/store/daily-usage.ts";
import { dayMs } from "../../core/store/retention.ts";
import { keptUsageDays, type UsageEntry, type UsageHistory, type UsageTotal } from "../../core/store/usage-history.ts";

/** Keeps the history for as long as the process lives. */
export function createMemoryUsageHistory(now: () => number): UsageHistory {
  const entries = new Map<string, UsageEntry>();
  function listSince(since: string): UsageEntry[] {
    return [...entries.values()].filter(({ day }) => day >= since);
  }

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
    async list(since, { limit, offset }) {
      return listSince(since)
        .sort(
          (one, other) =>
            compare(other.day, one.day) ||
            compare(toUsageKey(other.owner), toUsageKey(one.owner)) ||
            compare(other.model, one.model),
        )
        .slice(offset, offset + limit);
    },
    async total(since, by, most) {
      const groups = [...Map.groupBy(listSince(since), (entry) => entry[by])].map(([name, own]) => ({
        name,
        own,
        ...addUp(own),
      }));
      groups.sort(
        (one, other) => other.cost - one.cost || other.tokens - one.tokens || compare(one.name ?? "", other.name ?? ""),
      );
      const rest = groups.slice(most).flatMap(({ own }) => own);
      return [
        ...groups.slice(0, most).flatMap(({ name, own }) => toTotals(name, own, false)),
        ...toTotals(undefined, rest, true),
      ];
    },
  };
}

function toTotals(name: string | undefined, entries: readonly UsageEntry[], isRest: boolean): UsageTotal[] {
  const days = [...Map.groupBy(entries, ({ day }) => day)].sort(([one], [other]) => compare(one, other));
  return days.map(([day, own]) => ({ day, name, isRest, ...addUp(own) }));
}

function addUp(entries: readonly UsageEntry[]): Pick<UsageTotal, "tokens" | "cost" | "isPriced"> {
  return {
    tokens: entries.reduce((sum, { tokens }) => sum + tokens, 0),
    cost: entries.reduce((sum, { cost }) => sum + cost, 0),
    isPriced: entries.every(({ unpriced }) => unpriced === 0),
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
