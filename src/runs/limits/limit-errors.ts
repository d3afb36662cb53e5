import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { renderDollars } from "../../render/known-cost.ts";

export function overLimitError(code: "rate_limit" | "quota", text: Text, retryAfterMs: number): DuetError {
  return new DuetError({ code, text, hint: later, retryable: true, retryAfterMs });
}

const later: Text = {
  zh: "请稍后再试，或请服务器管理员放宽该限制。",
  en: "Try again later, or ask the operator of this server to raise the limit.",
};

export function describeTooManyRuns(most: number): Text {
  return {
    zh: `此调用者已有 ${most} 个运行正在进行（serve.limits.maxRuns 允许的上限），本次运行没有开始。`,
    en: `This caller already has ${most} runs in progress (the maximum of serve.limits.maxRuns); this run was not started.`,
  };
}

export function describeUnfairShare(own: number): Text {
  return {
    zh: `此调用者已有 ${own} 个运行正在进行，serve.maxRuns 余下的名额留给其他调用者，本次运行没有开始。`,
    en: `This caller already has ${own} runs in progress, and the rest of serve.maxRuns is reserved for other callers; this run was not started.`,
  };
}

export function describeTooFast(most: number): Text {
  return {
    zh: `此调用者一分钟内已开始 ${most} 个运行（serve.limits.runsPerMinute 允许的上限），本次运行没有开始。`,
    en: `This caller has started ${most} runs within a minute (the maximum of serve.limits.runsPerMinute); this run was not started.`,
  };
}

export function describeTooManyTokens(used: number, most: number): Text {
  return {
    zh: `此调用者今天（UTC）已用 ${used} 个 token（serve.limits.tokensPerDay 允许 ${most}），今天不再调用模型。`,
    en: `This caller has used ${used} tokens today (UTC; serve.limits.tokensPerDay allows ${most}); no model is called until tomorrow.`,
  };
}

export function describeTooExpensive(spent: number, most: number): Text {
  return {
    zh: `此调用者今天（UTC）已花费 ${renderDollars(spent)}（serve.limits.costPerDay 允许 ${renderDollars(most)}），今天不再调用模型。`,
    en: `This caller has spent ${renderDollars(spent)} today (UTC; serve.limits.costPerDay allows ${renderDollars(most)}); no model is called until tomorrow.`,
  };
}

/** Reports that there are more runs than all callers together may have. */
export function tooManyRunsError(most: number): DuetError {
  return overloadedError({
    zh: `已有 ${most} 个运行正在进行（serve.maxRuns 允许的上限），本次运行没有开始。`,
    en: `${most} runs are in progress (the maximum of serve.maxRuns); this run was not started.`,
  });
}

/** Reports that too many runs wait for a person's answer. The first of them is given up after `freeInMs` milliseconds. */
export function tooManyWaitingError(waiting: number, freeInMs: number): DuetError {
  return new DuetError({
    code: "rate_limit",
    text: {
      zh: `已有 ${waiting} 个运行在等待用户答复，本次运行没有开始。`,
      en: `${waiting} runs are waiting for a person's reply; this run was not started.`,
    },
    hint: {
      zh: "请先答复或取消其中一个（GET /agent/runs 列出它们）。",
      en: "Answer or cancel one of them first (GET /agent/runs lists them).",
    },
    retryable: true,
    retryAfterMs: freeInMs,
  });
}

export function serverClosingError(): DuetError {
  return overloadedError({
    zh: "服务器正在关闭，本次运行没有开始。",
    en: "The server is closing; this run was not started.",
  });
}

function overloadedError(text: Text): DuetError {
  const hint = { zh: "请稍后再试。", en: "Try again later." };
  return new DuetError({ code: "overloaded", text, hint, retryable: true, retryAfterMs: 5000 });
}
