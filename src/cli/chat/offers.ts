import { type Locale, say } from "../../kit/locale.ts";
import { createLine, type Line } from "../terminal/text/line.ts";

/**
 * Is what one key does next: go on with the run that reached a limit, or carry over the history that a switch has cleared. The key
 * stands for the command, which can also be typed.
 */
export type Offer =
  | { command: "/continue"; question: string; mode: "chat" | "agent" | "plan" }
  | { command: "/keep"; conversationId: string; branch: number | undefined }
  | { command: `/expand ${string}` };

/** Says what the offer does, and how it is taken: by the key on a screen, else by the command. */
export function renderOffer({ command }: Offer, { hasKeys, locale }: { hasKeys: boolean; locale: Locale }): Line {
  const how = hasKeys ? "Ctrl-G" : command;
  const { zh, en } = command === "/continue" || command === "/keep" ? offerTexts[command] : offerTexts["/expand"];
  return createLine(`  ${say(locale, { zh: `${how} ${zh}`, en: `${how} ${en}` })}`, "dim");
}

const offerTexts = {
  "/continue": { zh: "从这里继续，限制重新计算。", en: "goes on from here, with the limits counted anew." },
  "/expand": { zh: "显示下一页。", en: "shows the next page." },
  "/keep": { zh: "保留刚才的对话历史。", en: "carries the history over." },
};
