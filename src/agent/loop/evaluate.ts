import { isLimit, type Verdict } from "../../core/run/verdict.ts";
import { createTimeLimit, timeoutError, waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError, getMessage } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import { say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { findReachedLimit, type Progress } from "../limits/reached-limit.ts";
import type { Limits } from "../limits/run-clock.ts";
import type { LoopState, Run } from "../run.ts";
import type { Observation } from "./calls/observe-call.ts";
import type { EvaluatedResult, Evaluation, EvaluationFacts } from "./evaluator.ts";

const evaluatorTimeoutMs = 5_000;

export interface RoundFacts {
  round: readonly Observation[];
  observations: readonly Observation[];
}

/** Holds a verdict, with the evaluator's own words where it gave any. */
export interface JudgedVerdict {
  verdict: Verdict;
  custom?: string | undefined;
}

/**
 * Lets the user's evaluator overrule the built-in rules, but never a limit. One that throws, takes too long or answers
 * with something else is reported in a notice, and the rules stand.
 */
export async function askEvaluator(run: Run, ruled: Verdict, facts: RoundFacts): Promise<JudgedVerdict> {
  const {
    services: { evaluator },
  } = run;
  if (!evaluator || isLimit(ruled) || ruled.reason === "calls-used") return { verdict: ruled };
  const limit = createTimeLimit(
    evaluatorTimeoutMs,
    () => timeoutError({ zh: "自定义评估", en: "the evaluator" }, evaluatorTimeoutMs),
    run.services.clock.decideSignal,
  );
  try {
    const callEvaluator = async (): Promise<JudgedVerdict> => {
      const asked = (async () => evaluator(toFacts(run.state, facts, limit.signal)))();
      const said = await waitAbortable(asked, limit.signal);
      // A module in JavaScript may say nothing in its own way.
      return said ? toVerdict(said) : { verdict: ruled };
    };
    return await run.services.record.remember("verdict", isJudgedVerdict, callEvaluator);
  } catch (thrown) {
    run.services.clock.callerSignal.throwIfAborted();
    const words = thrown instanceof DuetError ? say(run.input.locale, thrown.text) : getMessage(thrown);
    const reason = sanitizeLine(words);
    const message = say(run.input.locale, {
      zh: `自定义评估出错，改用内置规则：${reason}`,
      en: `The custom evaluator failed; using the built-in rules: ${reason}`,
    });
    run.services.emit({ type: "notice", level: "warning", code: "evaluator-failed", message });
    return { verdict: ruled };
  } finally {
    limit.clear();
  }
}

/** A run reads only what it recorded. */
function isJudgedVerdict(value: unknown): value is JudgedVerdict {
  return isRecord(value) && isRecord(value.verdict) && typeof value.verdict.reason === "string";
}

function toVerdict({ verdict, reason }: Evaluation): JudgedVerdict {
  const custom = reason === undefined ? undefined : sanitizeLine(String(reason));
  if (verdict === "continue" || verdict === "answer") return { verdict: { verdict, reason: "custom" }, custom };
  throw new Error(`verdict is ${JSON.stringify(verdict)} ("continue", "answer")`);
}

function toFacts(state: LoopState, { round, observations }: RoundFacts, signal: AbortSignal): EvaluationFacts {
  return {
    question: state.question,
    iterations: state.statistics.iterations,
    toolCalls: state.statistics.toolCalls,
    results: round.map(toResult),
    allResults: observations.map(toResult),
    signal,
  };
}

function toResult({ call, result, text }: Observation): EvaluatedResult {
  return { tool: call.name, arguments: call.arguments ?? call.argumentsText, ok: result.ok, text };
}

/** Decides after a round of tool calls whether to go on: by the limits, by repetition and by the results themselves. */
export function evaluate(progress: Progress, round: ToolRound, limits: Limits): Verdict {
  const limit = findReachedLimit(progress, limits);
  const hasRefused = round.observations.some(({ isOverLimit }) => isOverLimit);
  if (limit === "tool-call-limit" && !hasRefused) return { verdict: "answer", reason: "calls-used" };
  if (limit) return { verdict: "answer", reason: limit };
  if (round.isCircle) return { verdict: "answer", reason: "repetition" };
  const { observations } = round;
  if (observations.every(({ result }) => !result.ok)) return { verdict: "continue", reason: "tool-failed" };
  if (observations.every((observation) => isThin(observation, limits)))
    return { verdict: "continue", reason: "result-thin" };
  if (limits.stopWhenSufficient) return { verdict: "answer", reason: "sufficient" };
  return { verdict: "continue", reason: "model-decides" };
}

export interface ToolRound {
  observations: readonly Observation[];
  /** Is true when calls were refused once more because they would only repeat known results. */
  isCircle: boolean;
}

function isThin({ result, text }: Observation, limits: Limits): boolean {
  return !result.ok || text.trim().length < limits.minResultLength;
}
