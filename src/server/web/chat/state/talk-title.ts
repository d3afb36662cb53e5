import { titleOf } from "../../../../core/store/conversation-title.ts";
import { printableLine } from "../../../../kit/text/sanitize.ts";
import type { ChatState } from "./chat-state.ts";
import { countWaiting } from "./side-entries.ts";

/** Of the conversation in sight; empty for a new one. */
export function talkTitle({ conversationId, conversations, items, turns }: ChatState): string {
  const [first] = items.flatMap((item) => (item.kind === "turn" ? (turns[item.key] ?? []) : []));
  const kept = conversations.find(({ id }) => id === conversationId);
  return printableLine(kept?.title || titleOf(first?.run.question ?? ""));
}

/** Of the tab: the conversation, behind how many wait for a person. */
export function tabTitle(chat: ChatState): string {
  const waiting = countWaiting(chat);
  const name = [talkTitle(chat), "Duet"].filter(Boolean).join(" · ");
  return waiting === 0 ? name : `(${waiting}) ${name}`;
}
