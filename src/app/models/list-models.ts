import type { Models } from "../../agent/run.ts";
import type { Config } from "../../config/config.ts";
import { offlineProvider as offline, toModelName } from "../../core/model.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";

/** Limits the wait for a local Ollama, in milliseconds. */
const patienceMs = 1000;
const keptMs = 10_000;
const mostNames = 100;

/** Names a vendor and its default model. */
interface Offerer {
  provider: string;
  model: string;
}

/**
 * Lists what can be chosen, as `provider/model`: the models in force, those of every vendor whose key is set (its default and the
 * ones of its prices), those of a local Ollama that answers, and the offline rules. At most 100.
 */
export type ListModels = (inForce: Models, signal?: AbortSignal) => Promise<string[]>;

/** Asks the Ollama at most every ten seconds: whoever types a name wants the list at each key. */
export function createModelList(config: Config): ListModels {
  let local: { names: Promise<string[]>; until: number } | undefined;

  function listLocalModels(): Promise<string[]> {
    if (local === undefined || performance.now() > local.until) {
      const names = import("../../providers/ollama.ts").then(({ listOllama }) =>
        listOllama(config.ollama.baseUrl, patienceMs),
      );
      local = { names, until: performance.now() + keptMs };
    }
    return local.names;
  }

  return async (inForce, signal) => {
    const { listModels } = await import("../../providers/prices.ts");
    const ollama = await waitAbortable(listLocalModels(), signal);
    const all = [
      toModelName(inForce.functionCall),
      toModelName(inForce.answer),
      ...listOfferers(config, listModels),
      ...ollama.map((model) => toModelName({ provider: "ollama", model })),
    ];
    const names = new Set(all.map((name) => (name.startsWith(`${offline}/`) ? offline : name)));
    return [...new Set([...[...names].slice(0, mostNames - 1), offline])];
  };
}

function listOfferers({ candidates, providers, models, environment }: Config, listed: (provider: string) => string[]) {
  const own = [models.functionCall, models.answer].filter((choice) => choice !== undefined);
  return [...own, ...candidates].flatMap(({ provider, model }) => {
    const row = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
    if (row === undefined || (row.keyEnv !== undefined && !environment[row.keyEnv]?.trim())) return [];
    const known = [...Object.keys(row.prices ?? {}), ...listed(provider)];
    return listNames({ provider, model }, [...(row.knownAs ?? []), ...known]);
  });
}

function listNames({ provider, model }: Offerer, known: readonly string[]): string[] {
  return [model, ...sortNewestFirst(known, model)].map((name) => toModelName({ provider, model: name }));
}

/** Sorts models: those of the default's family first, and within a family the higher number first. */
function sortNewestFirst(models: readonly string[], first: string): string[] {
  const family = getFamily(first);
  const isKin = (model: string): number => Number(getFamily(model) === family);
  return [...models].sort((a, b) => isKin(b) - isKin(a) || b.localeCompare(a, "en", { numeric: true }));
}

/** Returns `gpt` for `gpt-6.1-terra`. */
function getFamily(model: string): string {
  return /^[a-z]+/i.exec(model)?.[0] ?? "";
}
