import { sleep } from "../../kit/async/timeout.ts";
import type { JsonObject } from "../../kit/json.ts";
import type { Authenticate, OpenPages } from "./auth/open-auth.ts";

/** Whether a question could be served now, and what speaks for it or against it. */
export interface Readiness {
  isReady: boolean;
  /** For those who are signed in. */
  details: JsonObject;
}

export interface HealthOptions {
  readiness(): Promise<Readiness>;
  authenticate: Authenticate;
  /** Aborted once the server has been told to end. */
  signal: AbortSignal;
}

/** How long whoever asks waits, in milliseconds. */
const patienceMs = 2000;

/** `/healthz`: the process answers. `/readyz`: it could serve a question now; why not is told to those who may know. */
export function createHealthPages({ readiness, authenticate, signal }: HealthOptions): OpenPages {
  async function look(): Promise<Readiness> {
    if (signal.aborted) return stopping;
    const over = new AbortController();
    const late = sleep(patienceMs, over.signal).then(unknown, unknown);
    const found = await Promise.race([readiness().catch(unknown), late]);
    over.abort();
    return found;
  }

  async function isAdmitted(request: Request): Promise<boolean> {
    return !("status" in (await authenticate(request).catch(() => nobody)));
  }

  return {
    "/healthz": () => Response.json({ status: "ok" }),
    "/readyz": async (request) => {
      const [{ isReady, details }, mayKnow] = await Promise.all([look(), isAdmitted(request)]);
      const status = isReady ? "ready" : "not ready";
      return Response.json(mayKnow ? { status, ...details } : { status }, { status: isReady ? 200 : 503 });
    },
  };
}

const stopping: Readiness = { isReady: false, details: { reason: "stopping" } };
const nobody = { status: 401 };

function unknown(): Readiness {
  return { isReady: false, details: {} };
}
