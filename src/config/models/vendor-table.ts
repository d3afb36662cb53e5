import type { CloudRow, KeyCommand, ModelRule, Price, Vendor } from "../../core/model/model-settings.ts";
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
import { checkAddress, checkWireName, invalidSettingError } from "./check-model.ts";

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
