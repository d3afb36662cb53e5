import type { Mutable } from "../mutable.ts";

/** The work runs at the first request and its success is kept. */
export interface Once<T> {
  /** Does the work at the first call and gives its result to every later one; work that failed is tried again. */
  get(): Promise<T>;
  readonly current: Promise<T> | undefined;
}

export function createOnce<T>(work: () => Promise<T>): Once<T> {
  const once: Mutable<Once<T>> = {
    current: undefined,
    get() {
      once.current ??= work().catch((thrown) => {
        once.current = undefined;
        throw thrown;
      });
      return once.current;
    },
  };
  return once;
}
