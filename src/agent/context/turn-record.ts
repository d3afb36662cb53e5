import type { Outcome } from "../../core/outcome.ts";
import type { FinishedRun } from "../../core/store/store.ts";
import { say } from "../../kit/errors.ts";
import type { RunResult } from "../loop/run-result.ts";
import type { Run } from "../run.ts";

/** Returns what a conversation keeps of a run that has ended. */
export function toTurnRecord(run: Run, ending: RunResult, outcome: Outcome): Pick<FinishedRun, "turn" | "pendingPlan"> {
  const answer = outcome.success ? run.state.answer.written : stoppedAnswer(run, ending);
  const turn = answer === undefined ? undefined : { question: run.input.question, answer };
  return { turn, pendingPlan: pendingPlanOf(run, ending, { outcome, hasTurn: turn !== undefined }) };
}

/** Returns what was written before the run was stopped, with a line that says so. The next turn can continue from it. */
function stoppedAnswer(
  {
    state: { answer },
    services: {
      clock: { callerSignal },
    },
    input: { language },
  }: Run,
  { work }: RunResult,
): string | undefined {
  const written = answer.written.trimEnd();
  if (!callerSignal.aborted || work?.halt || written === "") return undefined;
  return `${written}\n\n${say(language, stoppedHere)}`;
}

const stoppedHere = { zh: "（用户在此停止了回答。）", en: "(The user stopped the answer here.)" };

interface Came {
  outcome: Outcome;
  hasTurn: boolean;
}

/**
 * Returns the plan that waits for a reply. A plan that was already waiting stays pending if nobody replied to it, or the reply
 * had no effect.
 */
function pendingPlanOf(run: Run, { work }: RunResult, { outcome, hasTurn }: Came): string | undefined {
  if (run.input.mode !== "plan") return run.input.conversation.pendingPlan;
  const halt = work?.halt;
  if (outcome.status === "needs_confirmation" && halt?.halt === "unconfirmed") return halt.pendingPlan;
  const isDeclined = outcome.status === "cancelled" && halt?.halt === "declined";
  const cameToNothing = !outcome.success && !isDeclined && !hasTurn && run.state.calls.length === 0;
  return cameToNothing ? run.input.conversation.pendingPlan : undefined;
}
