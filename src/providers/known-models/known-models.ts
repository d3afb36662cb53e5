import type { ModelCapabilities } from "../../core/model/model.ts";
import type { ListPrice, ModelSettings, Price } from "../../core/model/model-settings.ts";
import { vendors } from "../vendors.ts";
import { findList, type KnownRow, type ModelList } from "./lists.ts";

/** Holds what the public lists say of a model. What they do not know is absent. */
export interface KnownModel {
  contextWindow?: number | undefined;
  maxOutput?: number | undefined;
  capabilities: ModelCapabilities;
  price?: ListPrice | undefined;
  /** Is the date of the list. */
  date: string;
}

/**
 * Finds exactly this model, or the one that it is a dated version of, in its vendor's list. Nothing is guessed from a similar name.
 * DeepSeek's prices vary by the hour of the day; the list has its peak prices, so that the true cost is never higher. The price
 * of a cache write is that of an entry kept for five minutes.
 */
export async function findKnownModel({
  provider,
  model,
  servedAs = model,
}: Pick<ModelSettings, "provider" | "model" | "servedAs">): Promise<KnownModel | undefined> {
  const list = await loadList(provider);
  const name = [servedAs, removeDate(servedAs)].find((each) => list && Object.hasOwn(list.models, each));
  const row = name === undefined ? undefined : list?.models[name];
  if (list === undefined || row === undefined) return undefined;
  return {
    contextWindow: row.window,
    maxOutput: row.output,
    capabilities: readCapabilities(row.can),
    price: readPrice(row),
    date: list.date,
  };
}

/** Lists the vendor's models without dated versions of models that are also listed without a date. */
export async function listKnownModels(provider: string): Promise<string[]> {
  const models = Object.keys((await loadList(provider))?.models ?? {});
  const all = new Set(models);
  return models.filter((model) => removeDate(model) === model || !all.has(removeDate(model)));
}

/**
 * Adds what is known of the model to its settings. What the settings say already comes first: the user's values, and those of the
 * vendor's row.
 */
export async function addKnownFacts(settings: ModelSettings): Promise<ModelSettings> {
  const known = await findKnownModel(settings);
  return {
    ...settings,
    contextWindow: settings.contextWindow ?? known?.contextWindow,
    maxOutput: settings.maxOutput ?? known?.maxOutput,
    price: settings.price ?? known?.price,
    capabilities: mergeCapabilities(settings, known?.capabilities),
  };
}

/** Returns what the user says the model can do, then what follows from the vendor's row, then what the list says. */
export function mergeCapabilities(
  { capabilities, quirks }: Pick<ModelSettings, "capabilities" | "quirks">,
  listed: ModelCapabilities = {},
): ModelCapabilities {
  const { noReasoning, alwaysReasons } = quirks;
  const reasons = noReasoning || alwaysReasons ? { reasoning: !noReasoning } : {};
  return { ...listed, ...reasons, ...capabilities };
}

/** A vendor has the same models at the same prices in its other regions, unless a region has a list of its own. */
async function loadList(provider: string): Promise<ModelList | undefined> {
  const vendor = Object.hasOwn(vendors, provider) ? vendors[provider] : undefined;
  if (vendor === undefined) return undefined;
  return (await findList(provider)) ?? (vendor.regionOf === undefined ? undefined : findList(vendor.regionOf));
}

function removeDate(model: string): string {
  return model.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, "");
}

const capabilityLetters = {
  t: "functionCalling",
  v: "vision",
  s: "structuredOutput",
  r: "reasoning",
} as const satisfies Record<string, keyof ModelCapabilities>;

/** Reads a capital as what the model can do, and a small letter as what it cannot. */
function readCapabilities(letters = ""): ModelCapabilities {
  const known: ModelCapabilities = {};
  for (const [letter, name] of Object.entries(capabilityLetters)) {
    if (letters.includes(letter.toUpperCase())) known[name] = true;
    else if (letters.includes(letter)) known[name] = false;
  }
  return known;
}

function readPrice({ price, tiers = [], reasoned }: KnownRow): ListPrice | undefined {
  const rates = readRates(price);
  if (rates === undefined) return undefined;
  let above: ListPrice["above"];
  for (const [inputTokens, ...tier] of tiers.toReversed()) {
    const higher = readRates(tier);
    if (typeof inputTokens !== "number" || higher === undefined) return undefined;
    above = { inputTokens, ...higher, ...(above && { above }) };
  }
  return { ...rates, ...(reasoned !== undefined && { reasonedOutput: reasoned }), ...(above && { above }) };
}

/** Reads input, output, cached input and cache writes, of which the last two may be missing. */
function readRates([input, output, cachedInput, cacheWrite]: readonly (number | null)[] = []): Price | undefined {
  if (typeof input !== "number" || typeof output !== "number") return undefined;
  return {
    input,
    output,
    ...(typeof cachedInput === "number" && { cachedInput }),
    ...(typeof cacheWrite === "number" && { cacheWrite }),
  };
}
