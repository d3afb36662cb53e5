import { type Locale, say } from "../../../kit/locale.ts";
import { renderSeconds } from "../../../render/event-lines.ts";
import type { Step } from "./step.ts";

/** A thought that is over, by the name that model-invocation.md gives it. */
export function renderThoughtTitle({ number, elapsedMs, state }: Step, locale: Locale): string {
  const cut = state === "failed" ? say(locale, { zh: "，已中断", en: ", cut off" }) : "";
  return `${say(locale, { zh: "💡 思考过程", en: "💡 Thought" })} #${number} (${renderSeconds(elapsedMs)}${cut})`;
}

/** Whether a step succeeded; one that still runs has none yet. */
export function renderSign({ state }: Step): string {
  return state === "running" ? "…" : state === "done" ? "✓" : "✗";
}
