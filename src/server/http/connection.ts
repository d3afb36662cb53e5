import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";

/** What a web-standard request does not tell of the way by which it came. */
export interface HttpConnection {
  /** The body as it comes in, read by nobody yet. */
  readonly body: Readable;
  /** Whether all of the request has come. */
  readonly isReceived: boolean;
  /** `listener` is told once when the answer is over, at once if it is; `isWhole`: all of it was handed over. */
  onClose(listener: (isWhole: boolean) => void): void;
  /** Resolves when the other side has taken what was handed over for it, but for a little; at once where the answer is over. */
  drained(): Promise<void>;
  /** Cuts it, whatever was still to be said. */
  drop(): void;
}

export function toHttpConnection(incoming: IncomingMessage, outgoing: ServerResponse): HttpConnection {
  const listeners: ((isWhole: boolean) => void)[] = [];
  let isClosed = false;
  outgoing.once("close", () => {
    isClosed = true;
    for (const listener of listeners) listener(outgoing.writableFinished);
  });
  return {
    body: incoming,
    get isReceived() {
      return incoming.complete;
    },
    onClose(listener) {
      if (isClosed) listener(outgoing.writableFinished);
      else listeners.push(listener);
    },
    drained() {
      if (isClosed || !outgoing.writableNeedDrain) return Promise.resolve();
      return new Promise((resolve) => {
        function finish(): void {
          outgoing.off("drain", finish).off("close", finish);
          resolve();
        }
        outgoing.on("drain", finish).on("close", finish);
      });
    },
    drop: () => void outgoing.destroy(),
  };
}
