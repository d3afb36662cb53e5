import { say } from "../../kit/locale.ts";
import type { Chat } from "./chat-state.ts";
import { expandAll } from "./steps/step-words.ts";

/** Opens every step of the last run again. */
export function expandRun({ steps, settings: { locale }, write }: Pick<Chat, "steps" | "settings" | "write">): void {
  const ofRun = steps.ofRun();
  if (ofRun.length === 0) write(say(locale, { zh: "还没有可以展开的步骤。", en: "There are no steps to show yet." }));
  else write(...expandAll(ofRun, locale));
}
