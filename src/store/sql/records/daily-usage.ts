import {
  canReserve,
  type DailyUsage,
  type Spend,
  type StepUsage,
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

  function* read(time: number): Work<UsageToday> {
    const times = { day: toUsageDay(time), now: new Date(time).toISOString() };
    const row = yield* statements.usageToday.get({ caller, ...times });
    return {
      used: toSpend(row),
      reserved: { tokens: Number(row?.reserved_tokens ?? 0), cost: Number(row?.reserved_cost ?? 0) },
    };
  }

  return {
    read: () =>
      connection.read(function* () {
        return yield* read(yield* readNow());
      }),
    reserve: ({ id, spend, limits, lastsMs }) =>
      connection.writeGrouped(function* () {
        yield* lock(`usage ${caller}`);
        const time = yield* readNow();
        const today = yield* read(time);
        const isGranted = canReserve(today, spend, limits);
        const until = new Date(time + lastsMs).toISOString();
        if (isGranted) yield* statements.putUsageReservation.run({ id, caller, ...toWhole(spend), until });
        return { ...today, isGranted };
      }),
    settle: (id, used) =>
      connection.writeGrouped(function* () {
        yield* lock(`usage ${caller}`);
        return yield* countUsage(caller, { used, reservations: [id] }, yield* readNow());
      }),
  };
}

/** Counts what was used, and ends what was reserved for it. Returns all that the caller has used today. Belongs to a transaction. */
export function* countUsage(caller: string, { used, reservations }: StepUsage, time: number): Work<Spend> {
  yield* statements.dropUsageReservation.runEach(reservations.map((id) => ({ id })));
  return toSpend(yield* statements.addUsage.get({ caller, day: toUsageDay(time), ...toWhole(used) }));
}

/** Reads the columns of what was used. */
export function toSpend(row: Row | undefined): Spend {
  return { tokens: Number(row?.tokens ?? 0), cost: Number(row?.cost ?? 0) };
}

/** The column of tokens holds whole numbers alone. No step may fail because a model tells nonsense. */
export function toWhole({ tokens, cost }: Spend): Record<"tokens" | "cost", number> {
  const whole = Math.max(0, Math.min(Math.ceil(tokens), Number.MAX_SAFE_INTEGER));
  return { tokens: Number.isNaN(whole) ? 0 : whole, cost: Number.isFinite(cost) ? cost : 0 };
}
