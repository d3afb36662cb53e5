import { addUsage, type Model, noUsage } from "../../core/model.ts";
import type { ModelBill } from "../../core/outcome.ts";
import type { AsideBill } from "../../core/turn-budget.ts";

export type ModelRole = "functionCall" | "answer";

/** Counts what each of the two roles has used so far. */
export interface Statistics {
  add(role: ModelRole, turn: TurnBill): void;
  /** Counts a model call beside the turns of the run, which says nothing about what the next turn needs. */
  addAside(role: ModelRole, bill: TurnBill): void;
  addIteration(): void;
  readonly iterations: number;
  totalTokens(): number;
  /** Returns what the last turn used. */
  last(): { tokens: number; cost: number };
  /** Returns the known part of the cost of all calls, in US dollars. */
  knownCost(): number;
  /** Returns the cost of all calls in US dollars, or null when there was no call or the cost of one is not known. */
  totalCost(): number | null;
  bill(role: ModelRole, model: Model): ModelBill;
}

/** Holds what one model turn used, including its failed attempts. The costs are empty when nothing was used. */
export interface TurnBill extends AsideBill {
  /** Is what the output limit allowed for hidden reasoning, in tokens. */
  allowance?: number | undefined;
}

export function createStatistics(): Statistics {
  const used = {
    functionCall: { calls: 0, usage: noUsage, elapsedMs: 0, allowance: 0, costs: noCosts },
    answer: { calls: 0, usage: noUsage, elapsedMs: 0, allowance: 0, costs: noCosts },
  };
  let iterations = 0;
  let last = { tokens: 0, cost: 0 };

  function addAside(role: ModelRole, { usage, elapsedMs, costs, allowance = 0 }: TurnBill): void {
    const before = used[role];
    used[role] = {
      calls: before.calls + 1,
      usage: addUsage(before.usage, usage),
      elapsedMs: before.elapsedMs + elapsedMs,
      allowance: before.allowance + allowance,
      costs: [...before.costs, ...costs],
    };
  }

  return {
    addIteration() {
      iterations++;
    },
    get iterations() {
      return iterations;
    },
    add(role, turn) {
      const { usage, costs } = turn;
      last = { tokens: usage.inputTokens + usage.outputTokens, cost: sumKnownCosts(costs) };
      addAside(role, turn);
    },
    addAside,
    last: () => last,
    knownCost: () => sumKnownCosts([...used.functionCall.costs, ...used.answer.costs]),
    totalCost: () => sumCosts([...used.functionCall.costs, ...used.answer.costs]),
    totalTokens() {
      const { inputTokens, outputTokens } = addUsage(used.functionCall.usage, used.answer.usage);
      return inputTokens + outputTokens;
    },
    bill(role, model) {
      const { calls, usage, elapsedMs, allowance, costs } = used[role];
      return {
        provider: model.provider,
        model: model.model,
        calls,
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        reasoning_tokens: usage.reasoningTokens,
        ...(allowance > 0 && { reasoning_allowance: allowance }),
        cached_tokens: usage.cachedTokens,
        elapsed_ms: Math.round(elapsedMs),
        cost_usd: sumCosts(costs),
      };
    },
  };
}

const noCosts: readonly (number | null)[] = [];

function sumKnownCosts(costs: readonly (number | null)[]): number {
  return costs.reduce<number>((total, cost) => total + (cost ?? 0), 0);
}

/**
 * Returns null when there are no costs or one is not known. The sum is rounded to a billionth, which hides the rounding errors
 * of fractions.
 */
export function sumCosts(costs: readonly (number | null)[]): number | null {
  let total = 0;
  for (const cost of costs) {
    if (cost === null) return null;
    total += cost;
  }
  return costs.length === 0 ? null : Math.round(total * 1e9) / 1e9;
}
