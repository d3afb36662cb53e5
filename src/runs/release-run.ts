import type { RunHandle } from "./run-handle.ts";
import type { RunService } from "./run-service.ts";

/** These count on the run no longer; where nobody else does, it ends, unless it is configured otherwise. */
export function releaseRun(
  { settings }: Pick<RunService, "settings">,
  run: RunHandle,
  holders: readonly object[],
): void {
  const wasLast = holders.map((holder) => run.release(holder)).includes(true);
  if (wasLast && settings.onDisconnect === "cancel") run.cancel();
}
