import type { HttpConnection } from "../connection.ts";

/** Counts the responses that are still open, so that a shutdown can wait for them. */
export interface InFlight {
  /** Counts this response as open until its connection has finished with it. */
  add(connection: HttpConnection): void;
  /** Excludes this response from the shutdown's wait, because it is a stream without a foreseeable end. */
  exclude(connection: HttpConnection): void;
  /** Cuts those whose request has not come yet, which may be never; gives how many. Those that come so later are not waited for. */
  cutHalfSent(): number;
  /** Resolves when none is owed, or when the signal aborts. Never rejects. */
  waitUntilEmpty(signal: AbortSignal): Promise<void>;
}

export function createInFlight(): InFlight {
  const owed = new Set<HttpConnection>();
  const waiting = new Set<() => void>();
  let isEnding = false;

  function excludeConnection(connection: HttpConnection): void {
    owed.delete(connection);
    if (owed.size === 0) for (const tell of waiting) tell();
  }

  return {
    add(connection) {
      if (isEnding && !connection.isReceived()) return;
      owed.add(connection);
      connection.onClose(() => excludeConnection(connection));
    },
    exclude: excludeConnection,
    cutHalfSent() {
      isEnding = true;
      const halfSent = [...owed].filter((connection) => !connection.isReceived());
      for (const connection of halfSent) {
        excludeConnection(connection);
        connection.drop();
      }
      return halfSent.length;
    },
    async waitUntilEmpty(signal) {
      if (owed.size === 0 || signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      waiting.delete(resolve);
    },
  };
}
