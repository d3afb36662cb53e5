import type { ModelBill } from "../../core/outcome.ts";

/** Tokens of all models of a run, as OpenAI counts them: cached ones are part of the prompt's, reasoning of the completion's. */
export function toUsage(bills: readonly Tokens[]) {
  const sum = (name: keyof Tokens): number => bills.reduce((before, bill) => before + bill[name], 0);
  const [input, output] = [sum("input_tokens"), sum("output_tokens")];
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: sum("cached_tokens") },
    completion_tokens_details: { reasoning_tokens: sum("reasoning_tokens") },
  };
}

export type Tokens = Pick<ModelBill, "input_tokens" | "output_tokens" | "cached_tokens" | "reasoning_tokens">;

export type WireUsage = ReturnType<typeof toUsage>;
