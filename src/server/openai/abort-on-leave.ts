import { giveUp } from "../../runs/release-run.ts";
import type { HeldRun } from "../../runs/run-handle.ts";
import type { RunRoom } from "../../runs/run-service.ts";
import type { RouteCall } from "../http/routes.ts";

/** A client that leaves ends its run, unless others count on it or it is configured otherwise. The signal aborts when it has left. */
export function holdFor({ connection }: RouteCall, run: HeldRun, room: RunRoom): AbortSignal {
  const gone = new AbortController();
  run.hold(connection);
  connection.onClose((isWhole) => {
    if (isWhole) return void run.release(connection);
    giveUp(room, run, [connection]);
    gone.abort();
  });
  return gone.signal;
}
