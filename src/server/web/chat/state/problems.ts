import type { ChatState, Problem } from "./chat-state.ts";

export function showProblem(
  chat: ChatState,
  text: string,
  about: Omit<Problem, "text"> = { kind: "other" },
): ChatState {
  return { ...chat, problem: { ...about, text } };
}

/** Says no longer that the server cannot be reached. */
export function forgetUnreached(chat: ChatState): ChatState {
  return chat.problem?.kind === "unreached" ? { ...chat, problem: undefined } : chat;
}

/** Says no longer that the run of this turn could not be stopped. */
export function forgetNotStopped(chat: ChatState, turnKey: string): ChatState {
  return chat.problem?.turnKey === turnKey ? { ...chat, problem: undefined } : chat;
}
