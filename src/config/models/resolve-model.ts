import { isOffline, type ModelCapabilities, offlineProvider, toModelName } from "../../core/model/model.ts";
import type {
  CloudAccess,
  CloudRow,
  KeyCommand,
  ModelRule,
  ModelSettings,
  Price,
  Quirks,
  ToolCallForm,
  Vendor,
  WireName,
} from "../../core/model/model-settings.ts";
import { DuetError } from "../../kit/errors.ts";
import { escapeRegExp } from "../../kit/text/escape-reg-exp.ts";
import {
  defaultTemperature,
  defaultWire,
  modelRulesOfOthers,
  vendorAliases,
  vendors,
  wireTemperatures,
} from "../../providers/vendors.ts";
import { configError } from "../config-errors.ts";
import { type NetworkSettings, toOwnRules } from "../network.ts";
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

/** Holds a vendor as a user writes it: a new one, or changes to a known one. */
export interface VendorSpec {
  wire?: string;
  baseUrl?: string;
  apiKeyEnv?: string;
  /** Prints the key: a line for the shell, or a program with its arguments. */
  apiKeyCommand?: KeyCommand;
  /** Holds the proxy to the vendor, or `direct`. */
  proxy?: string;
  /** Holds the headers and the query that every request has in addition. */
  headers?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  /** Is for `bedrock` and `vertex`. */
  region?: string;
  /** Is for `vertex`. */
  project?: string;
  /** Is for `azure`. */
  apiVersion?: string;
  /** Maps a model name to the name that the vendor uses for it now: `{"deepseek-chat": "deepseek-v4-pro"}`. */
  aliases?: Readonly<Record<string, string>>;
  /** Maps model names to prices. They override the price list. */
  prices?: Readonly<Record<string, Price>>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const modelDefaults = { temperature: 0.7, maxTokens: 2000, timeoutMs: 30_000 } as const;

/** Merges the built-in vendors and the user's, by name. Throws `config` errors that name the key as `providers.NAME.KEY`. */
export function createVendorTable(
  own: Readonly<Record<string, VendorSpec>>,
  { network = {}, packages }: TableOptions = {},
): Record<string, Vendor> {
  const table: Record<string, Vendor> = { ...vendors };
  for (const [name, spec] of Object.entries(own)) table[resolveVendorName(name)] = toVendor(name, spec);
  for (const [name, row] of Object.entries(table)) {
    const spec = Object.hasOwn(own, name) ? own[name] : findAliased(own, name);
    const rules = toOwnRules(network, spec?.proxy);
    const cloud = row.cloud && { ...row.cloud, ...(packages !== undefined && { packages }) };
    if (rules || cloud) table[name] = { ...row, ...(rules && { network: rules }), ...(cloud && { cloud }) };
  }
  return table;
}

export interface TableOptions {
  network?: Pick<NetworkSettings, "rules">;
  /** Is the folder in which the packages of clouds are looked for. */
  packages?: string;
}

function findAliased(own: Readonly<Record<string, VendorSpec>>, name: string): VendorSpec | undefined {
  return Object.entries(own).find(([written]) => resolveVendorName(written) === name)?.[1];
}

/** Returns the name in the table and resolves aliases. */
export function resolveVendorName(provider: string): string {
  return Object.hasOwn(vendorAliases, provider) ? (vendorAliases[provider] ?? provider) : provider;
}

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

function toVendor(name: string, spec: VendorSpec): Vendor {
  const path = `providers.${name}`;
  const real = resolveVendorName(name);
  const known = Object.hasOwn(vendors, real) ? vendors[real] : undefined;
  const baseUrl = spec.baseUrl ?? known?.baseUrl;
  if (!baseUrl && !known?.cloud) throw invalidSettingError(`${path}.baseUrl`, baseUrl, "http(s)://...");
  const wire = spec.wire === undefined ? (known?.wire ?? defaultWire) : checkWireName(spec.wire, `${path}.wire`);
  const own: Vendor = known ?? {
    wire,
    baseUrl: baseUrl ?? "",
    temperature: wireTemperatures[wire] ?? defaultTemperature,
    quirks: {},
    models: modelRulesOfOthers,
  };
  // A wire that the user names holds for all models of the vendor.
  const rules = spec.wire === undefined ? own.models : own.models?.map(({ wire: _, ...rule }) => rule);
  const models = [...(rules ?? []), ...toAliasRules(spec.aliases ?? {})];
  const keyEnv = spec.apiKeyEnv ?? own.keyEnv;
  if (spec.apiKeyEnv !== undefined && spec.apiKeyCommand !== undefined) {
    throw configError(`${path}.apiKeyCommand`, {
      zh: "不能与 apiKeyEnv 同时使用",
      en: "is not allowed beside apiKeyEnv",
    });
  }
  return {
    ...own,
    wire,
    baseUrl: baseUrl ? checkAddress(baseUrl, `${path}.baseUrl`) : "",
    keyEnv,
    models,
    prices: spec.prices,
    ...toCloudFields(own.cloud, spec, path),
    ...(spec.headers && { headers: spec.headers }),
    ...(spec.query && { query: spec.query }),
    ...(spec.apiKeyCommand !== undefined && { keyCommand: spec.apiKeyCommand }),
  };
}

/** Returns the row with what the user set. Throws for a setting that the vendor does not have. */
function toCloudFields(cloud: CloudRow | undefined, spec: VendorSpec, path: string): Pick<Vendor, "cloud"> {
  const { region, project, apiVersion } = spec;
  const set = Object.entries({ region, project, apiVersion }).filter(([, value]) => value !== undefined);
  const wrong = set.find(([field]) => !Object.hasOwn(cloud?.fields ?? {}, field));
  if (wrong !== undefined) {
    const allowed = Object.keys(vendors).filter((name) => Object.hasOwn(vendors[name]?.cloud?.fields ?? {}, wrong[0]));
    throw configError(`${path}.${wrong[0]}`, {
      zh: `只用于 ${allowed.join("、")}`,
      en: `is only for ${allowed.join(", ")}`,
    });
  }
  return cloud === undefined ? {} : { cloud: { ...cloud, own: Object.fromEntries(set) } };
}

function toAliasRules(aliases: Readonly<Record<string, string>>): ModelRule[] {
  return Object.entries(aliases).map(([name, servedAs]) => ({ match: matchExactly(name), servedAs }));
}

function matchExactly(name: string): RegExp {
  return new RegExp(`^${escapeRegExp(name)}$`);
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
