import { noUsage } from "../../core/model/model.ts";
import type { RoutedCall, RuleRouter } from "../../core/model/rule-router.ts";
import type { Phase } from "../../core/run/events.ts";
import { say, type Text } from "../../kit/locale.ts";
import { countCallsLeft } from "../limits/reached-limit.ts";
import { act } from "../loop/calls/act.ts";
import type { Observation } from "../loop/calls/observe-call.ts";
import { toDecideResult } from "../loop/decide-result.ts";
import { recordCalls } from "../loop/record-step.ts";
import type { RunResult } from "../loop/run-result.ts";
import type { Run } from "../run.ts";

/**
 * Answers a plain request by rule, without a model, and bills none. Returns undefined where a model must answer: for a request
 * that the rules do not know for sure, and after a call that failed.
 */
export async function answerByRules(run: Run): Promise<Pick<RunResult, "work" | "written"> | undefined> {
  const { router, catalog, clock } = run.services;
  if (router === undefined) return undefined;
  const observations: Observation[] = [];
  for (let step = 1; ; step++) {
    const { question } = run.state;
    const done = observations.map(toRoutedCall);
    const found = router.findStep({ question, done, tools: catalog.definitions(), locale: run.input.language });
    if (found === undefined) {
      if (step > 1) noticeHandOver(run);
      return undefined;
    }
    if (found.step === "answer") {
      const work = toDecideResult(run, { observations, reason: "rules-answered" });
      showPhase(run, router, {
        phase: "answer",
        step,
        reason: reasons.answer,
        write: () => writeText(run, found.text),
      });
      return { work, written: { finish: "stop" } };
    }
    const showThought = (): void => run.services.emit({ type: "thought-delta", text: found.thought });
    showPhase(run, router, { phase: "decide", step, reason: reasons.decide, write: showThought });
    const made = await act(run, [found.call], step, countCallsLeft(run));
    recordCalls(run, made);
    observations.push(...made);
    clock.callerSignal.throwIfAborted();
  }
}

function toRoutedCall({ call, result, text }: Observation): RoutedCall {
  return { tool: call.name, arguments: call.arguments ?? {}, result: text, ok: result.ok };
}

function writeText({ state: { answer } }: Run, text: string): void {
  answer.push(text);
  answer.finish();
}

interface RulePhase {
  phase: Phase;
  step: number;
  reason: Text;
  write(): void;
}

/** Shows what the rules do as the work of a model is shown. It is no call of a model, so nothing is billed. */
function showPhase(run: Run, { name: model }: RuleRouter, { phase, step, reason, write }: RulePhase): void {
  run.services.emit({ type: "phase-start", phase, step, model, reason: say(run.input.locale, reason) });
  write();
  run.services.emit({
    type: "phase-end",
    phase,
    step,
    model,
    usage: noUsage,
    elapsedMs: 0,
    costUsd: 0,
    finish: "stop",
  });
}

const reasons = {
  decide: { zh: "规则认出了这个请求，不用模型", en: "the rules know this request; no model is asked" },
  answer: { zh: "由规则写出结果，不用模型", en: "the rules write the result; no model is asked" },
} satisfies Record<string, Text>;

function noticeHandOver(run: Run): void {
  const message = say(run.input.locale, {
    zh: "规则没能完成这个请求，改由模型处理。",
    en: "The rules could not finish this request; a model takes over.",
  });
  run.services.emit({ type: "notice", level: "info", code: "rules-failed", message });
}
