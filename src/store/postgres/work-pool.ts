import { isOutOfConnections } from "../errors/store-error.ts";
import {
  type Client,
  createClient,
  createPool,
  endConnections,
  mostWorkConnections,
  openClient,
  type PoolClient,
  usualTurnMs,
} from "./client.ts";

/**
 * Holds the connections for work. Where the server has none left for one more, work waits for those that this process has, and is away
 * only where it has none.
 */
export interface WorkPool {
  connect(): Promise<PoolClient>;
  /** Rejects where there is no connection and none can be made. */
  ensureOne(): Promise<void>;
  /** Calls the listener with what the server has thrown when it gives no more connections, and with undefined when it does again. */
  followShortage(listener: (thrown: unknown) => void): void;
  close(): Promise<void>;
}

/** Is how often one more connection is tried while the server had none left, in milliseconds. */
const tryEveryMs = 2_000;

/** Is how many of these attempts in a row have to work, without a refusal between them, until there are enough: half a minute's. */
const enoughTries = 15;

export function createWorkPool(url: string): WorkPool {
  // With one that stays, a process that did nothing for a while answers as well.
  const pool = createPool(url, { least: 1 });
  const made = new Set<Client>();
  const listeners = new Set<(thrown: unknown) => void>();
  const closing = new AbortController();
  let probeTimer: NodeJS.Timeout | undefined;
  let isProbing = false;
  let successfulProbes = 0;
  pool.on("connect", (client) => made.add(client));
  pool.on("remove", (client) => made.delete(client));

  function notify(thrown: unknown): void {
    for (const listener of listeners) listener(thrown);
  }

  function recordRefusal(thrown: unknown): void {
    // Work waits for a connection then, as it does where all that a process may have are in use.
    pool.options.max = Math.max(1, made.size);
    successfulProbes = 0;
    if (probeTimer !== undefined || closing.signal.aborted) return;
    probeTimer = setInterval(() => void tryOneMore(), tryEveryMs).unref();
    notify(thrown);
  }

  async function canConnect(): Promise<boolean> {
    try {
      const client = createClient(url);
      client.on("error", () => {});
      await openClient(client, closing.signal);
      await endConnections(client);
      return true;
    } catch {
      return false;
    }
  }

  async function tryOneMore(): Promise<void> {
    if (isProbing) return;
    isProbing = true;
    const isGood = made.size >= mostWorkConnections || (await canConnect());
    isProbing = false;
    successfulProbes = isGood ? successfulProbes + 1 : 0;
    if (isGood) pool.options.max = mostWorkConnections;
    if (successfulProbes < enoughTries || closing.signal.aborted) return;
    clearInterval(probeTimer);
    probeTimer = undefined;
    notify(undefined);
  }

  async function connect(): Promise<PoolClient> {
    const until = performance.now() + usualTurnMs;
    for (;;) {
      try {
        return await pool.connect();
      } catch (thrown) {
        if (!isOutOfConnections(thrown) || made.size === 0 || performance.now() >= until) throw thrown;
        recordRefusal(thrown);
      }
    }
  }

  return {
    connect,
    async ensureOne() {
      if (made.size === 0) (await connect()).release();
    },
    followShortage: (listener) => void listeners.add(listener),
    async close() {
      closing.abort();
      clearInterval(probeTimer);
      await endConnections(pool);
    },
  };
}
