import { parseEnv } from "node:util";
import { vendors } from "../../providers/vendors.ts";
import { resolveVendorName } from "../models/resolve-model.ts";
import { findPathOfVariable, findVariable } from "./environment.ts";
import { listVariables } from "./expand-variables.ts";
import { getValue, type Path } from "./setting-path.ts";
import { listLeaves } from "./source.ts";

/**
 * Lists the variables of the user's environment whose values a configuration file reads or sends out, each once: those that it
 * names, and the keys sent to an address that it sets.
 */
export function listFileVariables(tree: unknown): string[] {
  return [...new Set([...listVariables(tree), ...listLeaves(tree).flatMap((path) => usedAt(tree, path))])];
}

/** Lists the keys that are sent to an address set in a `.env` file. Such a file names no variables. */
export function listDotEnvVariables(text: string): string[] {
  const names = Object.keys(parseEnv(text));
  const used = names.flatMap((name) => [...keysOfVendors(name), ...keySentTo(findPathOfVariable(name) ?? [])]);
  return [...new Set(used)];
}

function usedAt(tree: unknown, path: Path): readonly string[] {
  const value = getValue(tree, path);
  const key = path.at(-1);
  if (key === "apiKeyEnv" && typeof value === "string") return [value];
  if (key === "inheritEnv" && Array.isArray(value)) return value.filter((name) => typeof name === "string");
  if (key !== "baseUrl") return keySentTo(path);
  if (path[0] === "providers") return keyOfVendor(path[1]);
  return path[0] === "models" ? keyOfVendor(getValue(tree, [...path.slice(0, -1), "provider"])) : keySentTo(path);
}

/** Returns the variable of the key that is sent to the service at this address. */
function keySentTo(path: Path): string[] {
  const [section, service = ""] = path;
  const isSearch = section === "search" && path[2] === "baseUrl";
  const name = isSearch ? findVariable([section, service, "apiKey"]) : undefined;
  if (name !== undefined) return [name];
  return section === "email" && service === "host" ? ["SMTP_PASSWORD"] : [];
}

function keyOfVendor(provider: unknown): string[] {
  const name = typeof provider === "string" ? resolveVendorName(provider) : "";
  const key = Object.hasOwn(vendors, name) ? vendors[name]?.keyEnv : undefined;
  return key === undefined ? [] : [key];
}

function keysOfVendors(baseUrlEnv: string): string[] {
  return Object.values(vendors).flatMap((vendor) =>
    vendor.baseUrlEnv === baseUrlEnv && vendor.keyEnv !== undefined ? [vendor.keyEnv] : [],
  );
}
