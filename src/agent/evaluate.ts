import type { Verdict } from "../core/events.ts";
import { type Locale, say, type Text } from "../core/locale.ts";
import type { Observation } from "./act.ts";
import type { Limits } from "./limits.ts";

export interface Progress {
  /** Decide turns taken. */
  iterations: number;
  /** Calls that reached a tool. */
  toolCalls: number;
  totalTokens: number;
  outOfTime: boolean;
  /** The results of the last round. */
  observations: readonly Observation[];
}

/** Decides after a round of tool calls whether to go on, by time, count, tokens and the results themselves. */
export function evaluate(progress: Progress, limits: Limits): Verdict {
  const { observations } = progress;
  if (progress.outOfTime) return { verdict: "answer", reason: "time-limit" };
  if (progress.toolCalls >= limits.maxToolCalls) return { verdict: "answer", reason: "tool-call-limit" };
  if (progress.iterations >= limits.maxIterations) return { verdict: "answer", reason: "iteration-limit" };
  if (progress.totalTokens >= limits.tokenBudget) return { verdict: "answer", reason: "token-limit" };
  if (observations.every(({ result }) => !result.ok)) return { verdict: "continue", reason: "tool-failed" };
  if (observations.every((observation) => isThin(observation, limits)))
    return { verdict: "continue", reason: "result-thin" };
  if (limits.stopWhenSufficient) return { verdict: "answer", reason: "sufficient" };
  return { verdict: "continue", reason: "model-decides" };
}

function isThin({ result, text }: Observation, limits: Limits): boolean {
  return !result.ok || text.trim().length < limits.minResultLength;
}

/** Whether it is a limit that ends the tool calls, rather than a model or a result. */
export function isLimit({ reason }: Verdict): boolean {
  return reason.endsWith("-limit") || reason === "repetition";
}

/** The verdict in words. */
export function explain({ reason }: Verdict, limits: Limits, locale: Locale, hasResults = true): string {
  return say(locale, reason === "model-decided" && !hasResults ? noToolsNeeded : explanations(limits)[reason]);
}

/** The same when one model plays both roles and has answered in its last decide turn. */
export function explainAnswered(locale: Locale): string {
  return say(locale, {
    zh: "模型判断信息已足够，已直接回答。",
    en: "The model judged that it had enough and has answered.",
  });
}

const noToolsNeeded = {
  zh: "不需要工具，切换到回答生成阶段。",
  en: "No tools are needed; switching to the answer.",
};

function explanations(limits: Limits): Record<Verdict["reason"], Text> {
  const seconds = limits.maxExecutionTimeMs / 1000;
  return {
    "model-decides": {
      zh: "已有工具结果，由工具调用模型判断是否还需要更多信息。",
      en: "There are tool results; the function-call model judges whether more is needed.",
    },
    "result-thin": {
      zh: `结果为空或较短（少于 ${limits.minResultLength} 个字符），由模型判断是否继续。`,
      en: `The results are empty or short (under ${limits.minResultLength} characters); the model judges whether to go on.`,
    },
    "tool-failed": {
      zh: "工具调用失败，由模型决定下一步。",
      en: "The tool calls failed; the model decides what next.",
    },
    "model-decided": {
      zh: "工具调用结果已满足要求，切换到回答生成阶段。",
      en: "The tool results are enough; switching to the answer.",
    },
    sufficient: {
      zh: "结果足够回答问题，提前结束工具调用，切换到回答生成阶段。",
      en: "The results are enough to answer; ending the tool calls early and switching to the answer.",
    },
    "turn-cut": {
      zh: "模型的这一轮被截断，其中的工具调用没有执行；基于已有信息回答。",
      en: "The model's turn was cut off and its tool calls were not run; answering from what there is.",
    },
    "model-failed": {
      zh: "工具调用模型出错，基于已有结果回答。",
      en: "The function-call model failed; answering from the results so far.",
    },
    "model-refused": {
      zh: "工具调用模型拒绝继续；基于已有信息回答。",
      en: "The function-call model refused to go on; answering from what there is.",
    },
    "iteration-limit": {
      zh: `已达到最大迭代次数（${limits.maxIterations} 次），基于已有信息回答。`,
      en: `The limit of ${limits.maxIterations} iterations is reached; answering from what there is.`,
    },
    "tool-call-limit": {
      zh: `已达到最大工具调用次数（${limits.maxToolCalls} 次），基于已有信息回答。`,
      en: `The limit of ${limits.maxToolCalls} tool calls is reached; answering from what there is.`,
    },
    "time-limit": {
      zh: `执行超时（最长 ${seconds} 秒），基于已有信息回答。`,
      en: `The time limit of ${seconds} s is near; answering from what there is.`,
    },
    "token-limit": {
      zh: `已达到 token 上限（${limits.tokenBudget}），基于已有信息回答。`,
      en: `The budget of ${limits.tokenBudget} tokens is used; answering from what there is.`,
    },
    "cost-limit": {
      zh: `已达到费用上限（${limits.costBudget} 美元），基于已有信息回答。`,
      en: `The budget of $${limits.costBudget} is used; answering from what there is.`,
    },
    "plan-done": { zh: "计划已执行完，切换到回答生成阶段。", en: "The plan is carried out; switching to the answer." },
    "plan-failed": {
      zh: "计划没有全部完成，基于已有信息回答。",
      en: "The plan was not carried out in full; answering from what there is.",
    },
    custom: { zh: "由自定义评估决定。", en: "Decided by the custom evaluator." },
    repetition: {
      zh: "检测到重复的操作，停止调用工具；可以换一种问法或切换模式。",
      en: "The same calls repeat; ending the tool calls. Ask in another way or switch modes.",
    },
  };
}
