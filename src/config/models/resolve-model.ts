import { isOffline, type ModelCapabilities, offlineProvider, toModelName } from "../../core/model/model.ts";
import type {
  CloudAccess,
  CloudRow,
  ModelRule,
  ModelSettings,
  Price,
  Quirks,
  ToolCallForm,
  Vendor,
  WireName,
} from "../../core/model/model-settings.ts";
import { DuetError } from "../../kit/errors.ts";
import { defaultTemperature, vendorAliases, wireTemperatures } from "../../providers/vendors.ts";
import { configError } from "../config-errors.ts";
import {
  checkAddress,
  checkEffort,
  checkPositiveInteger,
  checkTemperature,
  checkTopP,
  checkWireName,
  invalidSettingError,
  toTimeoutMs,
} from "./check-model.ts";
import { resolveVendorName } from "./vendor-table.ts";

/** Holds a model as a user writes it. Only `provider` is required. */
export interface ModelSpec {
  provider: string;
  model?: string;
  temperature?: number;
  maxTokens?: number;
  topP?: number;
  baseUrl?: string;
  apiKeyEnv?: string;
  /** Limits the seconds until the first content or reasoning. */
  timeout?: number;
  /** Is the wanted size, in tokens. */
  contextWindow?: number;
  reasoningEffort?: string;
  wire?: string;
  toolCalls?: ToolCallForm;
  /** Overrides what is known of the model. */
  capabilities?: ModelCapabilities;
  /** Lists models that take over when this one fails, as `provider/model`, `provider`, or with parameters. */
  fallbacks?: readonly (string | FallbackSpec)[];
}

export type FallbackSpec = Omit<ModelSpec, "fallbacks">;

/** Holds the values of a model for what its specification leaves out. They do not count as set by the user. */
export interface UsualParameters {
  temperature?: number | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const modelDefaults = { temperature: 0.7, maxTokens: 2000, timeoutMs: 30_000 } as const;

/**
 * Combines the user's spec, the vendor's row and the environment. A missing key is not an error here, because the call reports
 * it. Throws `config` errors with the key, its value and what is allowed; `path` is the place of the model's specification.
 */
export function resolveModel(
  spec: ModelSpec,
  table: Readonly<Record<string, Vendor>>,
  environment: Environment,
  path: string,
  usual: UsualParameters = {},
): ModelSettings {
  const settings = resolveOne(spec, table, environment, path, usual);
  if (spec.fallbacks === undefined || spec.fallbacks.length === 0) return settings;
  const taken: ModelSettings[] = [settings];
  for (const [index, written] of spec.fallbacks.entries()) {
    const place = `${path}.fallbacks[${index}]`;
    const whole = { maxTokens: settings.maxTokens, ...readFallback(written, place) };
    const fallback = resolveOne(whole, table, environment, place, usual);
    const same = taken.findIndex((other) => isSameModel(other, fallback));
    if (same >= 0) throw repeatedModelError(place, written, same);
    taken.push(fallback);
  }
  return { ...settings, fallbacks: taken.slice(1) };
}

function readFallback(written: string | FallbackSpec, place: string): FallbackSpec {
  const spec = typeof written === "string" ? readModelName(written) : written;
  if (spec !== undefined && !isOffline(spec)) return spec;
  throw invalidSettingError(place, typeof written === "string" ? written : written.provider, {
    zh: "provider、provider/model 或带参数的对象，不能是 offline",
    en: "provider, provider/model, or an object with parameters; not offline",
  });
}

/** Reads `provider` or `provider/model`, whose model may have slashes. Returns undefined for anything else. */
export function readModelName(written: string): Pick<ModelSpec, "provider" | "model"> | undefined {
  const [provider = "", ...rest] = written.trim().split("/");
  const model = rest.join("/");
  if (provider === "" || (rest.length > 0 && model === "")) return undefined;
  return { provider, ...(model !== "" && { model }) };
}

function isSameModel(one: ModelSettings, other: ModelSettings): boolean {
  return one.provider === other.provider && one.model === other.model && one.baseUrl === other.baseUrl;
}

/** `same` is 0 for the model that the list belongs to, else the position in the list that has it already. */
function repeatedModelError(place: string, written: string | FallbackSpec, same: number): DuetError {
  const name = typeof written === "string" ? written : toModelName({ model: "", ...written }).replace(/\/$/, "");
  return configError(place, {
    zh: `${JSON.stringify(name)} ${same === 0 ? "就是该模型自己" : `与第 ${same} 个备用模型相同`}；允许：其他模型，不重复`,
    en: `${JSON.stringify(name)} is ${same === 0 ? "the model itself" : `already fallback ${same}`}; allowed: other models, each once`,
  });
}

function resolveOne(
  spec: FallbackSpec,
  table: Readonly<Record<string, Vendor>>,
  environment: Environment,
  path: string,
  usual: UsualParameters,
): ModelSettings {
  const provider = resolveVendorName(spec.provider);
  const row = Object.hasOwn(table, provider) ? table[provider] : undefined;
  if (!row) {
    throw invalidSettingError(
      `${path}.provider`,
      spec.provider,
      [...Object.keys(table), ...Object.keys(vendorAliases), offlineProvider].join(", "),
    );
  }
  if (row.unusable !== undefined) throw new DuetError({ code: "config", text: row.unusable });
  const model = spec.model ?? readModelVariable(row, environment) ?? row.defaultModel;
  if (!model) throw invalidSettingError(`${path}.model`, model, { zh: "模型名称", en: "the name of a model" });
  const rules = (row.models ?? []).filter((rule) => rule.match.test(model));
  const servedAs = findLastRule(rules, "servedAs");
  const apiKeyCommand = spec.apiKeyEnv === undefined ? row.keyCommand : undefined;
  const apiKeyEnv = apiKeyCommand === undefined ? (spec.apiKeyEnv ?? row.keyEnv) : undefined;
  const wire =
    spec.wire === undefined ? (findLastRule(rules, "wire") ?? row.wire) : checkWireName(spec.wire, `${path}.wire`);
  const quirks = mergeQuirks(row, rules);
  const cloud = row.cloud && toCloudAccess(row.cloud, environment);
  const reasoningEffort = checkEffort(spec.reasoningEffort, row, `${path}.reasoningEffort`);
  return {
    provider,
    model,
    servedAs,
    wire,
    baseUrl: checkAddress(
      spec.baseUrl ?? fromEnvironment(environment, row.baseUrlEnv) ?? findBaseUrl(provider, row, cloud),
      `${path}.baseUrl`,
    ),
    apiKey: fromEnvironment(environment, apiKeyEnv),
    apiKeyEnv,
    ...(apiKeyCommand !== undefined && { apiKeyCommand }),
    temperature:
      checkTemperature(spec.temperature ?? usual.temperature, getTemperatureRange(row, wire), `${path}.temperature`) ??
      modelDefaults.temperature,
    temperatureSet: spec.temperature !== undefined,
    topP: checkTopP(spec.topP, `${path}.topP`, "topP"),
    maxTokens: checkPositiveInteger(spec.maxTokens, `${path}.maxTokens`) ?? modelDefaults.maxTokens,
    timeoutMs:
      toTimeoutMs(spec.timeout, `${path}.timeout`) ??
      (isReasoning(reasoningEffort, quirks) ? findLastRule(rules, "silentThinkingMs")?.[wire] : undefined) ??
      modelDefaults.timeoutMs,
    contextWindow:
      checkPositiveInteger(spec.contextWindow, `${path}.contextWindow`) ?? findLastRule(rules, "contextWindow"),
    maxOutput: findLastRule(rules, "maxOutput"),
    reasoningEffort,
    toolCalls: spec.toolCalls,
    price: getOwnPrice(row, model) ?? getOwnPrice(row, servedAs),
    capabilities: spec.capabilities,
    quirks,
    ...(row.network && { network: row.network }),
    ...(cloud && { cloud }),
    ...(row.headers && { headers: row.headers }),
    ...(row.query && { query: row.query }),
  };
}

/** Returns what the client of a cloud is told: what the user set, what a variable holds, or what is usual. */
function toCloudAccess({ client, fields, own, packages, ...row }: CloudRow, environment: Environment): CloudAccess {
  const values = Object.entries(fields).map(([field, { env, usual }]): [string, string | undefined] => {
    const set = env.map((name) => fromEnvironment(environment, name)).find((value) => value !== undefined);
    return [field, set ?? usual];
  });
  const set = [...values, ...Object.entries(own ?? {})].filter(([, value]) => value !== undefined);
  return {
    client,
    ...(row.package && { package: row.package }),
    ...(packages !== undefined && { packages }),
    ...Object.fromEntries(set),
  };
}

function findBaseUrl(provider: string, { baseUrl, baseUrlEnv = "", cloud }: Vendor, access?: CloudAccess): string {
  const own = cloud?.toBaseUrl?.(access?.region ?? "");
  if (baseUrl !== "") return baseUrl;
  if (own !== undefined) return own;
  throw configError(`providers.${provider}.baseUrl`, {
    zh: `未设置：请设置 ${baseUrlEnv} 或 providers.${provider}.baseUrl`,
    en: `is not set: set ${baseUrlEnv} or providers.${provider}.baseUrl`,
  });
}

/** These parameters of a model may be changed while it is in use. */
export interface ModelParameters {
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  topP?: number | undefined;
}

/**
 * Returns the same model with other parameters, validated by the same rules. Errors put `place` (`answer.` or nothing) before
 * the parameter name.
 */
export function withParameters(
  settings: ModelSettings,
  { temperature: heat, maxTokens, topP }: ModelParameters,
  table: Readonly<Record<string, Vendor>>,
  place: string,
): ModelSettings {
  const row = Object.hasOwn(table, settings.provider) ? table[settings.provider] : undefined;
  const bound = getTemperatureRange(row ?? { temperature: defaultTemperature }, settings.wire);
  return {
    ...settings,
    temperature: checkTemperature(heat, bound, `${place}temperature`) ?? settings.temperature,
    temperatureSet: settings.temperatureSet || heat !== undefined,
    topP: checkTopP(topP, `${place}top_p`, "top_p") ?? settings.topP,
    maxTokens: checkPositiveInteger(maxTokens, `${place}max_tokens`) ?? settings.maxTokens,
  };
}

function readModelVariable(row: Vendor, environment: Environment): string | undefined {
  const name = fromEnvironment(environment, row.modelEnv?.name);
  if (!name || !row.modelEnv) return undefined;
  if (!row.modelEnv.match.test(name)) throw invalidSettingError(row.modelEnv.name, name, row.modelEnv.allowed);
  return name;
}

/** An empty variable counts as unset. */
function fromEnvironment(environment: Environment, name: string | undefined): string | undefined {
  return name === undefined ? undefined : environment[name]?.trim() || undefined;
}

function mergeQuirks(row: Vendor, rules: ModelRule[]): Quirks {
  const quirks: Quirks = { ...row.quirks };
  for (const rule of rules) Object.assign(quirks, rule.quirks);
  return quirks;
}

function findLastRule<Key extends keyof ModelRule>(rules: ModelRule[], key: Key): ModelRule[Key] | undefined {
  return rules.findLast((rule) => rule[key] !== undefined)?.[key];
}

/** Returns the bound of the wire, which holds whichever vendor provides it, else that of the vendor. */
function getTemperatureRange(row: Pick<Vendor, "temperature">, wire: WireName): Vendor["temperature"] {
  return wireTemperatures[wire] ?? row.temperature;
}

function getOwnPrice({ prices }: Vendor, model: string | undefined): Price | undefined {
  return prices && model !== undefined && Object.hasOwn(prices, model) ? prices[model] : undefined;
}

/**
 * Returns true when the model will reason. Without a set effort it reasons, unless it accepts a temperature only while it does
 * not reason.
 */
function isReasoning(wanted: string | undefined, quirks: Quirks): boolean {
  const { alwaysReasons, noReasoning, noSampling } = quirks;
  const effort = wanted ?? quirks.defaultEffort;
  if (noReasoning || alwaysReasons) return !noReasoning;
  return effort === undefined ? noSampling !== "while-reasoning" : effort !== "none";
}
