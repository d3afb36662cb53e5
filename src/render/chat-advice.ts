import type { ErrorCode, Text } from "../kit/errors.ts";

/** What to try after a run with tools that failed (agent-mode.md, "LLM API 错误"), for whoever shows it in no words of its own. */
export const chatAdvice: Text = {
  zh: "也可以切换到 Chat 模式（mode chat）再试。",
  en: "You can also switch to Chat mode (mode chat) and try again.",
};

/**
 * Tells whether Chat mode may succeed where a run with tools failed: it asks the same models over the same network with the same keys,
 * and so cannot help with what is wrong with these.
 */
export function canChatModeHelp(code: ErrorCode | undefined): boolean {
  return code === undefined || !sharedCauses.has(code);
}

const sharedCauses: ReadonlySet<ErrorCode> = new Set([
  "auth",
  "quota",
  "config",
  "network",
  "rate_limit",
  "overloaded",
  "server",
]);
