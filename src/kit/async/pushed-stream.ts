import { DuetError } from "../errors.ts";
import { Channel } from "./channel.ts";

/** Gives each item to `push` until its promise settles. `left` aborts when the reader goes away before that. */
export type PushItems<T> = (push: (item: T) => void, left: AbortSignal) => Promise<void>;

/**
 * Returns what a function pushes as a stream with one reader. The function begins with the first `next`, never waits for the
 * reader, and an error that it throws comes after the items before it. A reader that leaves early aborts `left` and waits until
 * the function has ended.
 */
export function createPushedStream<T>(begin: PushItems<T>): AsyncGenerator<T, void, undefined> {
  return new PushedStream(begin);
}

// By hand: an async generator takes three turns of the microtask queue and several promises for each item.
class PushedStream<T> implements AsyncGenerator<T, void, undefined> {
  readonly #items = new Channel<T>();
  readonly #left = new AbortController();
  readonly #begin: PushItems<T>;
  #ending: Promise<void> | undefined;
  #isOver = false;

  constructor(begin: PushItems<T>) {
    this.#begin = begin;
  }

  next(): Promise<IteratorResult<T, void>> {
    this.#ending ??= this.#run();
    return this.#items.next();
  }

  async return(): Promise<IteratorResult<T, void>> {
    this.#items.close();
    if (!this.#isOver) this.#left.abort(leftError());
    this.#ending ??= Promise.resolve();
    await this.#ending;
    return { value: undefined, done: true };
  }

  async throw(thrown: unknown): Promise<never> {
    await this.return();
    throw thrown;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  /** Never rejects: whoever reads gets the error. */
  async #run(): Promise<void> {
    try {
      await this.#begin((item) => this.#items.push(item), this.#left.signal);
      this.#items.close();
    } catch (thrown) {
      this.#items.fail(thrown);
    } finally {
      this.#isOver = true;
    }
  }
}

function leftError(): DuetError {
  return new DuetError({ code: "internal", text: { zh: "已取消", en: "cancelled" } });
}
