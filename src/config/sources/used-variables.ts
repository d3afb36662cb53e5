import { parseEnv } from "node:util";
import { vendors } from "../../providers/vendors.ts";
import { realName } from "../models/resolve-model.ts";
import { pathOfVariable, variableAt } from "./environment.ts";
import { namedVariables } from "./expand-variables.ts";
import { leaves } from "./merge.ts";
import { type Path, valueAt } from "./setting-path.ts";

/**
 * The variables of the user's environment whose values a configuration file takes or gives away, each once: those that it
 * names, and the keys that go to an address which it sets.
 */
export function variablesUsedByFile(tree: unknown): string[] {
  return [...new Set([...namedVariables(tree), ...leaves(tree).flatMap((path) => usedAt(tree, path))])];
}

/** The same of a `.env` file, which names none and may set addresses. */
export function variablesUsedByDotEnv(text: string): string[] {
  const names = Object.keys(parseEnv(text));
  const used = names.flatMap((name) => [...keysOfVendors(name), ...keySentTo(pathOfVariable(name) ?? [])]);
  return [...new Set(used)];
}

function usedAt(tree: unknown, path: Path): readonly string[] {
  const value = valueAt(tree, path);
  const key = path.at(-1);
  if (key === "apiKeyEnv" && typeof value === "string") return [value];
  if (key === "inheritEnv" && Array.isArray(value)) return value.filter((name) => typeof name === "string");
  if (key !== "baseUrl") return keySentTo(path);
  if (path[0] === "providers") return keyOfVendor(path[1]);
  return path[0] === "models" ? keyOfVendor(valueAt(tree, [...path.slice(0, -1), "provider"])) : keySentTo(path);
}

/** The key that goes to the service whose address stands there. */
function keySentTo(path: Path): string[] {
  const [section, service = ""] = path;
  const isSearch = section === "search" && path[2] === "baseUrl";
  const name = isSearch ? variableAt([section, service, "apiKey"]) : undefined;
  if (name !== undefined) return [name];
  return section === "email" && service === "host" ? ["SMTP_PASSWORD"] : [];
}

function keyOfVendor(provider: unknown): string[] {
  const name = typeof provider === "string" ? realName(provider) : "";
  const key = Object.hasOwn(vendors, name) ? vendors[name]?.keyEnv : undefined;
  return key === undefined ? [] : [key];
}

function keysOfVendors(baseUrlEnv: string): string[] {
  return Object.values(vendors).flatMap((vendor) =>
    vendor.baseUrlEnv === baseUrlEnv && vendor.keyEnv !== undefined ? [vendor.keyEnv] : [],
  );
}
