import type { ReasoningAllowance } from "../core/model/model-settings.ts";

/**
 * Holds what is added to an output limit into which a vendor counts hidden reasoning, in tokens: several times what models use
 * for a common question, because only what is used is paid.
 */
const allowances = {
  minimal: 2_000,
  low: 4_000,
  medium: 16_000,
  high: 32_000,
  xhigh: 64_000,
  max: 64_000,
  ultra: 64_000,
};
/** Is for models that reason only with an effort. */
export const allowNone: ReasoningAllowance = { ...allowances, default: 0 };
/** Is for models that reason with a medium effort by themselves. */
export const allowMedium: ReasoningAllowance = { ...allowances, default: allowances.medium };
/** Is for models that reason with a high effort by themselves. */
export const allowHigh: ReasoningAllowance = { ...allowances, default: allowances.high };
/** Older models of Claude get the allowance as a budget, and think no longer than that. */
export const allowBudget: ReasoningAllowance = {
  low: 1024,
  medium: 4096,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
  default: 0,
};
