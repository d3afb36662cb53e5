import { dirname, resolve } from "node:path";
import { parseEnv } from "node:util";
import type { Vendor } from "../../core/model/model-settings.ts";
import { vendors } from "../../providers/vendors.ts";
import type { Config } from "../config.ts";
import { listCalledModels } from "../models/called-models.ts";
import { resolveVendorName } from "../models/vendor-table.ts";
import { findPathOfVariable, findVariable } from "./environment.ts";
import { listVariables } from "./expand-variables.ts";
import { readText } from "./find-file.ts";
import { parseJson } from "./parse-json.ts";
import { getValue, type Path } from "./setting-path.ts";
import { listInnerLeaves } from "./source.ts";

/**
 * Lists the variables of the user's environment whose values a configuration file reads or sends out, each once: those that it
 * names, and the keys sent to an address that it sets.
 */
export function listFileVariables(tree: unknown): string[] {
  return [
    ...new Set([...listVariables(tree), ...listInnerLeaves(tree).flatMap((path) => listVariablesAt(tree, path))]),
  ];
}

/** Lists the keys that are sent to an address set in a `.env` file. Such a file names no variables. */
export function listDotEnvVariables(text: string): string[] {
  const names = Object.keys(parseEnv(text));
  const used = names.flatMap((name) => [...listVendorKeys(name), ...listKeysSentTo(findPathOfVariable(name) ?? [])]);
  return [...new Set(used)];
}

/** Lists the variables whose values go where the value at this path says. */
export function listVariablesAt(tree: unknown, path: Path): readonly string[] {
  const value = getValue(tree, path);
  const key = path.at(-1);
  if (key === "apiKeyEnv" && typeof value === "string") return [value];
  if (key === "inheritEnv" && Array.isArray(value)) return value.filter((name) => typeof name === "string");
  if (key !== "baseUrl") return listKeysSentTo(path);
  if (path[0] === "providers") return listKeysOf(path[1]);
  return path[0] === "models" || path[0] === "agents"
    ? listKeysOf(getValue(tree, [...path.slice(0, -1), "provider"]))
    : listKeysSentTo(path);
}

/** Returns the variable of the key that is sent to the service at this address. */
function listKeysSentTo(path: Path): string[] {
  const [section, service = ""] = path;
  const isSearch = section === "search" && path[2] === "baseUrl";
  const name = isSearch ? findVariable([section, service, "apiKey"]) : undefined;
  if (name !== undefined) return [name];
  return section === "email" && service === "host" ? ["SMTP_PASSWORD"] : [];
}

function listKeysOf(provider: unknown): string[] {
  const name = typeof provider === "string" ? resolveVendorName(provider) : "";
  const vendor = Object.hasOwn(vendors, name) ? vendors[name] : undefined;
  return vendor === undefined ? [] : listVendorSecrets(vendor);
}

/** Lists the variables that hold what a vendor is sent to prove who asks. */
function listVendorSecrets({ keyEnv, cloud }: Vendor): string[] {
  const { apiKey, token, secretAccessKey, sessionToken } = cloud?.fields ?? {};
  const ofCloud = [apiKey, token, secretAccessKey, sessionToken].flatMap((field) => field?.env ?? []);
  return keyEnv === undefined ? ofCloud : [keyEnv, ...ofCloud];
}

function listVendorKeys(baseUrlEnv: string): string[] {
  return Object.values(vendors).flatMap((vendor) =>
    vendor.baseUrlEnv === baseUrlEnv ? listVendorSecrets(vendor) : [],
  );
}

/**
 * Returns the variables that affect this configuration and that a program started elsewhere would not find in its files, in
 * alphabetical order and with their values: settings, keys and addresses of the models in use, and variables named in the file.
 * The token of the HTTP API is left out because a host starts Duet over stdio.
 */
export async function listActiveVariables(config: Config): Promise<Record<string, string>> {
  const { environment, dotEnv, file, origins, models, candidates, providers, network } = config;
  const settings = Object.values(origins).flatMap((origin) => (origin.from === "environment" ? [origin.name] : []));
  const inUse = { functionCall: models.functionCall ?? candidates[0], answer: models.answer };
  const called = listCalledModels({ models: inUse, candidates: [] }).flatMap((model) => {
    const row = providers[model.provider];
    const ofCloud = Object.values(row?.cloud?.fields ?? {}).flatMap(({ env }) => env);
    const names = [model.apiKeyEnv, row?.keyEnv, row?.baseUrlEnv, row?.modelEnv?.name, ...ofCloud];
    return names.filter((name) => name !== undefined);
  });
  const ofNetwork =
    network.proxies.length === 0 ? [] : [...network.proxies.map(({ name }) => name), "NO_PROXY", "no_proxy"];
  const text = file === undefined ? undefined : await readText(file, file);
  const named = text === undefined ? [] : listFileVariables(await parseJson(text, file ?? ""));
  // Only the `.env` beside a configuration that is named is read from elsewhere, not the one of this directory.
  const isFound = (name: string): boolean => isBesideConfig(config) && dotEnv.added.has(name);
  const names = [...new Set([...settings, ...called, ...ofNetwork, ...named])].filter((name) => !isFound(name)).sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value && name !== "DUET_HTTP_TOKEN" ? [[name, value]] : [];
    }),
  );
}

/** Returns true when the `.env` in use lies beside the configuration file. */
function isBesideConfig({ file, dotEnv, directory }: Config): boolean {
  return file !== undefined && resolve(directory, dotEnv.file) === resolve(directory, dirname(file), ".env");
}
