import type { QuestionKind } from "../../../../core/questions/user-question.ts";
import { longestMessage } from "../../../../core/run/message-limits.ts";
import type { Text } from "../../../../kit/locale.ts";
import type { PageRunState } from "../../run/page-run-state.ts";
import { type ChatState, findActiveTurn } from "./chat-state.ts";
import { describeTooLong, describeTooLongForRun } from "./chat-texts.ts";

/** Says what becomes of a text that is sent: it is asked, told to the run, asked when the run has ended, or answers its question. */
export type EnterEffect = "ask" | "tell" | "wait" | AnsweredKind;

/** Names the questions that can be answered in words. */
type AnsweredKind = Extract<QuestionKind, "call" | "plan" | "limit">;

/** Says in the empty field what Enter does. */
export const enterHints: Readonly<Record<EnterEffect, Text>> = {
  ask: { zh: "问点什么…", en: "Ask anything…" },
  tell: { zh: "补充说明，Enter 立即转达…", en: "Add something; Enter tells it now…" },
  wait: { zh: "下一个问题，Enter 排队，答完再问…", en: "Your next question; Enter queues it…" },
  call: { zh: "“是”、“否”，或者改做什么…", en: "Yes, no, or what to do instead…" },
  plan: { zh: "“是”、“否”，或者要改什么…", en: "Yes, no, or what to change…" },
  limit: { zh: "“是”就继续，“否”就停止…", en: "Yes to go on, no to stop…" },
};

/** Returns true where the files beside a text are sent with it. What is told to a run, or answers it, is words. */
export function canCarryFiles(effect: EnterEffect): boolean {
  return effect === "ask" || effect === "wait";
}

/** Limits a question to what the server accepts, in characters. */
const longestQuestion = 100_000;

/** Says of a text that it is too long for what becomes of it. It is undefined where the server takes the text. */
export function findTooLong(text: string, effect: EnterEffect): Text | undefined {
  const { length } = text.trim();
  if (length > longestQuestion) return describeTooLong(length, longestQuestion);
  // What is told to a run, or answers it, is asked when the run has ended where it is queued.
  return canCarryFiles(effect) || length <= longestMessage ? undefined : describeTooLongForRun(length, longestMessage);
}

export function findEnterEffect(chat: ChatState): EnterEffect {
  const going = findActiveTurn(chat);
  if (going === undefined) return "ask";
  const kind = going.question?.kind;
  if (kind === "call" || kind === "plan" || kind === "limit") return kind;
  return isListening(going.run, chat) ? "tell" : "wait";
}

/**
 * Returns false where the models of a run read nothing more: in chat mode they only answer, and elsewhere not from the first word of
 * the answer on, whatever turn has written it (`openInbox` of src/agent/loop/deliver-messages.ts).
 */
function isListening({ current }: PageRunState, { choices }: ChatState): boolean {
  const isAnswering = current.turns.some(({ start }) => start?.phase === "answer");
  return !isAnswering && current.answer.text.trim() === "" && (current.start?.mode ?? choices.mode) !== "chat";
}
