import { sleep } from "../../kit/async/timeout.ts";
import type { JsonObject } from "../../kit/json.ts";
import type { Authenticate, OpenPages } from "./auth/open-auth.ts";

/** Says whether a question could be served now, and why. */
export interface Readiness {
  isReady: boolean;
  /** Is shown only to callers who are signed in. */
  details: JsonObject;
}

export interface HealthOptions {
  readiness(): Promise<Readiness>;
  authenticate: Authenticate;
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

  async function isAdmitted(request: Request): Promise<boolean> {
    return !("status" in (await authenticate(request).catch(() => nobody)));
  }

  return {
    "/healthz": () => Response.json({ status: "ok" }),
    "/readyz": async (request) => {
      const [{ isReady, details }, mayKnow] = await Promise.all([checkReadiness(), isAdmitted(request)]);
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
