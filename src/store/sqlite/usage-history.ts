import { toUsageKey } from "../../core/store/daily-usage.ts";
import type { UsageHistory } from "../../core/store/usage-history.ts";
import { toText } from "../../kit/json.ts";
import type { StoreConnection } from "./connection.ts";

/** Keeps the history in the store's own file. */
export function createSqliteUsageHistory(connection: StoreConnection): UsageHistory {
  return {
    add: (entries) =>
      connection.write(({ addModelUsage }) => {
        for (const { owner, tokens, ...entry } of entries)
          addModelUsage.run({ ...entry, caller: toUsageKey(owner), tokens: Math.ceil(tokens) });
      }),
    list: (since, { limit, offset }) =>
      connection.read(({ modelUsage }) =>
        modelUsage.all({ since, limit, offset }).map(({ day, model, caller, runs, tokens, cost, unpriced }) => ({
          ...{ day: toText(day), model: toText(model), owner: toOwnerName(toText(caller)) },
          ...{ runs: Number(runs), tokens: Number(tokens), cost: Number(cost), unpriced: Number(unpriced) },
        })),
      ),
    total: (since, by, most) =>
      connection.read(({ modelTotals, callerTotals }) =>
        (by === "model" ? modelTotals : callerTotals)
          .all({ since, most })
          .map(({ name, day, tokens, cost, unpriced }) => ({
            ...{ day: toText(day), isRest: name === null },
            name: name === null ? undefined : by === "model" ? toText(name) : toOwnerName(toText(name)),
            ...{ tokens: Number(tokens), cost: Number(cost), isPriced: Number(unpriced) === 0 },
          })),
      ),
  };
}

/** Reads the name that `toUsageKey` has written. */
function toOwnerName(key: string): string | undefined {
  return key === "" ? undefined : key.slice(1);
}
