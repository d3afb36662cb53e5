import { createKey } from "../create-key.ts";
import type { ChatState, Unsent } from "./chat-state.ts";

export function addUnsent(chat: ChatState, entry: Omit<Unsent, "key">): ChatState {
  return { ...chat, unsent: [...chat.unsent, { ...entry, key: createKey() }] };
}

export function removeUnsent(chat: ChatState, key: string): ChatState {
  return { ...chat, unsent: chat.unsent.filter((entry) => entry.key !== key) };
}

/** Lists what was not taken of the conversation in sight. */
export function listUnsent({ unsent, conversationId }: ChatState): readonly Unsent[] {
  return unsent.filter((entry) => entry.conversationId === conversationId);
}
