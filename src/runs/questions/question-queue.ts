import { createRandomHex } from "../../kit/random.ts";
import type { OpenQuestion, RunQuestion } from "./open-question.ts";

/** Holds the questions that a run asks a person, one at a time. */
export interface Questions {
  readonly open: OpenQuestion | undefined;
  /** Waits until a person has answered; gives `nobody` when none has in time, or when the signal aborts. Never rejects. */
  pose<T>(signal: AbortSignal, nobody: T, pack: (answer: (reply: T) => void) => RunQuestion): Promise<T>;
}

/**
 * Creates a run's questions. Each waits `patienceMs` milliseconds. `onChange` is called when a question opens, becomes free to
 * be shown again, or closes.
 */
export function createQuestions(patienceMs: number, onChange: () => void): Questions {
  let open: OpenQuestion | undefined;
  return {
    get open() {
      return open;
    },
    pose(signal, nobody, pack) {
      const { promise, resolve } = Promise.withResolvers<typeof nobody>();
      if (signal.aborted) return Promise.resolve(nobody);
      const closed = new AbortController();
      let isAsked = false;
      const timer = setTimeout(giveUp, patienceMs);
      const posed: OpenQuestion = {
        id: createRandomHex(),
        question: pack(answer),
        get isAsked() {
          return isAsked;
        },
        until: Date.now() + patienceMs,
        closed: closed.signal,
        show() {
          isAsked = true;
          return () => {
            isAsked = false;
            onChange();
          };
        },
        withdraw: giveUp,
      };
      function giveUp(): void {
        answer(nobody);
      }
      function answer(reply: typeof nobody): void {
        if (closed.signal.aborted) return;
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
        if (open === posed) open = undefined;
        closed.abort();
        resolve(reply);
        onChange();
      }
      signal.addEventListener("abort", giveUp, { once: true });
      open = posed;
      onChange();
      return promise;
    },
  };
}
