import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { sleep } from "../../kit/async/timeout.ts";
import { createRandomHex } from "../../kit/random.ts";
import { type Client, createClient, endConnections, openClient } from "./client.ts";

/** Is the channel on which the processes that share a database tell each other what has changed. */
export const channel = "duet_runs";

/** Is how often listeners look while they are not notified, in milliseconds. */
const lookEveryMs = 250;

/** Is how often the connection is tried, so that one that was cut without a word is noticed, in milliseconds. */
const tryEveryMs = 2_000;

/** Limits the pause before a lost connection is made again, in milliseconds. */
const shortestPauseMs = 100;
const longestPauseMs = 2_000;

/** Is how long a connection lasts that was not refused or cut off at once, in milliseconds. */
const steadyMs = 10_000;

/** Hears what other processes tell, over one connection for the whole process. It is made when somebody listens. */
export interface Notifications {
  /**
   * Calls `listener` with each text that a process tells, this one included, and with undefined where something may have been missed: after
   * the connection was lost, and every 250 ms while none can be had or a pooler between keeps notifications back.
   */
  listen(listener: (text: string | undefined) => void): () => void;
  close(): Promise<void>;
}

/** `tell` notifies over another connection, which finds out whether notifications arrive. */
export function createNotifications(url: string, tell: (text: string) => Promise<unknown>): Notifications {
  const listeners = new Set<(text: string | undefined) => void>();
  const closing = new AbortController();
  let client: Client | undefined;
  let looking: NodeJS.Timeout | undefined;
  let connecting: Promise<void> | undefined;

  function notify(text: string | undefined): void {
    for (const listener of listeners) listener(text);
  }

  /** Looks in intervals as long as nobody says when. */
  function startLooking(): void {
    if (!closing.signal.aborted) looking ??= setInterval(() => notify(undefined), lookEveryMs).unref();
  }

  function stopLooking(): void {
    clearInterval(looking);
    looking = undefined;
  }

  async function connect(): Promise<void> {
    const made = createClient(url);
    const lost = new AbortController();
    const probe = `probe ${createRandomHex()}`;
    made.on("error", () => lost.abort());
    made.on("end", () => lost.abort());
    made.on("notification", ({ payload = "" }) => {
      if (payload === probe) {
        stopLooking();
        // Whatever was told while the connection was made may be missing.
        notify(undefined);
      } else if (!payload.startsWith("probe ")) notify(payload);
    });
    try {
      await openClient(made, closing.signal);
      client = made;
      await made.query(`LISTEN ${channel}`);
      await tell(probe);
      while (!lost.signal.aborted && !closing.signal.aborted) {
        await ignoreRejection(sleep(tryEveryMs, lost.signal), "the loss of the connection ends the pause");
        if (!lost.signal.aborted) await made.query("SELECT 1");
      }
    } finally {
      client = undefined;
      startLooking();
      await endConnections(made);
    }
  }

  async function keepConnected(): Promise<void> {
    for (let pauseMs = shortestPauseMs; !closing.signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const startedAt = performance.now();
      await ignoreRejection(connect(), "the next attempt makes up for it, and listeners look meanwhile");
      // After a connection that has lasted the first attempt comes at once.
      if (performance.now() - startedAt > steadyMs) pauseMs = shortestPauseMs;
      const pause = sleep(pauseMs * (0.5 + Math.random()), closing.signal);
      await ignoreRejection(pause, "the end of the store ends the pause");
    }
  }

  return {
    listen(listener) {
      listeners.add(listener);
      if (connecting === undefined) {
        startLooking();
        connecting = keepConnected();
      }
      return () => void listeners.delete(listener);
    },
    async close() {
      closing.abort();
      stopLooking();
      listeners.clear();
      if (client) await endConnections(client);
      await connecting;
    },
  };
}
