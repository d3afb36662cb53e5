import type { ApprovalDecision } from "../core/tools/tool.ts";
import type { Text } from "../kit/locale.ts";

export const approvalNames: Record<ApprovalDecision, Text> = {
  once: { zh: "允许这一次", en: "Yes, once" },
  conversation: { zh: "本次对话中都允许", en: "Yes, always in this conversation" },
  no: { zh: "不允许", en: "No" },
  dismissed: { zh: "关闭而不作选择", en: "No decision" },
  never: { zh: "本次对话中都不允许", en: "Never in this conversation" },
};

/** Says which values a model's parameters may have (docs/development/model-invocation.md#无效参数). */
export const parameterRanges: Record<"temperature" | "max_tokens" | "top_p", Text> = {
  temperature: { zh: "0 <= temperature < 2（Anthropic：<= 1）", en: "0 <= temperature < 2 (Anthropic: <= 1)" },
  max_tokens: { zh: "不小于 1 的整数", en: "an integer of at least 1" },
  top_p: { zh: "0 < top_p <= 1", en: "0 < top_p <= 1" },
};

/** Asks whether a run goes on whose limit is reached. The setting says which limit that is. */
export function describeLimitQuestion({ setting, value }: { setting: string; value: number }): Text {
  return { zh: `已达到限制 ${setting}: ${value}。继续吗？`, en: `The limit ${setting}: ${value} is reached. Go on?` };
}

export const limitReplies: Record<"go_on" | "stop", Text> = {
  go_on: { zh: "继续", en: "Go on" },
  stop: { zh: "停止并回答", en: "Stop and answer" },
};
