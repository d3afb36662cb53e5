import { messageLimit, valueLimit } from "../limits.ts";

/** The package's HTTP transports call this in place of `fetch`. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Returns a `fetch` whose bodies end with an error once a message (a whole body or one event of an event stream) exceeds the
 * limit. The package itself reads any length into memory.
 */
export function limitFetch(fetch: Fetch, limit = messageLimit): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const body = response.body.pipeThrough(limitStream(limit, isEventStream(response)));
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

export function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") ?? false;
}

function limitStream(limit: number, perEvent: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let values = new ValueCount();
  return new TransformStream({
    transform(chunk, controller) {
      const end = perEvent ? findLastBlankLine(chunk) : -1;
      bytes = end === -1 ? bytes + chunk.length : chunk.length - end;
      if (end !== -1) values = new ValueCount();
      values.add(chunk.subarray(Math.max(0, end)));
      if (values.count > valueLimit)
        controller.error(new Error(`The answer holds more than ${valueLimit} JSON values`));
      else if (bytes > limit) controller.error(new Error(`The answer is longer than ${limit / 1_000_000} MB`));
      else controller.enqueue(chunk);
    },
  });
}

/**
 * Returns where the last event of the chunk ends. An event whose blank line is split between chunks counts as longer than it is.
 */
export function findLastBlankLine(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(bytes.lastIndexOf("\n\n"), bytes.lastIndexOf("\r\n\r\n"));
}

const quote = 0x22;
const backslash = 0x5c;

/**
 * These characters separate the values of a JSON text. A key (`:`) counts twice because it takes as long to parse as two values.
 */
const weights = new Uint8Array(256);

for (const mark of [",", "[", "{"]) weights[mark.charCodeAt(0)] = 1;

weights[":".charCodeAt(0)] = 2;

/** Counts the values and keys of a JSON text as its bytes come: their number, not its length, is what makes it slow to parse. */
export class ValueCount {
  #count = 0;
  #isInString = false;
  #isEscaped = false;

  get count(): number {
    return this.#count;
  }

  add(bytes: Uint8Array): void {
    let count = this.#count;
    let isInString = this.#isInString;
    let isEscaped = this.#isEscaped;
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      if (isEscaped) isEscaped = false;
      else if (byte === quote) isInString = !isInString;
      else if (isInString) isEscaped = byte === backslash;
      else count += weights[byte] ?? 0;
    }
    this.#count = count;
    this.#isInString = isInString;
    this.#isEscaped = isEscaped;
  }
}
