import { mapLimits, stoppingLimits } from "../../core/limits/limits.ts";
import type { FinishReason, Turn } from "../../core/model/model.ts";
import { hasSucceeded, type Outcome, type OutcomeMeta, type StopReason } from "../../core/run/outcome.ts";
import type { Verdict } from "../../core/run/verdict.ts";
import { DuetError, type ErrorReport, toErrorReport } from "../../kit/errors.ts";
import type { JsonObject } from "../../kit/json.ts";
import { say } from "../../kit/locale.ts";
import { isBlank } from "../../kit/text/is-blank.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { chatAdvice, isHelpedByChat } from "../../render/chat-advice.ts";
import { joinSentences } from "../../render/event-lines.ts";
import { findReachedSetting } from "../limits/name-limit.ts";
import { getDepth, type Run, type RunInput, type RunServices } from "../run.ts";
import type { Observation } from "./calls/observe-call.ts";

/** Holds the result of a run before it is converted to an outcome. */
export interface RunResult {
  work?: DecideResult;
  written?: AnswerResult;
  error?: DuetError;
}

/** Says what a run came to: complete, or partial, failed, cancelled and why. */
export function toOutcome(run: Run, ending: RunResult, elapsedMs: number): Outcome {
  const { status, stop } = evaluateResult(run, ending);
  const limit = hasSucceeded(status) ? findReachedSetting(run, stop, ending.work?.reason) : undefined;
  return {
    success: hasSucceeded(status),
    status,
    stop_reason: stop,
    response: run.state.answer.shown,
    conversation_id: run.input.conversation.id,
    run_id: run.input.id,
    trace_id: run.input.traceId,
    tool_calls: run.state.calls,
    citations: run.state.answer.citations(),
    meta: toBill(run, elapsedMs),
    error: reportOf(run.input, ending, status),
    ...(limit && { limit }),
    ...(ending.written?.output && { output: ending.written.output }),
  };
}

export function toBill(run: Run, elapsedMs: number): OutcomeMeta {
  const compact = run.state.statistics.compactBill();
  return {
    total_tokens: run.state.statistics.totalTokens(),
    tool_calls_count: run.state.calls.length,
    latency_ms: Math.round(elapsedMs),
    iterations: run.state.statistics.iterations,
    mode: run.input.mode,
    cost_usd: run.state.statistics.totalCost(),
    agents: run.state.subAgents.bill(),
    models: {
      function_call: run.state.statistics.bill("functionCall", run.services.models.functionCall),
      answer: run.state.statistics.bill("answer", run.services.models.answer),
      // Readers add up the bills that there are, so none may be there without a value.
      ...(compact && { compact }),
    },
  };
}

function reportOf(input: RunInput, ending: RunResult, status: Outcome["status"]): ErrorReport | null {
  if (status === "complete" || status === "cancelled" || status === "needs_confirmation") return null;
  const error = getCause(ending);
  if (status === "partial") return error ? toErrorReport(error, input.locale) : null;
  const report = toErrorReport(error ?? emptyAnswerError({ finish: "stop" }), input.locale);
  const { code, hint } = report;
  // Chat mode cannot help with a chain of agents.
  const isElsewhere = input.answeredBy !== undefined || getDepth(input) > 0;
  if (isElsewhere || !isHelpedByChat(input.mode, code)) return report;
  const advice = say(input.locale, chatAdvice);
  return { ...report, hint: hint ? joinSentences(hint, advice) : advice };
}

/** Returns the cause of a run's failure: the last error, or the one that occurred before the time ran out. */
export function getCause({ error, written, work }: RunResult): DuetError | undefined {
  const last = error ?? written?.error ?? work?.error;
  return last?.code === "timeout" ? (work?.error ?? last) : last;
}

type Judgement = { status: Outcome["status"]; stop: StopReason };

function evaluateResult(run: Run, ending: RunResult): Judgement {
  if (run.services.clock.callerSignal.aborted) return { status: "cancelled", stop: "cancelled" };
  if (ending.error) return { status: "failed", stop: toFailedReason(run.services, ending.error) };
  if (ending.work?.halt) return halts[ending.work.halt.halt];
  const finish = ending.written?.finish;
  const cut: StopReason = isTimeOver(run, ending) ? "time_limit" : "error";
  if (isBlank(run.state.answer.shown)) return { status: "failed", stop: finish === "refused" ? "refused" : cut };
  if (finish === undefined) return { status: "partial", stop: cut };
  const stop = stopReasons[ending.work?.reason ?? "model-decided"];
  // A model that asks for tools when the time for them is over lacks what the limit has cut.
  if (finish !== "stop")
    return { status: "partial", stop: finish === "tool-calls" && stop !== "answered" ? stop : cuts[finish] };
  return { status: stop === "answered" ? "complete" : "partial", stop };
}

/** Returns true when the time cut the answer off: that of the run, or that of deciding where a single model was deciding. */
function isTimeOver({ services: { clock } }: Run, { work }: RunResult): boolean {
  return clock.answerSignal.aborted || (work?.reason === "time-limit" && work.answer !== undefined);
}

const halts: Record<PlanHalt["halt"], Judgement> = {
  unconfirmed: { status: "needs_confirmation", stop: "confirmation" },
  declined: { status: "cancelled", stop: "cancelled" },
};

function toFailedReason(services: RunServices, { code }: DuetError): StopReason {
  if (services.clock.answerSignal.aborted) return "time_limit";
  return code === "content_filter" ? "refused" : "error";
}

const cuts: Record<Exclude<FinishReason, "stop">, StopReason> = {
  length: "length",
  refused: "refused",
  "content-filter": "refused",
  // An answer turn has no tools to call; a model that tries anyway has not answered.
  "tool-calls": "error",
};

export interface DecideResult {
  observations: Observation[];
  reason: Extract<Verdict, { verdict: "answer" }>["reason"];
  /** Holds the answer that a single model gave or began in its last decide turn. */
  answer?: AnswerResult;
  /** Holds the words with which a model closed its work when another one writes the answer. */
  lastWords?: string | undefined;
  /** Lists the steps that the model left out when it had to shorten its plan. */
  dropped?: readonly string[] | undefined;
  /** Explains why deciding ended early although there are results to answer from. */
  error?: DuetError | undefined;
  /** Holds the evaluator's own reason. */
  custom?: string | undefined;
  /** Is set in plan mode when the text that was written is not an answer. */
  halt?: PlanHalt;
}

/** The plan either waits for a reply, in the form that the conversation keeps, or was declined. */
type PlanHalt = { halt: "unconfirmed"; pendingPlan: string } | { halt: "declined" };

/** Says how writing the answer ended. `finish` is undefined when no model finished it. */
export interface AnswerResult {
  finish: FinishReason | undefined;
  /** Holds the answer in the form that was asked for. */
  output?: JsonObject;
  error?: DuetError;
}

/** Says why the tool calls of a run ended. */
export type AnswerReason = Extract<Verdict, { verdict: "answer" }>["reason"];

/** Maps these reasons to the outcome's words. */
const stopReasons: Record<AnswerReason, StopReason> = {
  "model-decided": "answered",
  sufficient: "answered",
  "plan-done": "answered",
  "rules-answered": "answered",
  custom: "answered",
  "model-failed": "error",
  "model-refused": "refused",
  "turn-cut": "length",
  ...mapLimits(
    stoppingLimits,
    ({ stop }) => stop.reason,
    ({ stop }) => stop.stopReason,
  ),
  // What ran is all that was asked for.
  "calls-used": "answered",
  "plan-failed": "error",
  repetition: "repetition",
};

/** Is true when the tool calls ended before their work was done, so that something may be missing. */
export function isEarlyEnd(reason: AnswerReason): boolean {
  return stopReasons[reason] !== "answered";
}

export function emptyAnswerError({ finish, refusal = "" }: Pick<Turn, "finish" | "refusal">): DuetError {
  if (finish === "refused" || finish === "content-filter") {
    const words = toShortLine(refusal, longestRefusal);
    return new DuetError({
      code: "content_filter",
      text: isBlank(words)
        ? { zh: "模型拒绝回答，没有给出任何内容。", en: "The model refused to answer and returned no text." }
        : { zh: `模型拒绝回答：${words}`, en: `The model refused to answer: ${words}` },
      hint: { zh: "换一种问法再试。", en: "Rephrase the question." },
    });
  }
  if (finish === "length")
    return new DuetError({
      code: "bad_response",
      text: {
        zh: "模型的输出在给出回答之前就达到了上限。",
        en: "The model reached its output limit before it answered.",
      },
      hint: { zh: "请增大 max_tokens。", en: "Raise max_tokens." },
    });
  return new DuetError({
    code: "bad_response",
    text: { zh: "模型没有给出回答。", en: "The model returned no answer." },
    hint: { zh: "换一种问法，或换用其他模型。", en: "Rephrase the question, or use another model." },
  });
}

/** Limits what an error quotes of a refusal, in UTF-16 units. */
const longestRefusal = 500;

export function unexpectedToolCallError(): DuetError {
  return new DuetError({
    code: "bad_response",
    text: {
      zh: "模型没有写完回答，而是要求调用工具。",
      en: "The model requested a tool instead of finishing its answer.",
    },
    hint: {
      zh: "放宽时间或调用次数的限制，或换用其他回答模型。",
      en: "Raise the time limit or the limit of tool calls, or use another answer model.",
    },
  });
}
