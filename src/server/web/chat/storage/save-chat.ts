import type { Locale } from "../../../../kit/locale.ts";
import { type ChatState, isUnsettled } from "../state/chat-state.ts";
import type { StoredRun, TabStorage } from "./tab-storage.ts";

/** Keeps what a tab finds again after a reload, each time that it is another. */
export function createSaver(keeper: TabStorage): (chat: ChatState, locale: Locale) => void {
  let before = "";
  return (chat, locale) => {
    const { choices, conversationId } = chat;
    const kept = { locale, choices, conversationId, runs: runsOf(chat) };
    const now = JSON.stringify(kept);
    if (now !== before) keeper.keepChat(kept);
    before = now;
  };
}

function runsOf({ turns }: ChatState): StoredRun[] {
  return Object.values(turns)
    .filter(isUnsettled)
    .flatMap(({ conversationId, run: { runId: id, question } }) => (id ? [{ id, question, conversationId }] : []));
}
