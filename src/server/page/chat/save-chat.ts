import type { Locale } from "../../../core/locale.ts";
import { type ChatState, goingTurn } from "./chat-state.ts";
import type { Keeper } from "./kept.ts";

/** Keeps what a tab finds again after a reload, each time that it is another. */
export function createSaver(keeper: Keeper): (chat: ChatState, locale: Locale) => void {
  let before = "";
  return (chat, locale) => {
    const { choices, conversationId } = chat;
    const { runId: id, question = "" } = goingTurn(chat)?.run ?? {};
    const kept = { locale, choices, conversationId, run: id === undefined ? undefined : { id, question } };
    const now = JSON.stringify(kept);
    if (now !== before) keeper.keepChat(kept);
    before = now;
  };
}
