import type { Usage } from "../core/model.ts";
import type { ModelSettings, Price } from "../core/model-settings.ts";
import prices from "./prices.json" with { type: "json" };

/** A price as the list has it. */
export interface ListPrice extends Price {
  /** Output of a turn in which the model reasoned, where that is dearer. */
  reasonedOutput?: number;
  /** What holds for a whole call whose input is longer than this. */
  above?: Price & { inputTokens: number };
}

const list: Readonly<Record<string, Readonly<Record<string, ListPrice>>>> = prices.models;

/** The day for which the list holds. */
export const pricesDate: string = prices.date;

/**
 * What a model costs: what the user says, else what the list says of exactly this model, or of the one that it is a
 * dated version of. Undefined when neither does: nothing is guessed from a name that looks alike. DeepSeek bills by the
 * hour of the day; the list has its peak prices, so that the true cost is never higher.
 */
export function findPrice({ price, provider, model, servedAs }: ModelSettings): ListPrice | undefined {
  return price ?? listed(vendorOf[provider] ?? provider, servedAs ?? model);
}

/** The models of a vendor that the list knows, without dated versions of those that stand there without a date. */
export function listModels(provider: string): string[] {
  const vendor = vendorOf[provider] ?? provider;
  const models = Object.keys((Object.hasOwn(list, vendor) ? list[vendor] : undefined) ?? {});
  return models.filter((model) => !models.some((other) => other !== model && other === undated(model)));
}

/** A vendor's other regions have its prices. */
const vendorOf: Readonly<Record<string, string>> = { "qwen-intl": "qwen", "qwen-us": "qwen" };

function listed(provider: string, model: string): ListPrice | undefined {
  const models = Object.hasOwn(list, provider) ? list[provider] : undefined;
  const known = [model, undated(model)].find((name) => models && Object.hasOwn(models, name));
  return known === undefined ? undefined : models?.[known];
}

function undated(model: string): string {
  return model.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, "");
}

/** What one call cost, in US dollars. Null without its vendor's count: a call whose tokens nobody counted did cost something. */
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
