import type { StoreState } from "../../app/conversations/store-monitor.ts";
import type { Duet } from "../../app/duet.ts";
import { getFailure } from "../../client/unusable-server.ts";
import type { Config } from "../../config/config.ts";
import { toModelName } from "../../core/model/model.ts";
import { sleep } from "../../kit/async/timeout.ts";
import type { JsonObject } from "../../kit/json.ts";
import type { AuthenticateFrom } from "./auth/guess-limit.ts";
import type { OpenPages } from "./auth/open-auth.ts";

/** Says whether a question could be served now, and why. */
export interface Readiness {
  isReady: boolean;
  /** Is shown only to callers who are signed in. */
  details: JsonObject;
}

export interface HealthOptions {
  readiness(): Promise<Readiness>;
  authenticate: AuthenticateFrom;
  /** Aborts when the server is asked to stop. */
  signal: AbortSignal;
}

/** Limits how long the client waits for the answer, in milliseconds. */
const patienceMs = 2000;

/**
 * Serves `/healthz`, which says that the process answers, and `/readyz`, which says whether it could serve a question now. The
 * reasons are shown only to callers who may know them.
 */
export function createHealthPages({ readiness, authenticate, signal }: HealthOptions): OpenPages {
  async function checkReadiness(): Promise<Readiness> {
    if (signal.aborted) return stopping;
    const over = new AbortController();
    const late = sleep(patienceMs, over.signal).then(createUnknownReadiness, createUnknownReadiness);
    const found = await Promise.race([readiness().catch(createUnknownReadiness), late]);
    over.abort();
    return found;
  }

  async function isAdmitted(request: Request, address: string): Promise<boolean> {
    return !("status" in (await authenticate(request, address).catch(() => nobody)));
  }

  return {
    "/healthz": () => Response.json({ status: "ok" }),
    "/readyz": async (request, address) => {
      const [{ isReady, details }, mayKnow] = await Promise.all([checkReadiness(), isAdmitted(request, address)]);
      const status = isReady ? "ready" : "not ready";
      return Response.json(mayKnow ? { status, ...details } : { status }, { status: isReady ? 200 : 503 });
    },
  };
}

const stopping: Readiness = { isReady: false, details: { reason: "stopping" } };
const nobody = { status: 401 };

function createUnknownReadiness(): Readiness {
  return { isReady: false, details: {} };
}

/** The check waits at most this long, in milliseconds, and reports servers that are still starting. */
const readinessPatienceMs = 300;

/**
 * Says whether a question could be served now: each model in force has its key, the deciding model or one of its fallbacks is not
 * paused after failures in consecutive runs, conversations can be stored, and at least one downstream server is up (one that is
 * down is no reason to take everything out of service). Sends no request to a model.
 */
export async function findReadiness(duet: Duet, config: Pick<Config, "models">): Promise<Readiness> {
  const [models, servers, store] = await Promise.all([findModels(duet, config), findServers(duet), findStore(duet)]);
  const areAllDown = servers.length > 0 && servers.every(({ state }) => state === "failed" || state === "closed");
  const isPaused = (name: string): boolean => models?.paused.some(({ model }) => model === name) ?? true;
  const canDecide = models?.deciders.some((name) => !isPaused(name)) ?? false;
  const isReady = canDecide && models?.without_key.length === 0 && store !== "failing" && !areAllDown;
  const { deciders: _, ...shown } = models ?? {};
  return { isReady, details: { models: models && shown, servers, store } };
}

/** Returns null when no model can be opened. */
async function findModels(duet: Duet, { models }: Pick<Config, "models">) {
  try {
    const { functionCall, answer, fallbacks } = await duet.models.open();
    const deciders = [functionCall, ...(fallbacks?.functionCall ?? [])].map(toModelName);
    const inForce = { function_call: toModelName(functionCall), answer: toModelName(answer) };
    const isInForce = (name: string): boolean => [...Object.values(inForce), ...deciders].includes(name);
    return {
      ...{ ...inForce, deciders },
      without_key: listModelsWithoutKey(models).filter(isInForce),
      paused: (await duet.models.listPaused()).filter(({ model }) => isInForce(model)).map((paused) => ({ ...paused })),
    };
  } catch {
    return null;
  }
}

/** Lists the configured models that would be refused because their key is missing. */
function listModelsWithoutKey({ functionCall, answer }: Config["models"]): string[] {
  return [functionCall, answer]
    .filter((choice) => choice !== undefined)
    .filter((choice) => "wire" in choice && choice.apiKeyEnv !== undefined && !choice.apiKey)
    .map(toModelName);
}

async function findServers(duet: Duet) {
  const all = await duet.servers
    .waitForStatus(AbortSignal.timeout(readinessPatienceMs))
    .catch(async () => (await duet.inventory(undefined, 0)).servers);
  return all.map((status) => ({
    name: status.name,
    // Whether a further try succeeds is not known before its end.
    state: getFailure(status) ? "failed" : status.state,
    ...(status.lastError && { error: status.lastError.code }),
  }));
}

async function findStore(duet: Duet): Promise<StoreState> {
  const ask = async () => (await duet.store()).runs({ newest: 1 });
  return ask().then(
    () => duet.storeHealth.status.state,
    () => "failing",
  );
}
