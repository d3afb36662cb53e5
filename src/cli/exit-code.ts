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

/** Adds up the exit codes of several questions, one after the other. */
export interface JointExitCode {
  /** Is the code of the last question that did not succeed, and 0 where all have. */
  readonly code: number;
  /** `goesOn` is true where the question went on with the one before. */
  add(outcome: Outcome | undefined, goesOn: boolean): void;
}

export function createJointExitCode(): JointExitCode {
  let earlier = 0;
  let last = 0;
  let isPlanOpen = false;
  return {
    get code() {
      return last || earlier;
    },
    add(outcome, goesOn) {
      // The reply to a plan is answered in its place.
      if (!goesOn && !isPlanOpen) earlier = last || earlier;
      last = toExitCode(outcome);
      isPlanOpen = outcome?.status === "needs_confirmation";
    },
  };
}
