import { useState } from "preact/hooks";
import { sanitize } from "../../../../../kit/text/sanitize.ts";
import { usePage } from "../page-model.ts";

/** Runs what a person asks for, and holds what there is to say about it. */
export interface Attempt {
  readonly isBusy: boolean;
  readonly word: string;
  readonly isWrong: boolean;
  /** Runs the work; `done` is said when it has succeeded, and the reason when it has not. */
  run(work: () => Promise<void>, done?: string): void;
}

export function useAttempt(): Attempt {
  const { describeError } = usePage();
  const [state, setState] = useState({ isBusy: false, word: "", isWrong: false });
  return {
    ...state,
    run(work, done = "") {
      setState({ isBusy: true, word: "", isWrong: false });
      work().then(
        () => setState({ isBusy: false, word: done, isWrong: false }),
        (thrown: unknown) => setState({ isBusy: false, word: describeError(thrown), isWrong: true }),
      );
    },
  };
}

/** Says how the last attempt went. */
export function Word({ attempt: { word, isWrong } }: { readonly attempt: Attempt }) {
  return (
    <p class={isWrong ? "problem word" : "hint word"} role="status">
      {sanitize(word)}
    </p>
  );
}
