import type { ChatState } from "../state/chat-state.ts";
import { listAllUnsent } from "../state/unsent.ts";
import type { KeptTexts } from "./kept-texts.ts";

/** Keeps what the server has not taken, as long as it has not. */
export function createUnsentKeeper(kept: Pick<KeptTexts, "put" | "remove">): (chat: ChatState) => void {
  let before: Pick<ChatState, "unsent" | "turns"> | undefined;
  /** Maps the keys of what is kept to the conversations. */
  let places = new Map<string, string | undefined>();
  return (chat) => {
    if (chat.unsent === before?.unsent && chat.turns === before.turns) return;
    before = chat;
    const unsent = listAllUnsent(chat);
    const now = new Map(unsent.map(({ key, conversationId }) => [key, conversationId]));
    for (const each of unsent)
      if (!places.has(each.key) || places.get(each.key) !== each.conversationId) kept.put({ ...each, kind: "unsent" });
    for (const key of places.keys()) if (!now.has(key)) kept.remove(key);
    places = now;
  };
}
