import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { waitForDrain } from "../../kit/async/wait-for-drain.ts";

/** Holds what a web-standard request does not say about its connection. */
export interface HttpConnection {
  /** Is the unread body, as it arrives. */
  readonly body: Readable;
  /** Is the address that the connection comes from: that of a proxy, where there is one. */
  readonly address: string;
  /** Is true when the whole request has arrived. */
  isReceived(): boolean;
  /** Resolves when a body of this length may be worked on. Long ones take turns, and others are served between two of them. */
  takeTurn(length: number): Promise<void>;
  /**
   * Calls `listener` once when the response is over, or at once if it already is. `isWhole` says that all of it was handed over.
   */
  onClose(listener: (isWhole: boolean) => void): void;
  /** Resolves when the other side has taken what was handed over for it, but for a little; at once where the answer is over. */
  drained(): Promise<void>;
  /** Cuts it, whatever was still to be said. */
  drop(): void;
}

/** Gives one turn after the other. */
export type TakeTurn = () => Promise<void>;

/** A round of the event loop takes in one new connection; one in which nothing waits takes some microseconds. */
const roundsBetween = 32;

/** Creates the turns of one server. What waits in the event loop is served between two of them. */
export function createTurns(): TakeTurn {
  let last = Promise.resolve();
  return () => {
    last = last.then(async () => {
      for (let round = 0; round < roundsBetween; round++) await setImmediate();
    });
    return last;
  };
}

/** A shorter body, in characters, is worked on at once. */
const longBody = 65_536;

export function toHttpConnection(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  takeTurn: TakeTurn,
): HttpConnection {
  const listeners: ((isWhole: boolean) => void)[] = [];
  let isClosed = false;
  outgoing.once("close", () => {
    isClosed = true;
    for (const listener of listeners) listener(outgoing.writableFinished);
  });
  return {
    body: incoming,
    address: incoming.socket.remoteAddress ?? "",
    isReceived: () => incoming.complete,
    async takeTurn(length) {
      if (length > longBody) await takeTurn();
    },
    onClose(listener) {
      if (isClosed) listener(outgoing.writableFinished);
      else listeners.push(listener);
    },
    drained() {
      return isClosed || !outgoing.writableNeedDrain ? Promise.resolve() : waitForDrain(outgoing);
    },
    drop: () => void outgoing.destroy(),
  };
}

/** Returns a signal that aborts when the other side leaves before it has the whole response. */
export function createLeaveSignal({ onClose }: HttpConnection): AbortSignal {
  const left = new AbortController();
  onClose((isWhole) => {
    if (!isWhole) left.abort();
  });
  return left.signal;
}

/** Is the status of an answer that its client has not waited for, and never reads; nginx uses it in its logs. */
export const clientLeft = 499;
