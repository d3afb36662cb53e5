import type { UserQuestion, UserReply } from "../questions/user-question.ts";

/** Asks the person for input on behalf of a program that we call (MCP elicitation). All of it is untrusted text. */
export type Elicitation = UserQuestion<"form" | "url">;

/** Holds what a person replies: `accept`, `decline`, or `cancel` where they closed the dialog without a choice. */
export type ElicitationReply = UserReply<"form">;

/** Shows a question to a person and waits for the answer. Rejects only when the signal aborts. */
export type AskElicitation = (question: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;

/**
 * Asks on behalf of a tool. Never rejects, and ends in time. Returns undefined when nobody could be asked, when nobody replied,
 * and when the signal withdraws the question.
 */
export interface Elicit {
  (question: Elicitation, signal?: AbortSignal): Promise<ElicitationReply | undefined>;
  /** Stands for whoever is asked: functions with the same one ask the same person. The function itself when absent. */
  readonly person?: object | undefined;
  /** Is whose person it is, as in `Caller.owner`; absent where callers are not told apart. */
  readonly owner?: string | undefined;
}
