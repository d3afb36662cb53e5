import type { Text } from "../kit/locale.ts";

/**
 * Suggests what to try after a run with failed tools (docs/development/agent-mode.md#llm-api-错误), for interfaces that have no
 * text of their own.
 */
export const chatAdvice: Text = {
  zh: "也可以切换到 Chat 模式（mode chat）再试。",
  en: "You can also switch to Chat mode (mode chat) and try again.",
};
