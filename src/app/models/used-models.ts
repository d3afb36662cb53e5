import type { Config } from "../../config/config.ts";
import type { ModelChoice } from "../../config/models/models.ts";
import { modelDefaults } from "../../config/models/resolve-model.ts";
import { createOverview } from "../../config/overview.ts";
import type { Origin } from "../../config/sources/source.ts";
import { type ModelCapabilities, toModelName } from "../../core/model/model.ts";
import type { ListPrice, ModelSettings } from "../../core/model/model-settings.ts";
import {
  addKnownFacts,
  findKnownModel,
  type KnownModel,
  mergeCapabilities,
} from "../../providers/known-models/known-models.ts";
import { defaultIdleMs } from "../../providers/wires/idle-timeout.ts";
import { chooseModels } from "./model-registry.ts";

/** Names the origin of a value: a source of the configuration, or one of our tables. */
export type ValueOrigin =
  | Origin
  | { from: "vendor-table" | "unknown" | "nothing-configured" }
  | { from: "price-list" | "model-list"; date: string };

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
  /** Lists what the model can and cannot do. What is not known is absent. */
  capabilities: SourcedValue<ModelCapabilities | null>;
  /** Lists the models that take over when it fails, and is null when there are none. */
  fallbacks: SourcedValue<string[] | null>;
  /** Is in US dollars per 1,000,000 tokens. */
  price: SourcedValue<ListPrice | null>;
}

/** Finds the models in use, with their limits and prices, and who said each value. Asks no model anything but a local Ollama its list. */
export async function findUsedModels(config: Config): Promise<UsedModel[]> {
  const { functionCall, answer = functionCall } = await chooseModels(config);
  return Promise.all([describeModel("function_call", functionCall, config), describeModel("answer", answer, config)]);
}

/** Returns the configuration with what is known of its models in their settings. */
export async function addKnownModels(config: Config): Promise<Config> {
  const add = async (choice: ModelChoice | undefined) =>
    choice !== undefined && "wire" in choice ? addKnownFacts(choice) : choice;
  const [functionCall, answer, first] = await Promise.all(
    [config.models.functionCall, config.models.answer, config.candidates[0]].map(add),
  );
  const candidates =
    first !== undefined && "wire" in first ? [first, ...config.candidates.slice(1)] : config.candidates;
  return { ...config, models: { functionCall, answer }, candidates };
}

async function describeModel(role: UsedModel["role"], choice: ModelChoice, config: Config): Promise<UsedModel> {
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
    return {
      role,
      model,
      wire: none,
      timeout: none,
      idle: none,
      context_window: none,
      capabilities: none,
      fallbacks: none,
      price: none,
    };
  }
  const known = await findKnownModel(choice);
  const { wire, timeoutMs, idleMs = defaultIdleMs, contextWindow = known?.contextWindow ?? null } = choice;
  const listed: ValueOrigin = known === undefined ? unknown : { from: "model-list", date: known.date };
  const timeoutOrigin = timeoutMs === modelDefaults.timeoutMs ? usual : vendorTable;
  return {
    role,
    model,
    wire: { value: wire, origin: findOrigin("wire", vendorTable) },
    timeout: { value: timeoutMs / 1000, origin: findOrigin("timeout", timeoutOrigin) },
    idle: { value: idleMs / 1000, origin: usual },
    context_window: {
      value: contextWindow,
      origin: findOrigin("contextWindow", choice.contextWindow === undefined ? listed : vendorTable),
    },
    capabilities: describeCapabilities(choice, known, findOrigin(`capabilities.${findOwnCapability(choice)}`, listed)),
    fallbacks: {
      value: choice.fallbacks?.map(toModelName) ?? null,
      origin: findOrigin("fallbacks", choice.fallbacks === undefined ? usual : unknown),
    },
    price: describePrice(choice, known, config),
  };
}

function findOwnCapability({ capabilities = {} }: ModelSettings): string | undefined {
  return Object.keys(capabilities)[0];
}

function describeCapabilities(
  choice: ModelSettings,
  known: KnownModel | undefined,
  origin: ValueOrigin,
): UsedModel["capabilities"] {
  const value = mergeCapabilities(choice, known?.capabilities);
  if (Object.keys(value).length === 0) return { value: null, origin: unknown };
  return { value, origin: origin.from === "unknown" ? vendorTable : origin };
}

function describePrice(choice: ModelSettings, known: KnownModel | undefined, { origins }: Config): UsedModel["price"] {
  if (choice.price === undefined) {
    if (known?.price === undefined) return { value: null, origin: unknown };
    return { value: known.price, origin: { from: "price-list", date: known.date } };
  }
  const path = `providers.${choice.provider}.prices`;
  const said = Object.entries(origins).find(([known]) => known.startsWith(path))?.[1];
  return { value: choice.price, origin: said ?? usual };
}

const usual: ValueOrigin = { from: "default" };
const vendorTable: ValueOrigin = { from: "vendor-table" };
const unknown: ValueOrigin = { from: "unknown" };
