import { addUsage, type Model, noUsage, type Usage } from "../core/model.ts";
import type { ModelBill } from "../core/outcome.ts";

export type Role = "functionCall" | "answer";

/** What each of the two roles has used so far. */
export interface Statistics {
  add(role: Role, usage: Usage, elapsedMs: number): void;
  /** One more decide turn. */
  addIteration(): void;
  readonly iterations: number;
  totalTokens(): number;
  bill(role: Role, model: Model): ModelBill;
}

export function createStatistics(): Statistics {
  const used = {
    functionCall: { calls: 0, usage: noUsage, elapsedMs: 0 },
    answer: { calls: 0, usage: noUsage, elapsedMs: 0 },
  };
  let iterations = 0;
  return {
    addIteration() {
      iterations++;
    },
    get iterations() {
      return iterations;
    },
    add(role, usage, elapsedMs) {
      const before = used[role];
      used[role] = {
        calls: before.calls + 1,
        usage: addUsage(before.usage, usage),
        elapsedMs: before.elapsedMs + elapsedMs,
      };
    },
    totalTokens() {
      const { inputTokens, outputTokens } = addUsage(used.functionCall.usage, used.answer.usage);
      return inputTokens + outputTokens;
    },
    bill(role, model) {
      const { calls, usage, elapsedMs } = used[role];
      return {
        provider: model.provider,
        model: model.model,
        calls,
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        reasoning_tokens: usage.reasoningTokens,
        cached_tokens: usage.cachedTokens,
        elapsed_ms: Math.round(elapsedMs),
        cost_usd: null,
      };
    },
  };
}
