import { type Locale, say } from "../../kit/locale.ts";
import { createLine, type Line } from "../terminal/text/line.ts";
import type { ChatInterface } from "./interface/chat-interface.ts";

/** Is what one key does next: go on with the run that reached a limit, or carry over the history that a switch has cleared. */
export type Offer =
  | { command: "/continue"; question: string; mode: "chat" | "agent" | "plan" }
  | { command: "/keep"; conversationId: string; branch: number | undefined };

/** Is a command that the key stands for, and that can also be typed: one of these, or the next page of a long step. */
export type OfferedCommand = Offer["command"] | NextPage;

/** Is the command for the next page of a long step. */
export type NextPage = `/expand ${string}`;

/** Holds what is offered until the next question. */
export interface Offers {
  /** Is the command that the key stands for now; undefined when nothing is offered. */
  readonly command: OfferedCommand | undefined;
  /** Is what is offered besides the next page of a step. */
  readonly offer: Offer | undefined;
  make(offer: Offer): void;
  /** Offers the next page of a step before what else is offered, which stays; undefined after the last page. */
  offerNext(page: NextPage | undefined): void;
  drop(): void;
}

/** Creates the offers of a chat; each is shown as it is made. */
export function createOffers(show: (command: OfferedCommand) => void): Offers {
  let offer: Offer | undefined;
  let nextPage: NextPage | undefined;
  return {
    get command() {
      return nextPage ?? offer?.command;
    },
    get offer() {
      return offer;
    },
    make(made) {
      offer = made;
      nextPage = undefined;
      show(made.command);
    },
    offerNext(page) {
      nextPage = page;
      if (page !== undefined) show(page);
    },
    drop() {
      offer = undefined;
      nextPage = undefined;
    },
  };
}

/** Writes a line about the offer where a person can take it. */
export function showOffer(
  { reader, hasKeys, write, refresh }: Pick<ChatInterface, "reader" | "hasKeys" | "write" | "refresh">,
  command: OfferedCommand,
  locale: Locale,
): void {
  if (reader) write(renderOffer(command, { hasKeys, locale }));
  refresh();
}

/** Says what the offer does, and how it is taken: by the key on a screen, else by the command. */
function renderOffer(command: OfferedCommand, { hasKeys, locale }: { hasKeys: boolean; locale: Locale }): Line {
  const how = hasKeys ? "Ctrl-G" : command;
  const { zh, en } = command === "/continue" || command === "/keep" ? offerTexts[command] : offerTexts["/expand"];
  return createLine(`  ${say(locale, { zh: `${how} ${zh}`, en: `${how} ${en}` })}`, "dim");
}

const offerTexts = {
  "/continue": { zh: "从这里继续，限制重新计算。", en: "goes on from here, with the limits counted anew." },
  "/expand": { zh: "显示下一页。", en: "shows the next page." },
  "/keep": { zh: "保留刚才的对话历史。", en: "carries the history over." },
};
