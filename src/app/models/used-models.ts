import type { Config } from "../../config/config.ts";
import type { ModelChoice } from "../../config/models/models.ts";
import { modelDefaults } from "../../config/models/resolve-model.ts";
import { createOverview } from "../../config/overview.ts";
import type { Origin } from "../../config/sources/source.ts";
import { toModelName } from "../../core/model.ts";
import { findPrice, type ListPrice, pricesDate } from "../../providers/prices.ts";
import { defaultIdleMs } from "../../providers/wires/idle-timeout.ts";
import { chooseModels } from "./model-registry.ts";

/** Names the origin of a value: a source of the configuration, or one of our tables. */
export type ValueOrigin =
  | Origin
  | { from: "vendor-table" | "unknown" | "nothing-configured" }
  | { from: "price-list"; date: string };

export interface SourcedValue<T> {
  value: T;
  origin: ValueOrigin;
}

/** Describes a model in use, in one of its roles. Times are in seconds. A value that is not known, or does not apply, is null. */
export interface UsedModel {
  role: "function_call" | "answer";
  model: SourcedValue<string>;
  wire: SourcedValue<string | null>;
  timeout: SourcedValue<number | null>;
  idle: SourcedValue<number | null>;
  context_window: SourcedValue<number | null>;
  /** Is in US dollars per 1,000,000 tokens. */
  price: SourcedValue<ListPrice | null>;
}

/** Finds the models in use, with their limits and prices, and who said each value. Asks no model anything but a local Ollama its list. */
export async function findUsedModels(config: Config): Promise<UsedModel[]> {
  const { functionCall, answer = functionCall } = await chooseModels(config);
  return [describeModel("function_call", functionCall, config), describeModel("answer", answer, config)];
}

function describeModel(role: UsedModel["role"], choice: ModelChoice, config: Config): UsedModel {
  const { origins } = createOverview(config);
  const key = role === "answer" && config.models.answer ? "answer" : "functionCall";
  const isConfigured = config.models[key] !== undefined;
  const findOrigin = (name: string, otherwise: ValueOrigin): ValueOrigin => {
    const origin = isConfigured ? origins[`models.${key}.${name}`] : undefined;
    return origin === undefined || origin.from === "default" ? otherwise : origin;
  };
  const found: ValueOrigin =
    "wire" in choice && choice.apiKeyEnv
      ? { from: "environment", name: choice.apiKeyEnv, file: undefined }
      : { from: "nothing-configured" };
  const model = { value: toModelName(choice), origin: findOrigin("provider", found) };
  if (!("wire" in choice)) {
    const none = { value: null, origin: unknown };
    return { role, model, wire: none, timeout: none, idle: none, context_window: none, price: none };
  }
  const { wire, timeoutMs, idleMs = defaultIdleMs, contextWindow = null } = choice;
  const timeoutOrigin = timeoutMs === modelDefaults.timeoutMs ? usual : vendorTable;
  return {
    role,
    model,
    wire: { value: wire, origin: findOrigin("wire", vendorTable) },
    timeout: { value: timeoutMs / 1000, origin: findOrigin("timeout", timeoutOrigin) },
    idle: { value: idleMs / 1000, origin: usual },
    context_window: {
      value: contextWindow,
      origin: findOrigin("contextWindow", contextWindow === null ? unknown : vendorTable),
    },
    price: describePrice(choice, config),
  };
}

function describePrice(choice: Extract<ModelChoice, { wire: unknown }>, { origins }: Config): UsedModel["price"] {
  const value = findPrice(choice) ?? null;
  if (value === null) return { value, origin: unknown };
  if (choice.price === undefined) return { value, origin: { from: "price-list", date: pricesDate } };
  const path = `providers.${choice.provider}.prices`;
  const said = Object.entries(origins).find(([known]) => known.startsWith(path))?.[1];
  return { value, origin: said ?? usual };
}

const usual: ValueOrigin = { from: "default" };
const vendorTable: ValueOrigin = { from: "vendor-table" };
const unknown: ValueOrigin = { from: "unknown" };
