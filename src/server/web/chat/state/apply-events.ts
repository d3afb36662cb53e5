import type { Confirmation } from "../../run/run-view.ts";
import type { RunUpdate } from "../api/follow-run.ts";
import type { OpenQuestion } from "../api/question.ts";
import { type ChatState, changeRun, changeTurn } from "./chat-state.ts";

/** The chat with what the run of a turn has told. A run that begins names its conversation. */
export function applyEvents(chat: ChatState, key: string, { events, question }: RunUpdate): ChatState {
  const turn = chat.turns[key];
  if (turn === undefined) return chat;
  const began = events.find((event) => event.type === "run-start");
  const isEnd = events.some(({ type }) => type === "run-end");
  const now = isEnd ? undefined : question === undefined ? turn.question : (question ?? undefined);
  const conversationId = began?.conversationId ?? turn.conversationId;
  const changed = changeTurn(chat, key, (before) => ({ ...before, conversationId, question: now }));
  const told = changeRun(changed, key, {
    type: "told",
    runId: began?.runId ?? turn.run.runId ?? "",
    events,
    confirmation: now && confirmationOf(now),
  });
  const isShown = chat.items.some((item) => item.key === key);
  return isShown && began !== undefined ? { ...told, conversationId } : told;
}

/** The chat with the turn's question, if it has one, out of the way. */
export function closeQuestion(chat: ChatState, key: string): ChatState {
  return chat.turns[key]?.question === undefined ? chat : applyEvents(chat, key, { events: [], question: null });
}

function confirmationOf(question: OpenQuestion): Confirmation {
  const kind = question.kind === "call" || question.kind === "plan" ? question.kind : "question";
  return { kind, tool: question.kind === "call" ? question.tool : "", arguments: undefined, message: "" };
}
