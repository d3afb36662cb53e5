import { type Notice, toModelName } from "../../core/model.ts";
import { type Locale, say } from "../../kit/errors.ts";
import type { Models } from "../run.ts";
import type { Limits } from "./run-clock.ts";

/** Returns a notice when there is a cost budget and the price of a model is not known. */
export function findUnknownPrice(limits: Limits, models: Models, locale: Locale): Notice | undefined {
  const unknown = [models.functionCall, models.answer].find(({ cost }) => cost?.(anyUsage) == null);
  if (limits.costBudget === undefined || unknown === undefined) return undefined;
  const name = toModelName(unknown);
  const message = say(locale, {
    zh: `${name} 的价格未知，费用上限对它不起作用；可在 providers 中用 prices 设置。`,
    en: `The price of ${name} is not known, so the cost budget does not count it; set it under providers, prices.`,
  });
  return { type: "notice", level: "warning", code: "price-unknown", message };
}

const anyUsage = { inputTokens: 1, outputTokens: 1, reasoningTokens: 0, cachedTokens: 0 };
