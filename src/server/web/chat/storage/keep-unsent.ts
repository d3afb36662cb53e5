import type { ChatState, Unsent } from "../state/chat-state.ts";
import { listAllUnsent } from "../state/unsent.ts";
import type { KeptTexts } from "./kept-texts.ts";

/** Keeps what the server has not taken, as long as it has not. */
export function createUnsentKeeper(texts: Pick<KeptTexts, "put" | "remove">): (chat: ChatState) => void {
  let before: Pick<ChatState, "unsent" | "turns"> | undefined;
  /** Maps the keys of what is kept to what was kept. */
  let kept = new Map<string, Unsent>();
  return (chat) => {
    if (chat.unsent === before?.unsent && chat.turns === before.turns) return;
    before = chat;
    const unsent = listAllUnsent(chat);
    const now = new Map(unsent.map((each) => [each.key, each]));
    for (const each of now.values()) {
      const last = kept.get(each.key);
      const isKept = last?.conversationId === each.conversationId && last?.request === each.request;
      const isSettled = last?.saidTo === each.saidTo && last?.files === each.files;
      if (last === undefined || !isKept || !isSettled) texts.put({ ...each, kind: "unsent" });
    }
    for (const key of kept.keys()) if (!now.has(key)) texts.remove(key);
    kept = now;
  };
}
