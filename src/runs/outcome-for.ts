import type { Outcome } from "../core/outcome.ts";
import { confirmableCall, confirmablePlan } from "./questions/confirm.ts";
import type { OpenQuestion } from "./questions/run-question.ts";
import type { HeldRun } from "./run-handle.ts";
import type { RunSeat } from "./run-service.ts";
import type { Attended } from "./wait-for-run.ts";

/** What a request is told of its run: how it ended, what is known, or what a person has to agree to. */
export async function outcomeFor(seat: RunSeat, run: HeldRun, attended: Attended): Promise<Outcome> {
  if (attended.end === "window") return run.soFar();
  if (attended.end === "confirm") return waitingCall(seat, run, attended.open);
  run.isDelivered = true;
  return withPlanToken(seat, run.soFar());
}

function waitingCall({ confirmations }: Pick<RunSeat, "confirmations">, run: HeldRun, open: OpenQuestion): Outcome {
  const { question, until } = open;
  const token = confirmations.mint(confirmableCall(run, open), until);
  const { tool, arguments: args, rule } = question.kind === "call" ? question.request : unknownCall;
  return {
    ...run.soFar(),
    status: "needs_confirmation",
    stop_reason: "confirmation",
    confirmation: { token, kind: "call", tool, arguments: args, rule, expires_at: new Date(until).toISOString() },
  };
}

const unknownCall = { tool: undefined, arguments: undefined, rule: undefined };

/** With the token that confirms its plan, as long as that very plan waits. */
export async function withPlanToken(
  { duet, settings, confirmations, caller }: RunSeat,
  outcome: Outcome,
): Promise<Outcome> {
  const { status, conversation_id: id, run_id } = outcome;
  if (status !== "needs_confirmation") return outcome;
  const store = await duet.store(caller);
  const newest = (await store.runs({ conversationId: id })).at(-1);
  const pendingPlan = (await store.load(id))?.pendingPlan;
  // A later run may have left another plan than the one that is shown here.
  if (pendingPlan === undefined || newest?.id !== run_id) return outcome;
  const until = Date.now() + settings.confirmTime * 1000;
  const token = confirmations.mint(confirmablePlan(id, pendingPlan, caller.owner), until);
  return { ...outcome, confirmation: { token, kind: "plan", expires_at: new Date(until).toISOString() } };
}
