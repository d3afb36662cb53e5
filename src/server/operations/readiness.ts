import type { Duet } from "../../app/open-duet.ts";
import type { Config } from "../../config/load-config.ts";
import { toModelName } from "../../core/model.ts";
import type { Readiness } from "../http/health.ts";

/** Servers that are starting are told as such rather than waited for, in milliseconds. */
const patienceMs = 300;

/**
 * Whether a question could be served now: each model in force has its key, the one that decides is not paused after failing
 * for run after run, conversations can be kept, and of the downstream servers not every one is down (one alone is no reason to
 * take all out of service). Asks no model anything.
 */
export async function findReadiness(duet: Duet, config: Pick<Config, "models">): Promise<Readiness> {
  const [models, servers, store] = await Promise.all([findModels(duet, config), findServers(duet), findStore(duet)]);
  const areAllDown = servers.length > 0 && servers.every(({ state }) => state === "failed" || state === "closed");
  const canDecide = models !== null && !models.paused.some(({ model }) => model === models.function_call);
  const isReady = canDecide && models.without_key.length === 0 && store === "ok" && !areAllDown;
  return { isReady, details: { models, servers, store } };
}

/** Null where none can be opened. */
async function findModels(duet: Duet, { models }: Pick<Config, "models">) {
  try {
    const { functionCall, answer } = await duet.models();
    const inForce = { function_call: toModelName(functionCall), answer: toModelName(answer) };
    const isInForce = (name: string): boolean => Object.values(inForce).includes(name);
    return {
      ...inForce,
      without_key: withoutKey(models).filter(isInForce),
      paused: (await duet.pausedModels()).filter(({ model }) => isInForce(model)).map((paused) => ({ ...paused })),
    };
  } catch {
    return null;
  }
}

/** What is configured and would be refused for want of its key. */
function withoutKey({ functionCall, answer }: Config["models"]): string[] {
  return [functionCall, answer]
    .filter((choice) => choice !== undefined)
    .filter((choice) => "wire" in choice && choice.apiKeyEnv !== undefined && !choice.apiKey)
    .map(toModelName);
}

async function findServers(duet: Duet) {
  const all = await duet
    .servers(AbortSignal.timeout(patienceMs))
    .catch(async () => (await duet.inventory(undefined, 0)).servers);
  return all.map(({ name, state }) => ({ name, state }));
}

async function findStore(duet: Duet): Promise<"ok" | "failed"> {
  const ask = async () => (await duet.store()).runs({ newest: 1 });
  return ask().then(
    () => "ok",
    () => "failed",
  );
}
