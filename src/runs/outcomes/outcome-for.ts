import type { Outcome } from "../../core/run/outcome.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import { addEarlier } from "../continued-runs.ts";
import type { RunHandle } from "../live/run-handle.ts";
import type { WaitResult } from "../live/wait-for-run.ts";
import { toConfirmableCall, toConfirmablePlan } from "../questions/confirm.ts";
import type { OpenQuestion } from "../questions/open-question.ts";
import type { CallerScope } from "../run-service.ts";
import { toRunningOutcome } from "./running-outcome.ts";

/**
 * Returns what a request learns about its run: its outcome, what is known so far, or what a person has to approve. The runs with which
 * it goes on are part of that.
 */
export async function toOutcomeFor(scope: CallerScope, run: RunHandle, waitResult: WaitResult): Promise<Outcome> {
  return addEarlier(scope, run, await toOwnOutcome(scope, run, waitResult));
}

/** Records that a request returns the end of the run, for which it has waited: the same question begins a new run then. */
export function markDelivered(run: RunHandle, { end }: WaitResult): void {
  if (end === "ended" && !run.isMoved) run.isDelivered = true;
}

async function toOwnOutcome(scope: CallerScope, run: RunHandle, waitResult: WaitResult): Promise<Outcome> {
  if (run.isMoved) return toRunningOutcome(run);
  if (waitResult.end === "window") return run.snapshot();
  if (waitResult.end === "confirm") return addCallToken(scope, run, waitResult.open);
  return addPlanToken(scope, run.snapshot());
}

function addCallToken(
  { confirmations }: Pick<CallerScope, "confirmations">,
  run: RunHandle,
  open: OpenQuestion<"call">,
): Outcome {
  const { tool, arguments: args, rule, reason } = open.question;
  const { until } = open;
  const token = confirmations.mint(toConfirmableCall(run, open), until);
  return {
    ...run.snapshot(),
    status: "needs_confirmation",
    stop_reason: "confirmation",
    confirmation: {
      token,
      kind: "call",
      tool,
      arguments: args,
      rule,
      ...(reason === undefined ? {} : { reason }),
      expires_at: new Date(until).toISOString(),
    },
  };
}

/** Adds the token that confirms the run's plan, as long as that plan waits for an answer. */
export async function addPlanToken(
  { duet, settings, confirmations, caller }: CallerScope,
  outcome: Outcome,
): Promise<Outcome> {
  const { status, conversation_id: id } = outcome;
  if (status !== "needs_confirmation") return outcome;
  const store = await duet.store(caller);
  const isNewest = await isNewestRun(store, outcome);
  const pendingPlan = (await store.load(id))?.pendingPlan;
  // A later run may have left another plan than the one that is shown here.
  if (pendingPlan === undefined || !isNewest) return outcome;
  const until = Date.now() + settings.confirmTime * 1000;
  const token = confirmations.mint(toConfirmablePlan(id, pendingPlan, caller.owner), until);
  return { ...outcome, confirmation: { token, kind: "plan", expires_at: new Date(until).toISOString() } };
}

/** Returns true where the outcome's run is the last one of its conversation, with which a reply or a further run goes on. */
export async function isNewestRun(
  store: Pick<ConversationStore, "runs">,
  { conversation_id: conversationId, run_id }: Pick<Outcome, "conversation_id" | "run_id">,
): Promise<boolean> {
  return (await store.runs({ conversationId })).at(-1)?.id === run_id;
}
