import type { Usage } from "../core/model/model.ts";
import type { ListPrice } from "../core/model/model-settings.ts";

/**
 * Returns the cost of one call in US dollars. Usage that is estimated has an estimated cost, so that limits of money also hold for
 * calls that were cut off and for vendors that do not count. Returns null when there is no usage at all, because the call did
 * cost something.
 */
export function calculateCost(usage: Usage, price: ListPrice): number | null {
  const { inputTokens, outputTokens, reasoningTokens, cachedTokens, cacheWriteTokens = 0 } = usage;
  if (inputTokens === 0) return null;
  const rates = findRates(price, inputTokens);
  const cached = Math.min(cachedTokens, inputTokens);
  const written = Math.min(cacheWriteTokens, inputTokens - cached);
  const output = (reasoningTokens > 0 ? rates.reasonedOutput : undefined) ?? rates.output;
  const millionths =
    (inputTokens - cached - written) * rates.input +
    cached * (rates.cachedInput ?? rates.input) +
    written * (rates.cacheWrite ?? rates.input) +
    outputTokens * output;
  return millionths / 1e6;
}

/** Returns the prices of a call with so much input: those of the highest tier that it exceeds. */
function findRates(price: ListPrice, inputTokens: number): ListPrice {
  const { above } = price;
  return above && inputTokens > above.inputTokens ? findRates(above, inputTokens) : price;
}
