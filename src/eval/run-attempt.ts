import { hasOneModel, type Models } from "../agent/run.ts";
import { openOutputSchema } from "../app/ask/answer-form.ts";
import type { Duet } from "../app/duet.ts";
import type { AnswerForm } from "../core/answer-form.ts";
import { type Model, toModelName } from "../core/model/model.ts";
import { toUser } from "../core/questions/user.ts";
import type { AgentEvent } from "../core/run/events.ts";
import type { ModelBill, Outcome } from "../core/run/outcome.ts";
import { DuetError, type ErrorReport } from "../kit/errors.ts";
import type { Locale } from "../kit/locale.ts";
import { createRandomHex } from "../kit/random.ts";
import { type AttemptResult, addPhaseUse, type FailureKind, noPhaseUse, type PhaseUse } from "./attempt-result.ts";
import type { EvalCase, ExpectedCall } from "./case-file.ts";
import { type CheckResult, checkAnswer } from "./check-answer.ts";
import { endingErrors } from "./ending-errors.ts";
import { createJudge } from "./judge.ts";
import type { Attempt } from "./matrix.ts";
import { type CallScore, scoreCalls } from "./score-calls.ts";
import type { AttemptTimes } from "./times.ts";

/** Holds what an attempt runs with. */
export interface AttemptParts {
  duet: Duet;
  models: Models;
  judge: Model | undefined;
  /** Returns the tokens of the requests so far by the names of their models. */
  countRequests(): ReadonlyMap<string, number>;
  /** Holds the times of the recording where it is replayed. */
  recordedTimes?: AttemptTimes | undefined;
  /** Is true where no call can have an effect, so that each is approved. */
  approves: boolean;
  /** Limits the cost of the run, in US dollars. */
  costBudget?: number | undefined;
  runId: string;
  /** Is the language in which it is told what was wrong. */
  locale: Locale;
  signal: AbortSignal;
}

export function createRunId(): string {
  return `run-${createRandomHex().slice(0, 12)}`;
}

/** Asks one question and scores what comes of it. Rejects where the signal aborts, and for an error that all others would have. */
export async function runAttempt(attempt: Attempt, parts: AttemptParts): Promise<AttemptResult> {
  const form = await openForm(attempt.case);
  const { outcome, times, phases } = await runQuestion(attempt.case, form, parts);
  parts.signal.throwIfAborted();
  const { error } = outcome;
  if (error !== null && endingErrors.has(error.code)) throw toEndingError(error);
  // The judge's requests are none of the run's.
  const requestTokens = countRequestTokens(parts);
  const isComplete = outcome.status === "complete";
  const score = scoreCalls(attempt.case, outcome.tool_calls, isComplete);
  const judged = followCosts(parts.judge);
  const checks = isComplete
    ? await checkAnswer(
        attempt.case.answer,
        { ...outcome, question: attempt.case.question, form, locale: parts.locale },
        judged.model && createJudge(judged.model, parts.signal),
      )
    : [];
  parts.signal.throwIfAborted();
  const failure = findFailure(outcome, score, checks);
  const detail = failure && describeFailure(failure, { outcome, score, checks, expected: attempt.case.calls ?? [] });
  return {
    pair: attempt.pair,
    prompts: attempt.prompts,
    case: attempt.case.id,
    ...(attempt.case.group !== undefined && { group: attempt.case.group }),
    repetition: attempt.repetition,
    succeeded: failure === "not-judged" ? null : failure === null,
    failure,
    ...(detail && { detail }),
    status: outcome.status,
    stop_reason: outcome.stop_reason,
    tool_choice: score.choice,
    arguments: score.arguments,
    checks,
    calls: outcome.tool_calls.map(({ tool, arguments: args, ok }) => ({ tool, arguments: args, ok })),
    response: outcome.response,
    models: { function_call: toModelName(parts.models.functionCall), answer: toModelName(parts.models.answer) },
    tokens: splitTokens(parts.models, outcome),
    request_tokens: requestTokens,
    cost_usd: outcome.meta.cost_usd,
    judge_cost_usd: judged.cost(),
    phases,
    times: parts.recordedTimes ?? times,
  };
}

function toEndingError({ code, message, hint }: ErrorReport): DuetError {
  const toText = (text: string) => ({ zh: text, en: text });
  return new DuetError({ code, text: toText(message), ...(hint !== null && { hint: toText(hint) }) });
}

async function openForm({ answer, id }: EvalCase): Promise<AnswerForm | undefined> {
  const check = answer.find((each) => "schema" in each);
  if (check === undefined || !("schema" in check)) return undefined;
  return openOutputSchema(check.schema, { field: `${id}: schema`, code: "config" });
}

/** Runs the question, and measures when its parts ended. */
async function runQuestion(
  { question, mode, tools, timeout }: EvalCase,
  answerForm: AnswerForm | undefined,
  { duet, models, approves, costBudget, runId, signal }: AttemptParts,
): Promise<{ outcome: Outcome; times: AttemptTimes; phases: Record<string, PhaseUse> }> {
  const began = performance.now();
  const times: AttemptTimes = { total_ms: 0, first_text_ms: null, calls_ms: [], phases: {} };
  const phases: Record<string, PhaseUse> = {};
  const events = duet.ask({
    ...{ question, mode, tools, models, runId, signal, answerForm, isApart: true },
    ...(approves && { user: toUser({ approveCall: async () => "once" }) }),
    limits: { costBudget, ...(timeout !== undefined && { maxExecutionTimeMs: timeout * 1000 }) },
  });
  for await (const event of events) {
    if (event.type === "answer-delta") times.first_text_ms ??= roundTime(performance.now() - began);
    noteTime(times, event);
    if (event.type === "phase-end") {
      const { usage, costUsd } = event;
      const used = { turns: 1, input: usage.inputTokens, output: usage.outputTokens, cost_usd: costUsd };
      phases[event.phase] = addPhaseUse(phases[event.phase] ?? noPhaseUse, used);
    }
    if (event.type !== "run-end") continue;
    times.total_ms = roundTime(performance.now() - began);
    return { outcome: event.outcome, times, phases };
  }
  throw new DuetError({
    code: "internal",
    text: { zh: "运行没有结束事件", en: "the run ended without a run-end event" },
  });
}

function noteTime(times: AttemptTimes, event: AgentEvent): void {
  if (event.type === "tool-end") times.calls_ms.push(roundTime(event.elapsedMs));
  if (event.type !== "phase-end") return;
  const known = times.phases[event.phase] ?? [];
  times.phases[event.phase] = [...known, roundTime(event.elapsedMs)];
}

function roundTime(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function findFailure(outcome: Outcome, score: CallScore, checks: readonly CheckResult[]): FailureKind | null {
  if (outcome.stop_reason === "time_limit" || outcome.error?.code === "timeout") return "timeout";
  if (outcome.status === "failed" || outcome.status === "cancelled") return "error";
  if (score.choice === false) return "wrong-tool";
  if (score.arguments === false) return "wrong-arguments";
  if (outcome.status !== "complete") return "limit";
  if (checks.some(({ passed }) => passed === false)) return "answer";
  return checks.some(({ passed }) => passed === null) ? "not-judged" : null;
}

interface ScoredRun {
  outcome: Outcome;
  score: CallScore;
  checks: readonly CheckResult[];
  expected: readonly ExpectedCall[];
}

/** Says what was wrong: in names and values, which are the same in every language, and in the details of the checks. */
function describeFailure(failure: FailureKind, { outcome, score, checks, expected }: ScoredRun): string {
  const { error, stop_reason, tool_calls } = outcome;
  const listNames = (calls: readonly { tool: string }[]): string => calls.map(({ tool }) => tool).join(", ") || "—";
  if (failure === "wrong-tool") return `${listNames(expected)} ≠ ${listNames(tool_calls)}`;
  if (failure === "wrong-arguments")
    return score.faults
      .flatMap((fault) => (fault.kind === "arguments" ? [`${fault.tool}: ${fault.path}`] : []))
      .join(", ");
  if (failure === "error" && error) return `${error.code}: ${error.message}`;
  if (failure !== "answer" && failure !== "not-judged") return error?.code ?? stop_reason;
  const failed = checks.filter(({ passed }) => passed === (failure === "answer" ? false : null));
  return failed.map(({ kind, detail = "" }) => `${kind}: ${detail}`).join("; ");
}

/** Returns what the vendors counted by role. One model has all of it as `answer`. */
function splitTokens(models: Models, { meta }: Outcome): AttemptResult["tokens"] {
  const { function_call: decider, answer: writer } = meta.models;
  const toTokens = (bills: readonly ModelBill[]) => ({
    input: bills.reduce((sum, { input_tokens }) => sum + input_tokens, 0),
    output: bills.reduce((sum, { output_tokens }) => sum + output_tokens, 0),
  });
  if (hasOneModel(models)) return { function_call: toTokens([]), answer: toTokens([decider, writer]) };
  return { function_call: toTokens([decider]), answer: toTokens([writer]) };
}

/** Splits the tokens of requests by role. Fallbacks count in the total alone. */
function countRequestTokens({ countRequests, models }: AttemptParts): AttemptResult["request_tokens"] {
  const counts = countRequests();
  const [decider, writer] = [toModelName(models.functionCall), toModelName(models.answer)];
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    function_call: decider === writer ? 0 : (counts.get(decider) ?? 0),
    answer: counts.get(writer) ?? 0,
    total,
  };
}

/** Sums what the judge costs; null where a price is not known, and 0 where it is not asked. */
function followCosts(judge: Model | undefined): { model: Model | undefined; cost(): number | null } {
  let sum: number | null = 0;
  if (judge === undefined) return { model: undefined, cost: () => sum };
  const model: Model = {
    ...judge,
    provider: judge.provider,
    model: judge.model,
    stream: (...call) => judge.stream(...call),
    async call(request, signal) {
      const turn = await judge.call(request, signal);
      const cost = judge.cost?.(turn.usage) ?? null;
      sum = sum === null || cost === null ? null : sum + cost;
      return turn;
    },
  };
  return { model, cost: () => sum };
}
