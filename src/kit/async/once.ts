/** The work runs at the first request and its success is kept. */
export interface Once<T> {
  /** Does the work at the first call and gives its result to every later one; work that failed is tried again. */
  get(): Promise<T>;
  readonly begun: Promise<T> | undefined;
}

export function createOnce<T>(work: () => Promise<T>): Once<T> {
  let begun: Promise<T> | undefined;
  return {
    get() {
      begun ??= work().catch((thrown) => {
        begun = undefined;
        throw thrown;
      });
      return begun;
    },
    get begun() {
      return begun;
    },
  };
}
