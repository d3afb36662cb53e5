import { Breaker } from "./breaker.ts";
import { RetryBudget } from "./retry-budget.ts";

/** What the callers of one address share. */
export interface Endpoint {
  breaker: Breaker;
  budget: RetryBudget;
}

/** The state of every provider's address; made once for a process, so that all its runs share it. */
export interface Endpoints {
  at(baseUrl: string): Endpoint;
}

export function createEndpoints(options: { now?: () => number } = {}): Endpoints {
  const known = new Map<string, Endpoint>();
  return {
    at(baseUrl) {
      const endpoint = known.get(baseUrl) ?? { breaker: new Breaker(options), budget: new RetryBudget(options) };
      known.set(baseUrl, endpoint);
      return endpoint;
    },
  };
}
