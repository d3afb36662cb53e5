import type { AskUser, QuestionKind, UserQuestion, UserReply } from "../../core/questions/user-question.ts";
import { createRandomHex } from "../../kit/random.ts";
import type { OpenQuestion } from "./open-question.ts";

/** Holds the questions that a run asks its user, one at a time. */
export interface QuestionQueue {
  readonly open: OpenQuestion | undefined;
  /** Waits until the user has replied; undefined when nobody has in time, or when the signal aborts. Never rejects. */
  readonly ask: AskUser;
}

/**
 * Creates a run's questions. Each waits `patienceMs` milliseconds. `onChange` is called when a question opens, becomes free to
 * be shown again, or closes.
 */
export function createQuestionQueue(patienceMs: number, onChange: () => void): QuestionQueue {
  let open: OpenQuestion | undefined;

  async function ask<K extends QuestionKind>(
    question: UserQuestion<K>,
    signal: AbortSignal,
  ): Promise<UserReply<K> | undefined> {
    if (signal.aborted) return undefined;
    const { promise, resolve } = Promise.withResolvers<UserReply<K> | undefined>();
    const closed = new AbortController();
    /** Holds how each host shows the question. */
    const displays = new Set<{ isInResult: boolean }>();
    const timer = setTimeout(withdraw, patienceMs);
    const posed: OpenQuestion<K> = {
      id: createRandomHex(),
      kind: question.kind,
      question,
      get isAsked() {
        return displays.size > 0;
      },
      get isInResult() {
        return displays.size > 0 && [...displays].every((display) => display.isInResult);
      },
      until: Date.now() + patienceMs,
      closed: closed.signal,
      show({ isInResult }) {
        const display = { isInResult };
        displays.add(display);
        return () => {
          displays.delete(display);
          onChange();
        };
      },
      answer,
      withdraw,
    };
    function withdraw(): void {
      answer(undefined);
    }
    function answer(reply: UserReply<K> | undefined): void {
      if (closed.signal.aborted) return;
      clearTimeout(timer);
      signal.removeEventListener("abort", withdraw);
      if (open?.id === posed.id) open = undefined;
      closed.abort();
      resolve(reply);
      onChange();
    }
    signal.addEventListener("abort", withdraw, { once: true });
    // The compiler does not see that one kind of question is one of all kinds.
    open = posed as unknown as OpenQuestion;
    onChange();
    return promise;
  }

  return {
    get open() {
      return open;
    },
    ask,
  };
}
