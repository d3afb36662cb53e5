import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";

/** Holds what a web-standard request does not say about its connection. */
export interface HttpConnection {
  /** Is the unread body, as it arrives. */
  readonly body: Readable;
  /** Is true when the whole request has arrived. */
  readonly isReceived: boolean;
  /**
   * Calls `listener` once when the response is over, or at once if it already is. `isWhole` says that all of it was handed over.
   */
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
