import type { UserQuestion } from "../questions/user-question.ts";
import type { Delivery } from "../run/run-inbox.ts";

/** Is what another process says to the one that carries out a run. */
export type RunMessage =
  /** Ends the run; it still writes the answer so far. */
  | { type: "stop" }
  /** Says that the request for which the run began was cancelled, or its session has ended: it ends where nobody waits for it. */
  | { type: "abandon" }
  /** Is what a person says while the run works. Whoever sent it under this ID waits for what becomes of it. */
  | { type: "say"; id: string; text: string }
  /**
   * Asks whether somebody who asks the same again may have the run, who is of this session where there is one. Whoever sent it under this
   * ID waits for the reply.
   */
  | { type: "join"; id: string; sessionId?: string | undefined }
  /** Says that somebody waits for the run in the process that `by` names; with `isSession` nobody but this session may join it. */
  | { type: "hold"; by: string; isSession?: boolean; sessionId?: string | undefined }
  /** Says that nobody waits for it there any more. */
  | { type: "release"; by: string }
  /** Closes a question; without a reply nobody has answered. */
  | { type: "answer"; questionId: string; reply?: unknown };

/** Is what the process of a run says of a message: what becomes of a person's words, or that whoever asks the same has the run. */
export type MessageReply = Delivery | "joined";

/** Is a question of a run to a person, as every process sees it. */
export interface PostedQuestion {
  id: string;
  question: UserQuestion;
  /** Is when it is given up, in milliseconds since 1970 of this machine's clock. */
  until: number;
}

/** Is a question of a run that waits, or was answered with this JSON value. */
export interface AskedQuestion extends Omit<PostedQuestion, "until"> {
  answer?: { reply: unknown };
}

/** Is a question that is about to be asked, under an ID of its own. */
export type NewQuestion = Omit<PostedQuestion, "question"> & { question: object };

/** Is how long a person has at least after another process has taken over the question, in milliseconds, where it waits that long at all. */
export const leastQuestionMs = 30_000;

/** Says under which ID a question is known to all processes, and what was replied to it while none carried out its run. */
export interface QuestionPlace {
  id: string;
  /** Is when it is given up, where an earlier process of the run has asked it: in milliseconds since 1970 of this machine's clock. */
  until?: number;
  answer?: { reply: unknown };
}

/**
 * Connects a run with the other processes of its store. What can be said at once is no promise, so that a store of one process alone
 * delays nothing.
 */
export interface RunMailbox {
  /** Calls `listener` with what other processes say, also what they said before, until the returned function is called. */
  receive(listener: (message: RunMessage) => void): () => void;
  /**
   * Shows a question to the other processes. Where an earlier process of the run has asked the same, it is that question, which is given up
   * when it would have been, but leaves a person `leastQuestionMs` at least.
   */
  post(question: NewQuestion): QuestionPlace | Promise<QuestionPlace>;
  /** Takes a reply, which is a JSON value. False where another one was taken before, which `receive` tells. */
  claim(questionId: string, reply: unknown): boolean | Promise<boolean>;
  /** Takes a question back. Never throws. */
  withdraw(questionId: string): void;
  /** Says what has become of a message. Never throws. */
  reply(messageId: string, reply: MessageReply): void;
}

/** Is the mailbox of a run that no other process can see. */
export const localMailbox: RunMailbox = {
  receive: () => () => {},
  post: ({ id }) => ({ id }),
  claim: () => true,
  withdraw() {},
  reply() {},
};
