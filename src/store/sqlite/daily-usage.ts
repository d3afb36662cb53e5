import {
  canReserve,
  type DailyUsage,
  type Spend,
  toUsageDay,
  toUsageKey,
  type UsageToday,
} from "../../core/store/daily-usage.ts";
import { dayMs } from "../../core/store/retention.ts";
import { keptUsageDays } from "../../core/store/usage-history.ts";
import type { StoreConnection } from "./connection.ts";
import type { Owner, Statements } from "./statements.ts";

/** Is how long the sums of a day are kept, in days. */
const keptDays = 31;

/** Removes sums of long ago, and what killed processes have reserved. */
export function pruneDailyUsage(
  { pruneUsage, pruneModelUsage, pruneUsageReservations }: Statements,
  now: number,
): void {
  pruneModelUsage.run({ oldest: toUsageDay(now - keptUsageDays * dayMs) });
  pruneUsage.run({ oldest: toUsageDay(now - keptDays * dayMs) });
  pruneUsageReservations.run({ now: new Date(now).toISOString() });
}

/** Counts the usage of one caller in the store's own file. */
export function createSqliteDailyUsage(
  connection: StoreConnection,
  owner: Owner,
  now: () => number = Date.now,
): DailyUsage {
  const caller = toUsageKey(owner);

  function read({ usageToday, usageReserved }: Statements): UsageToday {
    const time = now();
    return {
      used: toSpend(usageToday.get({ caller, day: toUsageDay(time) })),
      reserved: toSpend(usageReserved.get({ caller, now: new Date(time).toISOString() })),
    };
  }

  return {
    read: () => connection.read(read),
    reserve: ({ id, spend, limits, lastsMs }) =>
      connection.write((statements) => {
        const today = read(statements);
        const isGranted = canReserve(today, spend, limits);
        const until = new Date(now() + lastsMs).toISOString();
        if (isGranted) statements.putUsageReservation.run({ id, caller, ...toWhole(spend), until });
        return { ...today, isGranted };
      }),
    settle: (id, used) =>
      connection.write((statements) => {
        statements.dropUsageReservation.run({ id });
        statements.addUsage.run({ caller, day: toUsageDay(now()), ...toWhole(used) });
        return read(statements);
      }),
  };
}

function toSpend(row: Record<string, unknown> | undefined): Spend {
  return { tokens: Number(row?.tokens ?? 0), cost: Number(row?.cost ?? 0) };
}

/** The column of tokens holds whole numbers alone. */
function toWhole({ tokens, cost }: Spend): Record<"tokens" | "cost", number> {
  return { tokens: Math.ceil(tokens), cost };
}
