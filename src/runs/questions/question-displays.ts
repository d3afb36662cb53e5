/** Holds which hosts show a question. */
export interface QuestionDisplays {
  /** Is described at `OpenQuestion`, as the others are. */
  readonly isAsked: boolean;
  readonly isInResult: boolean;
  show(display: { isInResult: boolean }): () => void;
}

/** `onFree` is called when a host shows the question no more. */
export function createQuestionDisplays(onFree: () => void): QuestionDisplays {
  const all = new Set<{ isInResult: boolean }>();
  return {
    get isAsked() {
      return all.size > 0;
    },
    get isInResult() {
      return all.size > 0 && [...all].every((display) => display.isInResult);
    },
    show({ isInResult }) {
      const display = { isInResult };
      all.add(display);
      return () => {
        all.delete(display);
        onFree();
      };
    },
  };
}
