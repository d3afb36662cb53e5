import type { ChatState } from "../state/chat-state.ts";

/** Whether the key sends: an Enter that ends the choice of a character does not; Safari tells that by the key's code alone. */
export function isPlainEnter({ key, shiftKey, isComposing, keyCode }: KeyboardEvent): boolean {
  return key === "Enter" && !shiftKey && !isComposing && keyCode !== 229;
}

/** What was asked last in the conversation in sight; empty where nothing was. */
export function findLastQuestion({ items, turns }: Pick<ChatState, "items" | "turns">): string {
  const last = items.findLast(({ key, kind }) => kind === "turn" && turns[key] !== undefined);
  return last === undefined ? "" : (turns[last.key]?.run.question ?? "");
}
