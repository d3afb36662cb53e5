import { parseEnv } from "node:util";
import type { ErrorCollector } from "../config-errors.ts";
import { readModelJson } from "../models/model-text.ts";
import { isSecretName } from "../secrets/mask.ts";
import type { SettingKind } from "../settings/setting.ts";
import { settings } from "../settings/settings.ts";
import type { Environment } from "./expand-variables.ts";
import { type Path, renderPath } from "./setting-path.ts";
import type { Assignment } from "./source.ts";

/**
 * Returns the environment with the variables of a `.env` file added. A variable that is already set and not empty wins over the
 * file.
 */
export function withDotEnv(
  environment: Environment,
  text: string | undefined,
): { environment: Environment; added: Set<string> } {
  const entries = Object.entries(text === undefined ? {} : parseEnv(text));
  const news = entries.filter(([name, value]) => value && !environment[name]);
  return { environment: { ...environment, ...Object.fromEntries(news) }, added: new Set(news.map(([name]) => name)) };
}

export function listEnvironmentSecrets(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([name, value]) => (value && isSecretName(name) ? [value] : []));
}

/** Reads the variables of docs/development/contract.md#environment. An empty one counts as unset, as does one that cannot be read. */
export async function readEnvironment(
  environment: Environment,
  dotEnv: { file: string; added: ReadonlySet<string> },
  secrets: readonly string[],
  collector: ErrorCollector,
): Promise<Assignment[]> {
  const assignments = variables.map(async ({ name, path, read }): Promise<Assignment[]> => {
    const written = environment[name];
    if (!written) return [];
    const value = await collector.attemptAsync(async () => read(written, name, secrets));
    if (value === undefined) return [];
    const file = dotEnv.added.has(name) ? dotEnv.file : undefined;
    return [{ path, value, written, origin: { from: "environment", name, file } }];
  });
  return (await Promise.all(assignments)).flat();
}

/** Returns the configuration path that a variable sets, and undefined for a variable that sets none. */
export function findPathOfVariable(name: string): Path | undefined {
  return variables.find((each) => each.name === name)?.path;
}

/** Returns the variable that sets the value at this path. */
export function findVariable(path: Path): string | undefined {
  return variables.find((each) => renderPath(each.path) === renderPath(path))?.name;
}

interface Variable {
  name: string;
  path: Path;
  /** Gives the text itself where it is not what it should be, so that the schema refuses it. */
  read(written: string, name: string, secrets: readonly string[]): unknown;
}

const toText = (written: string): unknown => written;

function toNumber(written: string): unknown {
  return /^\s*[+-]?\d+(\.\d+)?\s*$/.test(written) ? Number(written) : written;
}

function toSwitch(written: string): unknown {
  const word = written.trim().toLowerCase();
  if (word === "true" || word === "1") return true;
  return word === "false" || word === "0" ? false : written;
}

const readers: Record<SettingKind, Variable["read"]> = {
  text: toText,
  number: toNumber,
  switch: toSwitch,
  model: readModelJson,
  list: toText,
};

const variables: readonly Variable[] = settings.flatMap(({ environment, path, kind = "text" }): Variable[] =>
  environment === undefined ? [] : [{ name: environment, path, read: readers[kind] }],
);
