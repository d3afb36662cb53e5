import {
  canReserve,
  type DailyUsage,
  type Spend,
  toUsageDay,
  toUsageKey,
  type UsageToday,
} from "../../../core/store/daily-usage.ts";
import { dayMs } from "../../../core/store/retention.ts";
import { keptUsageDays } from "../../../core/store/usage-history.ts";
import type { StoreConnection } from "../connection.ts";
import type { Owner } from "../conversations/update-conversation.ts";
import { statements } from "../statements/statements.ts";
import { lock, type Row, type Work } from "../work.ts";

/** Is how long the sums of a day are kept, in days. */
const keptDays = 31;

/** Removes sums of long ago, and what killed processes have reserved. */
export function* pruneDailyUsage(now: number): Work<void> {
  yield* statements.pruneModelUsage.run({ oldest: toUsageDay(now - keptUsageDays * dayMs) });
  yield* statements.pruneUsage.run({ oldest: toUsageDay(now - keptDays * dayMs) });
  yield* statements.pruneUsageReservations.run({ now: new Date(now).toISOString() });
}

/** Counts the usage of one caller in the store's own file. */
export function createSqlDailyUsage(
  connection: StoreConnection,
  owner: Owner,
  readNow: () => Work<number>,
): DailyUsage {
  const caller = toUsageKey(owner);

  function* read(): Work<UsageToday> {
    const time = yield* readNow();
    return {
      used: toSpend(yield* statements.usageToday.get({ caller, day: toUsageDay(time) })),
      reserved: toSpend(yield* statements.usageReserved.get({ caller, now: new Date(time).toISOString() })),
    };
  }

  return {
    read: () => connection.read(read),
    reserve: ({ id, spend, limits, lastsMs }) =>
      connection.write(function* () {
        yield* lock(`usage ${caller}`);
        const today = yield* read();
        const isGranted = canReserve(today, spend, limits);
        const until = new Date((yield* readNow()) + lastsMs).toISOString();
        if (isGranted) yield* statements.putUsageReservation.run({ id, caller, ...toWhole(spend), until });
        return { ...today, isGranted };
      }),
    settle: (id, used) =>
      connection.write(function* () {
        yield* lock(`usage ${caller}`);
        yield* statements.dropUsageReservation.run({ id });
        yield* statements.addUsage.run({ caller, day: toUsageDay(yield* readNow()), ...toWhole(used) });
        return yield* read();
      }),
  };
}

function toSpend(row: Row | undefined): Spend {
  return { tokens: Number(row?.tokens ?? 0), cost: Number(row?.cost ?? 0) };
}

/** The column of tokens holds whole numbers alone. */
function toWhole({ tokens, cost }: Spend): Record<"tokens" | "cost", number> {
  return { tokens: Math.ceil(tokens), cost };
}
