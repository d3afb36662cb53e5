import { loadTimeoutError } from "./module-errors.ts";

/** How long a thread may take until it begins with the module, in milliseconds: a machine may be busy. */
const longestStartMs = 60_000;

/** What a thread becomes when it is loaded. */
export interface Opening<T> extends PromiseWithResolvers<T> {
  /** The module itself is being loaded: its own limit begins. */
  startClock(): void;
}

/** Rejects where the thread does not begin in time, or the module does not load within `loadMs`. */
export function createOpening<T>(loadMs: number, onImporting = (): void => {}): Opening<T> {
  const opening = Promise.withResolvers<T>();
  const limitTo = (ms: number): NodeJS.Timeout => setTimeout(() => opening.reject(loadTimeoutError(ms)), ms);
  let timer = limitTo(longestStartMs);
  const clear = (): void => clearTimeout(timer);
  opening.promise.then(clear, clear);
  return {
    ...opening,
    startClock() {
      clear();
      timer = limitTo(loadMs);
      onImporting();
    },
  };
}
