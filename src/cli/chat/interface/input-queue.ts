/** Queues submitted texts until their turn. */
export interface InputQueue {
  push(text: string): void;
  /** Resolves to the next text, or to undefined when the input has ended and none is left. */
  next(): Promise<string | undefined>;
  readonly waiting: readonly string[];
  /** Puts texts before those that wait. */
  putFirst(texts: readonly string[]): void;
  /** Returns all that wait, and forgets them. */
  takeAll(): string[];
  close(): void;
}

export function createInputQueue(): InputQueue {
  const waiting: string[] = [];
  let hasEnded = false;
  let resolveNext: ((text: string | undefined) => void) | undefined;

  function resolveWaiting(text: string | undefined): void {
    const resolve = resolveNext;
    resolveNext = undefined;
    resolve?.(text);
  }

  return {
    waiting,
    push(text) {
      if (resolveNext) resolveWaiting(text);
      else waiting.push(text);
    },
    next() {
      if (waiting.length > 0 || hasEnded) return Promise.resolve(waiting.shift());
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      resolveNext = resolve;
      return promise;
    },
    putFirst(texts) {
      const [first, ...others] = texts;
      if (first === undefined) return;
      waiting.unshift(...others);
      if (resolveNext) resolveWaiting(first);
      else waiting.unshift(first);
    },
    takeAll: () => waiting.splice(0),
    close() {
      hasEnded = true;
      resolveWaiting(undefined);
    },
  };
}
