import type { QuestionKind, UserReply } from "../../core/questions/user-question.ts";
import type { PostedQuestion } from "../../core/store/run-mailbox.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { OpenQuestion } from "./open-question.ts";
import { createQuestionDisplays } from "./question-displays.ts";

export interface PostedQuestionOptions {
  /** Sends the answer to the run. False where another one counts. */
  send(reply: unknown): Promise<boolean>;
  /** Is called when the question is closed or can be shown again. */
  onChange(): void;
}

/** Shows a question of a run that another process carries out. `close` ends it here, because the run waits for it no more. */
export function openPostedQuestion<K extends QuestionKind>(
  { id, question, until }: PostedQuestion,
  { send, onChange }: PostedQuestionOptions,
): OpenQuestion & { close(): void } {
  const closed = new AbortController();
  const displays = createQuestionDisplays(onChange);
  const close = (): void => closed.abort();

  async function answer(reply: UserReply<K> | undefined): Promise<boolean> {
    if (closed.signal.aborted) return false;
    const isTaken = await send(reply);
    close();
    onChange();
    return isTaken;
  }

  const posed = {
    id,
    kind: question.kind,
    question,
    get isAsked() {
      return displays.isAsked;
    },
    get isInResult() {
      return displays.isInResult;
    },
    until,
    closed: closed.signal,
    show: displays.show,
    answer,
    withdraw: async () => void (await ignoreRejection(answer(undefined), "it is given up in time all the same")),
    close,
  };
  // The compiler does not see that one kind of question is one of all kinds.
  return posed as unknown as OpenQuestion & { close(): void };
}
