import type { Text } from "../../core/locale.ts";
import type { Mode } from "../../core/outcome.ts";

/** As a picker shows them. */
export const modes: readonly Mode[] = ["chat", "agent", "plan"];

/** The names of model-invocation.md, "设置面板模式选择器". */
export const modeNames: Record<Mode, Text> = {
  chat: { zh: "Chat 模式", en: "Chat mode" },
  agent: { zh: "Agent 模式", en: "Agent mode" },
  plan: { zh: "Plan 模式", en: "Plan mode" },
};

/** The sentences of model-invocation.md, "模式说明". */
export const modeHelp: Record<Mode, Text> = {
  chat: { zh: "常规对话,可手动启用联网搜索", en: "plain conversation; web search can be switched on by hand" },
  agent: {
    zh: "智能助手,自动决策是否需要联网搜索",
    en: "an assistant that decides by itself whether to search the web",
  },
  plan: { zh: "先规划后执行，计划由您确认", en: "plans first, then acts; you confirm the plan" },
};
