/** The end of what a process wrote, in bounded memory. */
export class Tail {
  #kept = Buffer.alloc(0);
  readonly #limit: number;

  constructor(limit = 16_384) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    const joined = Buffer.concat([this.#kept, chunk.subarray(-this.#limit)]);
    this.#kept = Buffer.from(joined.subarray(-this.#limit));
  }

  toString(): string {
    return this.#kept.toString("utf8");
  }
}
