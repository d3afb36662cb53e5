import type { Outcome } from "../../core/run/outcome.ts";
import type { RunHandle } from "../live/run-handle.ts";

/** Returns what is known of a run that goes on in another process, where whoever asks for its result gets it. */
export function toRunningOutcome(run: Pick<RunHandle, "snapshot">): Outcome {
  return { ...run.snapshot(), success: true, status: "running", stop_reason: "running", error: null };
}
