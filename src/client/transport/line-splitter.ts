import { ValueCount } from "./limited-fetch.ts";

export interface LineSink {
  line(text: string): void;
  /**
   * Called for a line that exceeds a limit and is skipped: first with its head, as soon as the limit is exceeded, and with its
   * tail when the line ends.
   */
  tooLong(part: "head" | "tail", text: string, limit: keyof LineLimits): void;
}

export interface LineLimits {
  bytes: number;
  /**
   * Limits the number of JSON values, where a key counts as two. Values are counted only when a line arrives in more than one
   * piece.
   */
  values: number;
}

const newline = 10;
const edge = 512;
const smallBuffer = 65_536;

/**
 * Cuts bytes into lines, however they were split. Copies each byte a constant number of times and never holds more
 * than twice the limit.
 */
export class LineSplitter {
  readonly #limits: LineLimits;
  readonly #sink: LineSink;
  #buffer = Buffer.alloc(4096);
  #length = 0;
  #values = new ValueCount();
  #exceeded: keyof LineLimits = "bytes";
  /** Holds the last bytes of a line that is too long, and is undefined while the line is within the limit. */
  #tail: Buffer | undefined;

  constructor(limits: LineLimits, sink: LineSink) {
    this.#limits = limits;
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#finish(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  #finish(last: Buffer): void {
    if (this.#length === 0 && this.#tail === undefined && last.length <= this.#limits.bytes) {
      this.#sink.line(last.toString("utf8"));
      return;
    }
    this.#keep(last);
    const tail = this.#tail;
    const line = this.#buffer.toString("utf8", 0, this.#length);
    this.#reset();
    if (tail === undefined) this.#sink.line(line);
    else this.#sink.tooLong("tail", tail.toString("utf8"), this.#exceeded);
  }

  #keep(part: Buffer): void {
    if (this.#tail !== undefined) {
      const end = part.subarray(-edge);
      this.#tail = end.length === edge ? Buffer.from(end) : Buffer.concat([this.#tail, end]).subarray(-edge);
      return;
    }
    const { bytes, values } = this.#limits;
    this.#append(part.subarray(0, bytes - this.#length + edge));
    this.#values.add(part);
    if (this.#length <= bytes && this.#values.count <= values) return;
    this.#exceeded = this.#length > bytes ? "bytes" : "values";
    const head = this.#buffer.toString("utf8", 0, edge);
    this.#reset();
    this.#tail = Buffer.from(part.subarray(-edge));
    this.#sink.tooLong("head", head, this.#exceeded);
  }

  #append(part: Buffer): void {
    const needed = this.#length + part.length;
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    part.copy(this.#buffer, this.#length);
    this.#length = needed;
  }

  #reset(): void {
    this.#length = 0;
    this.#tail = undefined;
    this.#values = new ValueCount();
    if (this.#buffer.length > smallBuffer) this.#buffer = Buffer.alloc(4096);
  }
}
