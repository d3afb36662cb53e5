/** Queues items from one writer that never waits for one reader that does. */
export class Channel<T> implements AsyncIterableIterator<T, void, undefined> {
  /** Holds the items that were written and not read yet. */
  #results: IteratorYieldResult<T>[] = [];
  #read = 0;
  #closed = false;
  #wake: ((result: IteratorResult<T, void>) => void) | undefined;

  push(item: T): void {
    if (this.#closed) return;
    const result = { value: item, done: false } as const;
    if (this.#wake) this.#answer(result);
    else this.#results.push(result);
  }

  /** Accepts no more items. The reader still gets those in the queue. */
  close(): void {
    this.#closed = true;
    this.#answer({ value: undefined, done: true });
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
    if (this.#closed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #answer(result: IteratorResult<T, void>): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.(result);
  }
}
