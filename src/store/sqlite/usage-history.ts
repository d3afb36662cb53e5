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
    list: (since) =>
      connection.read(({ modelUsage }) =>
        modelUsage.all({ since }).map(({ day, model, caller, runs, tokens, cost, unpriced }) => ({
          ...{ day: toText(day), model: toText(model), owner: toOwnerName(toText(caller)) },
          ...{ runs: Number(runs), tokens: Number(tokens), cost: Number(cost), unpriced: Number(unpriced) },
        })),
      ),
  };
}

/** Reads the name that `toUsageKey` has written. */
function toOwnerName(key: string): string | undefined {
  return key === "" ? undefined : key.slice(1);
}
