import { type ChatState, findActiveTurn, type TalkItem, type Turn } from "./chat-state.ts";

/** The chat with those of the kept turns that are not in sight yet, before what goes on. */
export function mergeTurns(chat: ChatState, kept: readonly Turn[]): ChatState {
  const seen = new Set(chat.items.map(({ key }) => chat.turns[key]?.run.runId));
  const added = kept.filter(({ keptRunId }) => keptRunId !== undefined && !seen.has(keptRunId));
  if (added.length === 0) return chat;
  const going = findActiveTurn(chat)?.key;
  const at = chat.items.findIndex(({ key }) => key === going);
  const place = at < 0 ? chat.items.length : at;
  const items = added.map(({ key }): TalkItem => ({ kind: "turn", key }));
  return {
    ...chat,
    items: [...chat.items.slice(0, place), ...items, ...chat.items.slice(place)],
    turns: { ...chat.turns, ...Object.fromEntries(added.map((turn) => [turn.key, turn])) },
  };
}
