/** Queues items from one writer that never waits for one reader that does. */
export class Channel<T> implements AsyncIterableIterator<T, void, undefined> {
  /** Holds the items that were written and not read yet. */
  #results: IteratorYieldResult<T>[] = [];
  #read = 0;
  #closed = false;
  #failure: { thrown: unknown } | undefined;
  /** Holds the reads that wait for an item, in their order. */
  #waiting: PromiseWithResolvers<IteratorResult<T, void>>[] = [];

  push(item: T): void {
    if (this.#closed) return;
    const result = { value: item, done: false } as const;
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve(result);
    else this.#results.push(result);
  }

  /** Accepts no more items. The reader still gets those in the queue. */
  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) waiting.resolve({ value: undefined, done: true });
  }

  /** Accepts no more items. The reader gets those in the queue, and then the error. */
  fail(thrown: unknown): void {
    if (this.#closed) return;
    const waiting = this.#waiting.shift();
    if (waiting) waiting.reject(thrown);
    else this.#failure = { thrown };
    this.close();
  }

  // By hand: an async generator takes three turns of the microtask queue for each item.
  next(): Promise<IteratorResult<T, void>> {
    const result = this.#results[this.#read];
    if (result) {
      this.#read += 1;
      return Promise.resolve(result);
    }
    this.#results = [];
    this.#read = 0;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) return Promise.reject(failure.thrown);
    if (this.#closed) return Promise.resolve({ value: undefined, done: true });
    const waiting = Promise.withResolvers<IteratorResult<T, void>>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
