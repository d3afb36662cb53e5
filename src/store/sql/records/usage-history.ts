import { toUsageKey } from "../../../core/store/daily-usage.ts";
import type { UsageHistory } from "../../../core/store/usage-history.ts";
import { toText } from "../../../kit/json.ts";
import type { StoreConnection } from "../connection.ts";
import { statements } from "../statements/statements.ts";

/** Keeps the history in the store's own file. */
export function createSqlUsageHistory(connection: StoreConnection): UsageHistory {
  return {
    add: (entries) =>
      connection.write(function* () {
        for (const { owner, tokens, ...entry } of entries)
          yield* statements.addModelUsage.run({ ...entry, caller: toUsageKey(owner), tokens: Math.ceil(tokens) });
      }),
    async list(since, { limit, offset }) {
      const rows = await connection.read(() => statements.modelUsage.all({ since, limit, offset }));
      return rows.map(({ day, model, caller, runs, tokens, cost, unpriced }) => ({
        ...{ day: toText(day), model: toText(model), owner: toOwnerName(toText(caller)) },
        ...{ runs: Number(runs), tokens: Number(tokens), cost: Number(cost), unpriced: Number(unpriced) },
      }));
    },
    async total(since, by, most) {
      const totals = by === "model" ? statements.modelTotals : statements.callerTotals;
      const rows = await connection.read(() => totals.all({ since, most }));
      return rows.map(({ name, day, tokens, cost, unpriced }) => ({
        ...{ day: toText(day), isRest: name === null },
        name: name === null ? undefined : by === "model" ? toText(name) : toOwnerName(toText(name)),
        ...{ tokens: Number(tokens), cost: Number(cost), isPriced: Number(unpriced) === 0 },
      }));
    },
  };
}

/** Reads the name that `toUsageKey` has written. */
function toOwnerName(key: string): string | undefined {
  return key === "" ? undefined : key.slice(1);
}
