import type { Mode } from "../core/run/outcome.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";

/** Lists the modes in the order in which a picker shows them. */
export const modes: readonly Mode[] = ["chat", "agent", "plan"];

/** Is the title of the mode picker (docs/development/model-invocation.md#设置面板模式选择器). */
export const modeTitle: Text = { zh: "💬 对话模式", en: "💬 Mode" };

/** Uses the names of docs/development/model-invocation.md#设置面板模式选择器. */
export const modeNames: Record<Mode, Text> = {
  chat: { zh: "Chat 模式", en: "Chat mode" },
  agent: { zh: "Agent 模式", en: "Agent mode" },
  plan: { zh: "Plan 模式", en: "Plan mode" },
};

/** Uses the sentences of docs/development/model-invocation.md#模式说明. */
export const modeHelp: Record<Mode, Text> = {
  chat: { zh: "常规对话,可手动启用联网搜索", en: "plain conversation; web search can be switched on by hand" },
  agent: {
    zh: "智能助手,自动决策是否需要联网搜索",
    en: "an assistant that decides by itself whether to search the web",
  },
  plan: { zh: "先规划后执行，计划由你确认", en: "plans first, then acts; you confirm the plan" },
};

/** Confirms a switch to the mode or model of this name, and says that a new conversation begins, or that the history is carried over. */
export function describeSwitchedMode(name: string, isKept = false): Text {
  if (isKept)
    return { zh: `已切换到 ${name}，对话历史保留。`, en: `Switched to ${name}; the history is carried over.` };
  return { zh: `已切换到 ${name}，对话历史已清除。`, en: `Switched to ${name}; the history is cleared.` };
}

export function describeSwitchedModel(name: string, isKept = false): Text {
  if (isKept)
    return { zh: `已切换到模型 ${name}，对话历史保留。`, en: `Switched to ${name}; the history is carried over.` };
  return { zh: `已切换到模型 ${name}，对话历史已清除。`, en: `Switched to ${name}; the history is cleared.` };
}

/** Returns the sentence from docs/development/web-search.md#agent-模式搜索开关. */
export function describeSearchChoice(mode: Exclude<Mode, "chat">, locale: Locale): string {
  const name = mode === "agent" ? "Agent" : "Plan";
  return say(locale, {
    zh: `${name} 模式下由 AI 自动决策搜索`,
    en: `In ${name} mode the AI decides by itself when to search`,
  });
}
