import type { Usage } from "../core/model.ts";
import type { ModelSettings, Price } from "../core/model-settings.ts";
import prices from "./prices.json" with { type: "json" };

export interface ListPrice extends Price {
  /** Holds the output price of a turn in which the model reasoned, if that price is higher. */
  reasonedOutput?: number;
  /** Applies to the whole call when its input is longer than `inputTokens`. */
  above?: Price & { inputTokens: number };
}

const list: Readonly<Record<string, Readonly<Record<string, ListPrice>>>> = prices.models;

export const pricesDate: string = prices.date;

/**
 * Returns the price from the user's settings, otherwise the list's price of exactly this model or of the model that it is a
 * dated version of. Returns undefined when neither exists; nothing is guessed from a similar name. DeepSeek's prices vary by the
 * hour of the day; the list has its peak prices, so that the true cost is never higher.
 */
export function findPrice({ price, provider, model, servedAs }: ModelSettings): ListPrice | undefined {
  return price ?? findListed(vendorOf[provider] ?? provider, servedAs ?? model);
}

/** Lists the vendor's models in the price list, without dated versions of models that are also listed without a date. */
export function listModels(provider: string): string[] {
  const vendor = vendorOf[provider] ?? provider;
  const models = Object.keys((Object.hasOwn(list, vendor) ? list[vendor] : undefined) ?? {});
  return models.filter((model) => !models.some((other) => other !== model && other === removeDate(model)));
}

/** A vendor charges the same prices in its other regions. */
const vendorOf: Readonly<Record<string, string>> = { "qwen-intl": "qwen", "qwen-us": "qwen" };

function findListed(provider: string, model: string): ListPrice | undefined {
  const models = Object.hasOwn(list, provider) ? list[provider] : undefined;
  const known = [model, removeDate(model)].find((name) => models && Object.hasOwn(models, name));
  return known === undefined ? undefined : models?.[known];
}

function removeDate(model: string): string {
  return model.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, "");
}

/**
 * Returns the cost of one call in US dollars. Returns null when the vendor reported no usage, because the call did cost
 * something.
 */
export function calculateCost(usage: Usage, price: ListPrice): number | null {
  const { inputTokens, outputTokens, reasoningTokens, cachedTokens, cacheWriteTokens = 0 } = usage;
  if (inputTokens === 0 || usage.estimated) return null;
  const { above } = price;
  const rates: ListPrice = above && inputTokens > above.inputTokens ? above : price;
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
