import { toModelName } from "../../core/model.ts";
import type { ModelSettings } from "../../core/model-settings.ts";
import { type ErrorCode, toSeconds } from "../../kit/errors.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { RetryBudget } from "./retry-budget.ts";

/** What the callers of one model share. */
export interface Endpoint {
  /** Of the model at its address. */
  breaker: CircuitBreaker;
  /** Of the address: the retries of all its models together. */
  budget: RetryBudget;
}

/** A model that is not asked for a while, because it failed for run after run. */
export interface PausedModel {
  /** `provider/model` */
  model: string;
  retry_after_s: number;
  /** What it failed of the last time. */
  error: ErrorCode;
}

/** The state of every model that was called; made once for a process, so that all its runs share it. */
export interface Endpoints {
  of(settings: Pick<ModelSettings, "provider" | "model" | "servedAs" | "baseUrl">): Endpoint;
  paused(): PausedModel[];
}

export function createEndpoints(options: { now?: () => number } = {}): Endpoints {
  const budgets = new Map<string, RetryBudget>();
  const breakers = new Map<string, { breaker: CircuitBreaker; names: Set<string> }>();
  return {
    of(settings) {
      const { baseUrl, model, servedAs = model } = settings;
      const budget = budgets.get(baseUrl) ?? new RetryBudget(options);
      budgets.set(baseUrl, budget);
      const key = JSON.stringify([baseUrl, servedAs]);
      const known = breakers.get(key) ?? { breaker: new CircuitBreaker(options), names: new Set() };
      known.names.add(toModelName(settings));
      breakers.set(key, known);
      return { breaker: known.breaker, budget };
    },
    paused: () =>
      [...breakers.values()].flatMap(({ breaker, names }) => {
        const { pause } = breaker;
        if (pause === undefined) return [];
        return [...names].map((model) => ({
          model,
          retry_after_s: toSeconds(pause.leftMs),
          error: pause.last.code,
        }));
      }),
  };
}
