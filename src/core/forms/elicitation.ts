import type { UserQuestion, UserReply } from "../questions/user-question.ts";

/** Asks the person for input on behalf of a program that we call (MCP elicitation). All of it is untrusted text. */
export type Elicitation = UserQuestion<"form" | "url">;

/** Holds what a person replies: `accept` or `decline`. `cancel` means that there was no answer in time or nobody to ask. */
export type ElicitationReply = UserReply<"form">;

/** Shows a question to a person and waits for the answer. Rejects only when the signal aborts. */
export type AskElicitation = (question: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;

/** Asks on behalf of a tool. Never rejects, and ends in time. When the signal aborts, the question is withdrawn with `cancel`. */
export interface Elicit {
  (question: Elicitation, signal?: AbortSignal): Promise<ElicitationReply>;
  /** Stands for whoever is asked: functions with the same one ask the same person. The function itself when absent. */
  readonly person?: object | undefined;
}

/** Is the reply to a question that nobody answers. */
export const unanswered: ElicitationReply = { action: "cancel" };
