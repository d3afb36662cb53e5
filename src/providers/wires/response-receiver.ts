import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { bodyEndMs, type OnChunk, type ResponseBody } from "./response-body.ts";

/** Is the head of a response, with its body. */
export interface ResponseHead {
  status: number;
  headers: IncomingHttpHeaders;
  body: ResponseBody;
}

/** Is what the receiver of a response can do with its request. */
export interface RequestControl {
  /** Gives the request up, sent or not, and with it its connection. */
  abort(): void;
}

/** Receives one response, and hands over its body as it arrives. */
export class ResponseReceiver implements ResponseBody {
  readonly #signal: AbortSignal;
  readonly #head = Promise.withResolvers<ResponseHead>();
  readonly #abort = (): void => {
    this.#chunks = [];
    this.#fail(this.#signal.reason);
  };
  #control: RequestControl | undefined;
  #response: IncomingMessage | undefined;
  #chunks: Buffer[] = [];
  #hasEnded = false;
  #failure: { thrown: unknown } | undefined;
  #isClosed = false;
  #isScheduled = false;
  #isWaiting = false;
  #endTimer: NodeJS.Timeout | undefined;
  #reading: { onChunk: OnChunk; promise: PromiseWithResolvers<boolean> } | undefined;

  /** The response is given up when the signal aborts, also while the connection is still being made. It must not be aborted yet. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort, { once: true });
  }

  /** Resolves when the response has begun. Rejects with what the request has failed with, or with the signal's reason. */
  get head(): Promise<ResponseHead> {
    return this.#head.promise;
  }

  onRequestStart(control: RequestControl): void {
    this.#control = control;
  }

  onResponseStart(status: number, response: IncomingMessage): void {
    this.#response = response;
    this.#head.resolve({ status, headers: response.headers, body: this });
  }

  onResponseData(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#chunks.push(chunk);
    this.#schedule();
  }

  onResponseEnd(): void {
    this.#hasEnded = true;
    clearTimeout(this.#endTimer);
    this.#schedule();
  }

  onResponseError(error: Error): void {
    this.#hasEnded = true;
    clearTimeout(this.#endTimer);
    this.#fail(error);
  }

  read(onChunk: OnChunk): Promise<boolean> {
    const promise = Promise.withResolvers<boolean>();
    this.#reading = { onChunk, promise };
    this.#flush();
    return promise.promise;
  }

  close(isWhole: boolean): void {
    this.#isClosed = true;
    this.#chunks = [];
    this.#reading = undefined;
    this.#signal.removeEventListener("abort", this.#abort);
    if (this.#hasEnded) return;
    if (isWhole) this.#endTimer = setTimeout(() => this.#abortRequest(), bodyEndMs).unref();
    else this.#abortRequest();
  }

  #abortRequest(): void {
    this.#control?.abort();
  }

  #fail(thrown: unknown): void {
    if (this.#failure || this.#isClosed) return;
    this.#failure = { thrown };
    this.#head.reject(thrown);
    if (!this.#hasEnded) this.#abortRequest();
    this.#schedule();
  }

  /** Hands what one read of the socket has brought over as one chunk, however the server has cut it: a microtask comes after all of it. */
  #schedule(): void {
    if (this.#reading === undefined || this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  /** The server waits, too: its socket is not read meanwhile. */
  #waitFor(until: Promise<unknown>): void {
    this.#isWaiting = true;
    this.#response?.pause();
    void until.then(() => {
      this.#isWaiting = false;
      this.#response?.resume();
      this.#flush();
    });
  }

  #flush(): void {
    // After an abort nothing is left to hand over, so that it need not wait.
    const mustWait = this.#isWaiting && (this.#failure === undefined || this.#chunks.length > 0);
    if (this.#reading === undefined || mustWait) return;
    const { onChunk, promise } = this.#reading;
    const chunks = this.#chunks;
    const [first] = chunks;
    this.#chunks = [];
    try {
      const answered = first !== undefined && onChunk(chunks.length === 1 ? first : Buffer.concat(chunks));
      if (answered === true) {
        this.#reading = undefined;
        promise.resolve(true);
        return;
      }
      if (answered !== false) {
        this.#waitFor(answered);
        return;
      }
    } catch (thrown) {
      this.#reading = undefined;
      promise.reject(thrown);
      return;
    }
    if (!this.#failure && !this.#hasEnded) return;
    this.#reading = undefined;
    this.#signal.removeEventListener("abort", this.#abort);
    if (this.#failure) promise.reject(this.#failure.thrown);
    else promise.resolve(false);
  }
}
