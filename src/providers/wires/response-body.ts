import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";

/** Is the body of an answer that has begun. Its bytes are handed over as they arrive, and are not asked for. */
export interface ResponseBody {
  /**
   * Gives what has arrived at one time to `onChunk`, until that returns true or the body ends, and resolves with whether it did. Rejects
   * with what `onChunk` throws, with what has broken the connection, and with the signal's reason as soon as that aborts. Once.
   */
  read(onChunk: OnChunk, signal: AbortSignal): Promise<boolean>;
  /** Lets go of the rest. After a whole turn the end gets a moment to arrive, so that the connection can be used again. */
  close(isWhole: boolean): void;
}

export type OnChunk = (chunk: Buffer) => boolean;

/** Is how long the end of a body may take after a whole turn, in milliseconds. */
const endMs = 1000;

/** Is the head of an answer, with its body. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: ResponseBody;
}

/**
 * Receives one answer from undici. Its `request` would make a stream of each body, which takes twice the processor time of reading it, and
 * which the collector of the young space does not free.
 */
export class AnswerReceiver implements Dispatcher.DispatchHandler, ResponseBody {
  readonly #signal: AbortSignal;
  readonly #head = Promise.withResolvers<Answer>();
  readonly #abort = (): void => {
    this.#chunks = [];
    this.#fail(this.#signal.reason);
  };
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #isOver = false;
  #failure: { thrown: unknown } | undefined;
  #isDropped = false;
  #isScheduled = false;
  #endTimer: NodeJS.Timeout | undefined;
  #reading: { onChunk: OnChunk; promise: PromiseWithResolvers<boolean> } | undefined;

  /** The answer is given up when the signal aborts, also while the connection is still being made. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    if (signal.aborted) this.#abort();
    else signal.addEventListener("abort", this.#abort, { once: true });
  }

  /** Resolves when the answer has begun. Rejects with what the dispatcher says, or with the signal's reason. */
  get head(): Promise<Answer> {
    return this.#head.promise;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) this.#cut();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // What comes before an answer, such as 103, is none.
    if (status >= 200) this.#head.resolve({ status, headers, body: this });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isDropped) return;
    this.#chunks.push(chunk);
    this.#schedule();
  }

  onResponseEnd(): void {
    this.#settle();
    this.#schedule();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  read(onChunk: OnChunk, signal: AbortSignal): Promise<boolean> {
    const promise = Promise.withResolvers<boolean>();
    this.#reading = { onChunk, promise };
    // It is the signal of the request, as a rule, whose end is known already.
    if (signal !== this.#signal && signal.aborted) this.#fail(signal.reason);
    this.#flush();
    return promise.promise;
  }

  close(isWhole: boolean): void {
    this.#isDropped = true;
    this.#chunks = [];
    this.#reading = undefined;
    if (this.#isOver) return;
    this.#signal.removeEventListener("abort", this.#abort);
    if (isWhole) this.#endTimer = setTimeout(() => this.#cut(), endMs).unref();
    else this.#cut();
  }

  #cut(): void {
    this.#controller?.abort(new Error("the answer is not read to its end"));
  }

  #fail(thrown: unknown): void {
    if (this.#isOver) return;
    this.#settle();
    this.#failure = { thrown };
    this.#head.reject(thrown);
    this.#cut();
    this.#schedule();
  }

  #settle(): void {
    this.#isOver = true;
    clearTimeout(this.#endTimer);
    this.#signal.removeEventListener("abort", this.#abort);
  }

  /** What one read of the socket has brought is one chunk, however the server has cut it: a microtask comes after all of it. */
  #schedule(): void {
    if (this.#reading === undefined || this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#reading === undefined) return;
    const { onChunk, promise } = this.#reading;
    const chunks = this.#chunks;
    const [first] = chunks;
    this.#chunks = [];
    try {
      if (first !== undefined && onChunk(chunks.length === 1 ? first : Buffer.concat(chunks))) {
        this.#reading = undefined;
        promise.resolve(true);
        return;
      }
    } catch (thrown) {
      this.#reading = undefined;
      promise.reject(thrown);
      return;
    }
    if (!this.#isOver) return;
    this.#reading = undefined;
    if (this.#failure) promise.reject(this.#failure.thrown);
    else promise.resolve(false);
  }
}

/** Makes a body of a stream. */
export function toResponseBody(stream: Readable): ResponseBody {
  // Whoever reads gets the error; this only keeps a late one from being an uncaught exception.
  stream.on("error", () => {});
  return {
    read: (onChunk, signal) => readStream(stream, onChunk, signal),
    close(isWhole) {
      if (!isWhole || stream.destroyed) return void stream.destroy();
      const timer = setTimeout(() => stream.destroy(), endMs).unref();
      stream.once("close", () => clearTimeout(timer));
      stream.resume();
    },
  };
}

function readStream(stream: Readable, onChunk: OnChunk, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    function stop(): void {
      stream.off("readable", read).off("end", end).off("error", fail).off("close", close);
      signal.removeEventListener("abort", abort);
    }
    function read(): void {
      try {
        for (let chunk = stream.read(); chunk !== null; chunk = stream.read())
          if (onChunk(chunk)) return void end(true);
      } catch (thrown) {
        fail(thrown);
      }
    }
    function end(isEnough = false): void {
      stop();
      resolve(isEnough);
    }
    function fail(thrown: unknown): void {
      stop();
      reject(thrown);
    }
    // A stream that was destroyed closes without its end.
    const close = (): void => fail(Object.assign(new Error("the stream was closed"), { code: "ECONNRESET" }));
    const abort = (): void => fail(signal.reason);
    if (signal.aborted) return abort();
    if (stream.destroyed) return stream.errored ? fail(stream.errored) : close();
    signal.addEventListener("abort", abort, { once: true });
    stream.on("readable", read).on("end", end).on("error", fail).on("close", close);
  });
}
