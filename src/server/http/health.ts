import { sleep } from "../../core/waiting.ts";
import type { OpenPages } from "./authenticate.ts";

/** How long whoever asks waits, in milliseconds. */
const patienceMs = 2000;

/** `/healthz`: the process answers. `/readyz`: it could serve a question now. */
export function healthPages(isReady: () => Promise<boolean>): OpenPages {
  return {
    "/healthz": () => Response.json({ status: "ok" }),
    "/readyz": async () => {
      const over = new AbortController();
      const late = sleep(patienceMs, over.signal).then(no, no);
      const ready = await Promise.race([isReady().catch(no), late]);
      over.abort();
      return Response.json({ status: ready ? "ready" : "not ready" }, { status: ready ? 200 : 503 });
    },
  };
}

function no(): boolean {
  return false;
}
