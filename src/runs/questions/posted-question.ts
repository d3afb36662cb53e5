import type { UserReply } from "../../core/questions/user-question.ts";
import type { PostedQuestion } from "../../core/store/run-mailbox.ts";
import { createOpenQuestion } from "./create-open-question.ts";
import type { OpenQuestion } from "./open-question.ts";

export interface PostedQuestionOptions {
  /** Sends the answer to the run. False where another one counts. */
  send(reply: unknown): Promise<boolean>;
  /** Is called when the question is closed or can be shown again. */
  onChange(): void;
}

/** Holds a question of a run that another process carries out. */
export interface OpenPostedQuestion {
  question: OpenQuestion;
  /** Ends it here, because the run waits for it no more. */
  close(): void;
}

/** Shows a question of a run that another process carries out. */
export function openPostedQuestion(
  { id, question, until }: PostedQuestion,
  { send, onChange }: PostedQuestionOptions,
): OpenPostedQuestion {
  const closed = new AbortController();
  const close = (): void => closed.abort();

  async function answer(reply: UserReply | undefined): Promise<boolean> {
    if (closed.signal.aborted) return false;
    const isTaken = await send(reply);
    close();
    onChange();
    return isTaken;
  }

  return { question: createOpenQuestion({ id, question, until, closed: closed.signal, answer, onChange }), close };
}
