import type { Config } from "../config.ts";
import { readText } from "./find-file.ts";
import { parseJson } from "./parse-json.ts";
import { listFileVariables } from "./used-variables.ts";

/**
 * Returns the variables that affect this configuration and that a program started elsewhere would not find in its files, in
 * alphabetical order and with their values: settings, keys and addresses of the models in use, and variables named in the file.
 * The token of the HTTP API is left out because a host starts Duet over stdio.
 */
export async function listActiveVariables(config: Config): Promise<Record<string, string>> {
  const { environment, dotEnv, file, origins, models, candidates, providers } = config;
  const settings = Object.values(origins).flatMap((origin) => (origin.from === "environment" ? [origin.name] : []));
  const chosen = [models.functionCall ?? candidates[0], models.answer].filter((model) => model !== undefined);
  const called = chosen.flatMap((model) => {
    const row = providers[model.provider];
    const key = "apiKeyEnv" in model ? model.apiKeyEnv : undefined;
    return [key, row?.keyEnv, row?.baseUrlEnv, row?.modelEnv?.name].filter((name) => name !== undefined);
  });
  const text = file === undefined ? undefined : await readText(file, file);
  const named = text === undefined ? [] : listFileVariables(await parseJson(text, file ?? ""));
  // Without a configuration that is named, the `.env` of this directory is read from nowhere else.
  const isFound = (name: string): boolean => file !== undefined && dotEnv.added.has(name);
  const names = [...new Set([...settings, ...called, ...named])].filter((name) => !isFound(name)).sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value && name !== "DUET_HTTP_TOKEN" ? [[name, value]] : [];
    }),
  );
}
