import type { Mode } from "../core/run/outcome.ts";
import type { ErrorCode } from "../kit/errors.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";

/**
 * Suggests what to try after a run with failed tools (docs/development/agent-mode.md#llm-api-错误), for interfaces that have no
 * text of their own.
 */
export const chatAdvice: Text = {
  zh: "也可以切换到 Chat 模式（mode chat）再试。",
  en: "You can also switch to Chat mode (mode chat) and try again.",
};

/** Is true where a run in this mode failed with an error that Chat mode might not meet. */
export function isHelpedByChat(mode: Mode, code: ErrorCode | undefined): boolean {
  return mode !== "chat" && !(code !== undefined && sharedCauses.has(code));
}

/** Chat mode asks the same models over the same network with the same keys, for an answer in the same form. */
const sharedCauses: ReadonlySet<ErrorCode> = new Set(["auth", "quota", "config", "network", "invalid_output"]);

/** Puts an interface's own words in the place of the advice at the end of a hint, and removes it where there are none. */
export function replaceChatAdvice(hint: string, locale: Locale, own = ""): string {
  const advice = say(locale, chatAdvice);
  return hint.endsWith(advice) ? `${hint.slice(0, -advice.length)}${own}`.trimEnd() : hint;
}
