import { addUsage, type Model, noUsage, type Usage } from "../core/model.ts";
import type { ModelBill } from "../core/outcome.ts";

export type Role = "functionCall" | "answer";

/** What each of the two roles has used so far. */
export interface Statistics {
  /** One call; `cost` in US dollars, null when it is not known. */
  add(role: Role, usage: Usage, elapsedMs: number, cost: number | null): void;
  /** One more decide turn. */
  addIteration(): void;
  readonly iterations: number;
  totalTokens(): number;
  /** What all calls cost, in US dollars; null when there was none, or when what one of them cost is not known. */
  totalCost(): number | null;
  bill(role: Role, model: Model): ModelBill;
}

export function createStatistics(): Statistics {
  const used = {
    functionCall: { calls: 0, usage: noUsage, elapsedMs: 0, costs: noCosts },
    answer: { calls: 0, usage: noUsage, elapsedMs: 0, costs: noCosts },
  };
  let iterations = 0;
  return {
    addIteration() {
      iterations++;
    },
    get iterations() {
      return iterations;
    },
    add(role, usage, elapsedMs, cost) {
      const before = used[role];
      used[role] = {
        calls: before.calls + 1,
        usage: addUsage(before.usage, usage),
        elapsedMs: before.elapsedMs + elapsedMs,
        costs: [...before.costs, cost],
      };
    },
    totalCost: () => sum([...used.functionCall.costs, ...used.answer.costs]),
    totalTokens() {
      const { inputTokens, outputTokens } = addUsage(used.functionCall.usage, used.answer.usage);
      return inputTokens + outputTokens;
    },
    bill(role, model) {
      const { calls, usage, elapsedMs, costs } = used[role];
      return {
        provider: model.provider,
        model: model.model,
        calls,
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        reasoning_tokens: usage.reasoningTokens,
        cached_tokens: usage.cachedTokens,
        elapsed_ms: Math.round(elapsedMs),
        cost_usd: sum(costs),
      };
    },
  };
}

const noCosts: readonly (number | null)[] = [];

/** Rounded to a thousandth of a millionth, so that sums of fractions read as such. */
function sum(costs: readonly (number | null)[]): number | null {
  let total = 0;
  for (const cost of costs) {
    if (cost === null) return null;
    total += cost;
  }
  return costs.length === 0 ? null : Math.round(total * 1e9) / 1e9;
}
