import { describeCallsUsed, mapLimits, stoppingLimits } from "../../core/limits/limits.ts";
import type { Verdict } from "../../core/run/verdict.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { capitalize } from "../../kit/text/capitalize.ts";
import type { Limits } from "../limits/run-clock.ts";
import { type AnswerReason, isEarlyEnd } from "./run-result.ts";

export interface ExplainOptions {
  limits: Limits;
  locale: Locale;
  /** Says whether there were no results, only failures, or some that can be used. */
  results: "none" | "failed" | "some";
  /** Holds the evaluator's own words. */
  custom?: string | undefined;
}

/** Renders a verdict as a sentence: why, and what comes next. */
export function explainVerdict(verdict: Verdict, options: ExplainOptions): string {
  const { locale } = options;
  if (verdict.verdict === "continue") return say(locale, listContinueReasons(options)[verdict.reason]);
  const reason = explainReason(verdict.reason, options);
  const next = isEarlyEnd(verdict.reason) ? fromWhatThereIs : toTheAnswer;
  const advice = verdict.reason === "repetition" ? askOtherwise : { zh: "", en: "" };
  return say(locale, {
    zh: `${reason.zh}，${next.zh}。${advice.zh}`,
    en: `${capitalize(reason.en)}; ${next.en}.${advice.en}`,
  });
}

/** Explains the verdict when one model plays both roles and has answered in its last decide turn. */
export function explainOwnAnswer(results: ExplainOptions["results"], locale: Locale): string {
  return say(locale, ownAnswers[results]);
}

const ownAnswers: Record<ExplainOptions["results"], Text> = {
  none: { zh: "模型不需要工具，已直接回答。", en: "The model needed no tools and has answered." },
  failed: {
    zh: "工具调用都没有成功，模型根据已有的了解回答。",
    en: "No tool call succeeded; the model answered from what it knows.",
  },
  some: {
    zh: "模型判断信息已足够，已直接回答。",
    en: "The model judged the information sufficient and answered.",
  },
};

/** Explains as a clause why the tool calls end. */
export function explainReason(reason: AnswerReason, { limits, results, custom }: Omit<ExplainOptions, "locale">): Text {
  if (reason === "model-decided" && results !== "some") return withoutResults[results];
  if (reason === "custom" && custom) return { zh: custom, en: custom };
  return listReasons(limits)[reason];
}

const withoutResults = {
  none: { zh: "不需要工具", en: "no tools are needed" },
  failed: { zh: "工具调用都没有成功，模型不再调用工具", en: "no tool call succeeded, and the model requests no more" },
};

/** Summarizes the results of a run's calls in the form that the explanation needs. */
export function countResults(observations: readonly { result: { ok: boolean } }[]): ExplainOptions["results"] {
  if (observations.length === 0) return "none";
  return observations.some(({ result }) => result.ok) ? "some" : "failed";
}

const toTheAnswer = { zh: "切换到回答生成阶段", en: "switching to the answer" };
const fromWhatThereIs = { zh: "基于已有信息回答", en: "answering from the available information" };
const askOtherwise = { zh: "可以换一种问法，或切换模式。", en: " Rephrase the question, or switch modes." };

function listReasons(limits: Limits): Record<AnswerReason, Text> {
  return {
    "model-decided": { zh: "工具调用结果已满足要求", en: "the tool results are enough" },
    sufficient: { zh: "结果足够回答问题，提前结束工具调用", en: "the results are enough, so the tool calls end early" },
    "plan-done": { zh: "计划已执行完", en: "the plan is complete" },
    custom: { zh: "自定义评估认为信息已足够", en: "the custom evaluator judged the information sufficient" },
    "rules-answered": {
      zh: "规则认出了这个请求，不用模型就得到了结果",
      en: "the rules know this request and have its result without a model",
    },
    "plan-failed": { zh: "计划没有全部完成", en: "the plan was not completed" },
    "turn-cut": {
      zh: "模型的这一轮被截断，其中的工具调用没有执行",
      en: "the model's turn was cut off and its tool calls were not run",
    },
    "model-failed": { zh: "工具调用模型出错", en: "the function-call model failed" },
    "model-refused": { zh: "工具调用模型拒绝继续", en: "the function-call model refused to go on" },
    ...mapLimits(
      stoppingLimits,
      ({ stop }) => stop.reason,
      ({ stop, field, factor = 1 }) => stop.explain((limits[field] ?? Number.NaN) / factor),
    ),
    "calls-used": describeCallsUsed(limits.maxToolCalls),
    repetition: { zh: "检测到重复的操作，停止调用工具", en: "the same calls repeat, so the tool calls end" },
  };
}

type GoOnReason = Extract<Verdict, { verdict: "continue" }>["reason"];

function listContinueReasons({ limits, custom }: ExplainOptions): Record<GoOnReason, Text> {
  return {
    "model-decides": {
      zh: "已有工具结果，由工具调用模型判断是否还需要更多信息。",
      en: "There are tool results; the function-call model judges whether more is needed.",
    },
    "result-thin": {
      zh: `结果较短（少于 ${limits.minResultLength} 个字符），由模型判断是否足够。`,
      en: `The result is short (under ${limits.minResultLength} characters); the model judges whether it is enough.`,
    },
    "tool-failed": {
      zh: "工具调用失败，由模型决定下一步。",
      en: "The tool calls failed; the model decides what to do next.",
    },
    custom: custom
      ? { zh: custom, en: custom }
      : { zh: "自定义评估要求继续。", en: "The custom evaluator asks to continue." },
  };
}
