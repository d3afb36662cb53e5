import { toConversationTitle } from "../../../../core/store/conversation-title.ts";
import { sanitizeLine } from "../../../../kit/text/sanitize.ts";
import type { ChatState } from "./chat-state.ts";
import { countWaiting } from "./side-entries.ts";

/** Of the conversation in sight; empty for a new one. */
export function getTalkTitle({ conversationId, conversations, items, turns }: ChatState): string {
  const [first] = items.flatMap((item) => (item.kind === "turn" ? (turns[item.key] ?? []) : []));
  const kept = conversations.find(({ id }) => id === conversationId);
  return sanitizeLine(kept?.title || toConversationTitle(first?.run.question ?? ""));
}

/** Of the tab: the conversation, behind how many wait for a person. */
export function getTabTitle(chat: ChatState): string {
  const waiting = countWaiting(chat);
  const name = [getTalkTitle(chat), "Duet"].filter(Boolean).join(" · ");
  return waiting === 0 ? name : `(${waiting}) ${name}`;
}
