import type * as z from "zod";
import type { Config } from "../../config/config.ts";
import type { Caller } from "../../core/caller.ts";
import type { ownUsageSchema } from "../../core/schemas/own-usage-schema.ts";
import { mostCallers, noSpend, type Spend, toUsageDay } from "../../core/store/daily-usage.ts";
import { dayMs } from "../../core/store/retention.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { RunService } from "../../runs/run-service.ts";
import type { Route } from "../http/routes.ts";
import { toJsonResponse } from "./json-response.ts";

/** Names the part of the configuration that limits what each owner of conversations may use. */
export interface BudgetConfig {
  agent: { budgets: Config["agent"]["budgets"] };
}

/** Serves to each caller the caller's own limits, and what is used of them. */
export function createOwnUsageRoute(service: RunService, { agent: { budgets } }: BudgetConfig): Route {
  const { duet, runs, settings } = service;
  const { tokensPerDay, costPerDay, maxRuns, runsPerMinute } = settings.limits;
  const most = {
    tokens: chooseSmaller(tokensPerDay, budgets.tokensPerDay),
    cost: chooseSmaller(costPerDay, budgets.costPerDay),
  };
  const isCounted = most.tokens !== null || most.cost !== null;

  /** What is held to a limit is counted turn by turn, and everything else when its run has ended. */
  async function readToday(caller: Caller): Promise<Spend> {
    const { dailyUsage } = await duet.store(caller);
    if (isCounted && dailyUsage !== undefined) return (await dailyUsage.read()).used;
    const history = await duet.usageHistory();
    const totals = (await history?.total(toUsageDay(Date.now()), "owner", mostCallers)) ?? [];
    return totals.find(({ name, isRest }) => name === caller.owner && !isRest) ?? noSpend;
  }

  return {
    async GET({ caller }) {
      const today = (await ignoreRejection(readToday(caller), "the monitor of the store reports it")) ?? noSpend;
      const use = runs.countOwn(caller);
      return toJsonResponse({
        caller: caller.owner ?? null,
        tokens_today: { used: today.tokens, limit: most.tokens },
        cost_usd_today: { used: today.cost, limit: most.cost },
        resets_at: new Date((Math.floor(Date.now() / dayMs) + 1) * dayMs).toISOString(),
        runs_now: { used: use.now, limit: maxRuns },
        runs_per_minute: { used: use.inMinute, limit: runsPerMinute ?? null },
      } satisfies z.infer<typeof ownUsageSchema>);
    },
  };
}

function chooseSmaller(one: number | undefined, other: number | undefined): number | null {
  const both = [one, other].filter((each) => each !== undefined);
  return both.length === 0 ? null : Math.min(...both);
}
