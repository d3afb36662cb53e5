import { stoppingLimits } from "../../core/limits/limits.ts";
import type { Outcome, StopReason } from "../../core/run/outcome.ts";
import type { ConversationTurn } from "../../core/store/conversations/conversation.ts";
import type { FinishedRun } from "../../core/store/store.ts";
import { say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { joinNote, renderQuestionNote } from "../context/day-note.ts";
import { describeTurnEnd, type TurnEnd } from "../context/turn-ends.ts";
import type { Run } from "../run.ts";
import { toTurnSteps } from "./record-step.ts";
import { getCause, type RunResult } from "./run-result.ts";

/** Returns what a conversation keeps of a run that has ended: also of one that was stopped, or that failed. */
export function toTurnRecord(
  run: Run,
  ending: RunResult,
  outcome: Outcome,
): Pick<FinishedRun, "turn" | "pendingPlan" | "files" | "marker" | "results" | "lastResult"> {
  const turn = isForgotten(run, ending, outcome) ? undefined : toTurn(run, ending, outcome);
  const pendingPlan = getPendingPlan(run, ending, { outcome, hasTurn: turn !== undefined });
  if (turn === undefined) return { turn, pendingPlan };
  const shown = [...(turn.files ?? []), ...(turn.images ?? [])];
  const results = run.state.results.listKept();
  return {
    turn,
    pendingPlan,
    marker: run.input.marker,
    lastResult: run.input.results,
    ...(results.length > 0 && { results }),
    ...(shown.length > 0 && { files: run.services.files.list(shown) }),
  };
}

/** Limits the images of tools that the next turn sees again. The last ones show how things stand. */
export const mostKeptImages = 4;

function toTurn(run: Run, ending: RunResult, outcome: Outcome): ConversationTurn {
  const { attached: files = [], question } = run.input;
  const { answerPrompt } = run.state;
  const steps = toTurnSteps(run);
  const images = run.state.images.slice(-mostKeptImages);
  const note = renderQuestionNote(run);
  const end = findEnd(ending, outcome);
  return {
    question,
    answer: toAnswer(run, end),
    ...(files.length > 0 && { files }),
    ...(images.length > 0 && { images }),
    ...(isTurnStatus(outcome.status) && { status: outcome.status }),
    ...(steps.length > 0 && { steps }),
    note,
    ...(run.input.answeredBy !== undefined && { answeredBy: run.input.answeredBy }),
    // What follows from the rest is not kept twice.
    ...(answerPrompt !== undefined && answerPrompt !== joinNote(note, question) && { answerPrompt }),
  };
}

function isTurnStatus(status: Outcome["status"]): status is "partial" | "failed" | "cancelled" {
  return status === "partial" || status === "failed" || status === "cancelled";
}

/** Returns the answer as it was shown, with a line that says how it ended where it is not complete. */
function toAnswer({ state: { answer }, input: { language, marker } }: Run, end: TurnEnd | undefined): string {
  const kept = answer.kept.trimEnd();
  if (end === undefined) return kept;
  const line = say(language, describeTurnEnd(end, kept !== "")).replaceAll(marker, "…");
  return kept === "" ? line : `${kept}\n\n${line}`;
}

/** Returns undefined for an answer that a model has finished, and for a plan that waits. */
function findEnd(ending: RunResult, { status, stop_reason }: Outcome): TurnEnd | undefined {
  if (status === "cancelled") return { status };
  const isCut = status === "partial" && ending.written?.finish !== "stop";
  if (status !== "failed" && !isCut) return undefined;
  const error = getCause(ending);
  const limit = stoppingLimits.find(({ stop }) => stop.stopReason === stop_reason);
  if (limit) return { status, why: limit.stop.partial };
  if (error) return { status, why: shortenWhy(error.text) };
  return { status, why: causes[stop_reason] ?? noWords };
}

/** Limits the reason of a failure, in characters. */
const longestWhy = 300;

function shortenWhy({ zh, en }: Text): Text {
  return { zh: toShortLine(zh, longestWhy), en: toShortLine(en, longestWhy) };
}

/** Says why an answer ends that no error and no limit has ended. */
const causes: Partial<Record<StopReason, Text>> = {
  length: { zh: "达到了输出上限", en: "the output limit was reached" },
  refused: { zh: "模型拒绝继续回答", en: "the model refused to go on" },
};
const noWords: Text = { zh: "模型没有给出回答", en: "the model gave no answer" };

/** A reply to a plan that waits, and that came to nothing, can be given again. A plan that was declined is not remembered. */
function isForgotten(run: Run, ending: RunResult, outcome: Outcome): boolean {
  if (outcome.success) return false;
  const isDeclined = ending.work?.halt !== undefined;
  return isDeclined || (hasWaitingPlan(run) && isWithoutEffect(run, outcome));
}

function hasWaitingPlan({ input: { mode, conversation } }: Run): boolean {
  return mode === "plan" && conversation.pendingPlan !== undefined;
}

function isWithoutEffect({ state: { answer, calls } }: Run, { success }: Outcome): boolean {
  return !success && calls.length === 0 && answer.written.trim() === "";
}

interface RunConclusion {
  outcome: Outcome;
  hasTurn: boolean;
}

/**
 * Returns the plan that waits for a reply. A plan that was already waiting stays pending if nobody replied to it, or the reply
 * had no effect.
 */
function getPendingPlan(run: Run, { work }: RunResult, { outcome, hasTurn }: RunConclusion): string | undefined {
  if (run.input.mode !== "plan") return run.input.conversation.pendingPlan;
  const halt = work?.halt;
  if (outcome.status === "needs_confirmation" && halt?.halt === "unconfirmed") return halt.pendingPlan;
  const isDeclined = outcome.status === "cancelled" && halt?.halt === "declined";
  const cameToNothing = !outcome.success && !isDeclined && !hasTurn && run.state.calls.length === 0;
  return cameToNothing ? run.input.conversation.pendingPlan : undefined;
}
