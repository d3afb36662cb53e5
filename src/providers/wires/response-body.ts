import type { Readable } from "node:stream";

/** Is the body of a response that has begun. Its bytes are handed over as they arrive, and are not asked for. */
export interface ResponseBody {
  /**
   * Gives what has arrived at one time to `onChunk`, until that returns true or the body ends, and resolves with whether it did. Rejects
   * with what `onChunk` throws, with what has broken the connection, and with the reason of the request's signal as soon as that
   * aborts. May be called once.
   */
  read(onChunk: OnChunk): Promise<boolean>;
  /** Discards the rest. After a whole turn the end gets a moment to arrive, so that the connection can be used again. */
  close(isWhole: boolean): void;
}

/** Returns true where that is enough, and a promise where what follows has to wait for it; it must not reject. */
export type OnChunk = (chunk: Buffer) => boolean | Promise<unknown>;

/** Is how long the end of a body may take after a whole turn, in milliseconds. */
export const bodyEndMs = 1000;

/** Makes a body of a stream. `signal` is that of the request. */
export function toResponseBody(stream: Readable, signal: AbortSignal): ResponseBody {
  // Whoever reads gets the error; this only keeps a late one from being an uncaught exception.
  stream.on("error", () => {});
  return {
    read: (onChunk) => readStream(stream, onChunk, signal),
    close(isWhole) {
      if (!isWhole || stream.destroyed) return void stream.destroy();
      const timer = setTimeout(() => stream.destroy(), bodyEndMs).unref();
      stream.once("close", () => clearTimeout(timer));
      stream.resume();
    },
  };
}

function readStream(stream: Readable, onChunk: OnChunk, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let isWaiting = false;
    let isOver = false;
    function stop(): void {
      isOver = true;
      stream.off("readable", read).off("end", end).off("error", fail).off("close", close);
      signal.removeEventListener("abort", abort);
    }
    function read(): void {
      try {
        while (!isWaiting && !isOver) {
          const chunk = stream.read();
          if (chunk === null) return;
          const answered = onChunk(chunk);
          if (answered === true) return void end(true);
          if (answered !== false) waitFor(answered);
        }
      } catch (thrown) {
        fail(thrown);
      }
    }
    function waitFor(until: Promise<unknown>): void {
      isWaiting = true;
      void until.then(() => {
        isWaiting = false;
        read();
      });
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
