import { addUsage, type Model, noUsage, type Usage } from "../../core/model.ts";
import type { ModelBill } from "../../core/outcome.ts";

export type Role = "functionCall" | "answer";

/** What each of the two roles has used so far. */
export interface Statistics {
  /** One model turn. */
  add(role: Role, turn: TurnBill): void;
  /** One more decide turn. */
  addIteration(): void;
  readonly iterations: number;
  totalTokens(): number;
  /** What the last turn used. */
  last(): { tokens: number; cost: number };
  /** What all calls cost as far as it is known, in US dollars. */
  knownCost(): number;
  /** What all calls cost, in US dollars; null when there was none, or when what one of them cost is not known. */
  totalCost(): number | null;
  bill(role: Role, model: Model): ModelBill;
}

/** What one model turn used, with its attempts that failed. */
export interface TurnBill {
  usage: Usage;
  elapsedMs: number;
  /** US dollars an attempt, null where it is not known; none where nothing was used. */
  costs: readonly (number | null)[];
}

export function createStatistics(): Statistics {
  const used = {
    functionCall: { calls: 0, usage: noUsage, elapsedMs: 0, costs: noCosts },
    answer: { calls: 0, usage: noUsage, elapsedMs: 0, costs: noCosts },
  };
  let iterations = 0;
  let last = { tokens: 0, cost: 0 };
  return {
    addIteration() {
      iterations++;
    },
    get iterations() {
      return iterations;
    },
    add(role, { usage, elapsedMs, costs }) {
      const before = used[role];
      last = { tokens: usage.inputTokens + usage.outputTokens, cost: known(costs) };
      used[role] = {
        calls: before.calls + 1,
        usage: addUsage(before.usage, usage),
        elapsedMs: before.elapsedMs + elapsedMs,
        costs: [...before.costs, ...costs],
      };
    },
    last: () => last,
    knownCost: () => known([...used.functionCall.costs, ...used.answer.costs]),
    totalCost: () => sumCosts([...used.functionCall.costs, ...used.answer.costs]),
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
        cost_usd: sumCosts(costs),
      };
    },
  };
}

const noCosts: readonly (number | null)[] = [];

function known(costs: readonly (number | null)[]): number {
  return costs.reduce<number>((total, cost) => total + (cost ?? 0), 0);
}

/** Null without costs or with one that is not known. Rounded to a thousandth of a millionth: sums of fractions read as such. */
export function sumCosts(costs: readonly (number | null)[]): number | null {
  let total = 0;
  for (const cost of costs) {
    if (cost === null) return null;
    total += cost;
  }
  return costs.length === 0 ? null : Math.round(total * 1e9) / 1e9;
}
