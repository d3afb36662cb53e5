import type { ChatState } from "../state/chat-state.ts";
import { listAllUnsent } from "../state/unsent.ts";
import type { KeptTexts } from "./kept-texts.ts";

/** Keeps what the server has not taken, as long as it has not. */
export function createUnsentKeeper(kept: Pick<KeptTexts, "put" | "remove">): (chat: ChatState) => void {
  let before: Pick<ChatState, "unsent" | "turns"> | undefined;
  let keys = new Set<string>();
  return (chat) => {
    if (chat.unsent === before?.unsent && chat.turns === before.turns) return;
    before = chat;
    const unsent = listAllUnsent(chat);
    const now = new Set(unsent.map(({ key }) => key));
    for (const each of unsent) if (!keys.has(each.key)) kept.put({ ...each, kind: "unsent" });
    for (const key of keys) if (!now.has(key)) kept.remove(key);
    keys = now;
  };
}
