import type { Text } from "../kit/errors.ts";

/** What to try after a run with tools that failed (agent-mode.md, "LLM API 错误"), for whoever shows it in no words of its own. */
export const chatAdvice: Text = {
  zh: "也可以切换到 Chat 模式（mode chat）再试。",
  en: "You can also switch to Chat mode (mode chat) and try again.",
};
