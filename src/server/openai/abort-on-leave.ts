import { releaseRun } from "../../runs/release-run.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import type { RunService } from "../../runs/run-service.ts";
import type { RouteCall } from "../http/routes.ts";

/**
 * Cancels the run when its client disconnects, unless others hold the run or the configuration says otherwise. The returned
 * signal aborts on the disconnect.
 */
export function abortOnLeave({ connection }: RouteCall, run: RunHandle, service: RunService): AbortSignal {
  const gone = new AbortController();
  run.hold(connection);
  connection.onClose((isWhole) => {
    if (isWhole) return void run.release(connection);
    releaseRun(service, run, [connection]);
    gone.abort();
  });
  return gone.signal;
}
