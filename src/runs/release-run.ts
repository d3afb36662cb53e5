import type { RunHandle } from "./run-handle.ts";
import type { RunService } from "./run-service.ts";

/**
 * Releases the run on behalf of these holders. If nobody else holds it, it is cancelled, unless the configuration says
 * otherwise.
 */
export function releaseRun(
  { settings }: Pick<RunService, "settings">,
  run: RunHandle,
  holders: readonly object[],
): void {
  const wasLast = holders.map((holder) => run.release(holder)).includes(true);
  if (wasLast && settings.onDisconnect === "cancel") run.cancel();
}
