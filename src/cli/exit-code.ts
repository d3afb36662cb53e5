import type { Outcome } from "../core/run/outcome.ts";

const exitCodes: Record<Outcome["status"], number> = {
  complete: 0,
  failed: 1,
  partial: 3,
  cancelled: 130,
  running: 3,
  needs_confirmation: 3,
};

/**
 * Returns the exit code of docs/development/contract.md#commands for a question: 0 complete, 1 failed, 3 partial, 130 cancelled.
 * A question without an outcome did not begin, and has failed.
 */
export function toExitCode(outcome: Outcome | undefined): number {
  return outcome === undefined ? 1 : exitCodes[outcome.status];
}
