import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { sleep } from "../../kit/async/timeout.ts";
import { type DuetError, getMessage } from "../../kit/errors.ts";
import { onlyReads } from "../errors/postgres-reasons.ts";
import { isOutOfConnections, isUnreachable } from "../errors/store-error.ts";
import { createPool, endConnections, type PoolClient } from "./client.ts";

/**
 * Says whether the database can be reached, for all work of the process. While it cannot, work fails at once, and one loop tries to
 * connect.
 */
export interface Reachability {
  /** Is what is wrong while the database cannot be reached. */
  readonly problem: DuetError | undefined;
  /** Connects for the first time. Rejects where that fails; the loop then goes on where trying again may help. */
  open(): Promise<void>;
  /** Throws while the database cannot be reached. */
  check(): void;
  /**
   * Waits for work, explains what it throws, and leaves it as soon as the database turns out to be gone: nobody knows then what the work
   * came to, and what it throws later says nothing any more.
   */
  waitWhileReachable<T>(work: Promise<T>): Promise<T>;
  /** Looks at what work of this process has thrown, and explains it. */
  report(thrown: unknown): DuetError;
  /** Does something on the connection that is kept for this, whose limit is shorter than that of other work. */
  use<T>(work: (client: PoolClient) => Promise<T>): Promise<T>;
  /** Resolves when the database can be reached. Rejects with the problem after `ms` milliseconds, and when all is closed. */
  waitUntilBack(ms: number): Promise<void>;
  /** Calls the listener with the problem when the database is gone, and with undefined when it is back. */
  follow(listener: (problem: DuetError | undefined) => void): void;
  close(): Promise<void>;
}

export interface ReachabilityOptions {
  url: string;
  /** Explains what a connection has thrown. */
  explain(thrown: unknown): DuetError;
  /** Makes the database ready for use, at the first connection. */
  prepare(client: PoolClient): Promise<void>;
  /** Rejects where there is no connection for work, and none can be made. */
  ensureWork(): Promise<void>;
  /** Aborts when all is closed. */
  closing: AbortSignal;
}

/** Is how long the loop pauses between two attempts, in milliseconds. The pause doubles, and half of it is left to chance. */
const firstPauseMs = 50;
const longestPauseMs = 500;

/** Limits the look whether the database answers, in milliseconds. */
const answerMs = 2_000;

/** Limits the second look after one that took too long, in milliseconds. It makes a connection, for which a busy machine needs a while. */
const secondLookMs = 2_000;

export function createReachability({ url, explain, prepare, ensureWork, closing }: ReachabilityOptions): Reachability {
  const pool = createPool(url, { most: 1, queryTimeoutMs: answerMs, idleMs: 0 });
  const listeners = new Set<(problem: DuetError | undefined) => void>();
  /** Holds what ends the waits for work that is under way. */
  const abandonments = new Set<(problem: DuetError) => void>();
  let problem: DuetError | undefined;
  let back = Promise.withResolvers<void>();
  let isPrepared = false;
  let isConnecting = false;
  // The connection ends while nobody uses it: the server has gone, or has ended it.
  pool.on("error", (thrown) => void report(thrown));

  function notifyListeners(): void {
    for (const listener of listeners) listener(problem);
  }

  async function connect(): Promise<void> {
    await useClient(async (client) => {
      await checkWritable(client);
      if (!isPrepared) await prepare(client);
    });
    isPrepared = true;
  }

  async function useClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let isSound = false;
    try {
      const result = await work(client);
      isSound = true;
      return result;
    } finally {
      client.release(!isSound);
    }
  }

  /** A process that stood still finds its own limit passed before it reads the answer that is there. */
  async function hasStoodStill(thrown: unknown): Promise<boolean> {
    if (!/timeout/i.test(getMessage(thrown))) return false;
    const look = useClient(async (client) => (await client.query("SELECT 1")).rowCount === 1);
    return (await Promise.race([ignoreRejection(look, "the first look is right then"), sleep(secondLookMs)])) === true;
  }

  function report(thrown: unknown): DuetError {
    const found = explain(thrown);
    if (closing.aborted || !isUnreachable(found)) return found;
    if (problem === undefined) {
      problem = found;
      back = Promise.withResolvers();
      for (const abandon of abandonments) abandon(found);
      notifyListeners();
    }
    void connectAgain();
    return found;
  }

  /** Tells of another cause than the last one, such as a standby that answers where the primary was. */
  function changeProblem(found: DuetError): void {
    const isOther = problem?.text.en !== found.text.en;
    problem = found;
    if (isOther) notifyListeners();
  }

  async function connectAgain(): Promise<void> {
    if (isConnecting) return;
    isConnecting = true;
    for (let pauseMs = firstPauseMs; problem !== undefined && !closing.aborted; ) {
      try {
        await sleep(pauseMs * (0.5 + Math.random() / 2), closing);
        await connect();
        // The connection of this loop may be there all the time, where the server has none left for work.
        if (isOutOfConnections(problem)) await ensureWork();
        problem = undefined;
      } catch (thrown) {
        if (!closing.aborted) changeProblem(explain(thrown));
      }
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
    isConnecting = false;
    back.resolve();
    if (!closing.aborted) notifyListeners();
  }

  return {
    get problem() {
      return problem;
    },
    report,
    async waitWhileReachable(work) {
      const { promise, reject } = Promise.withResolvers<never>();
      abandonments.add(reject);
      try {
        return await Promise.race([work, promise]);
      } catch (thrown) {
        throw report(thrown);
      } finally {
        abandonments.delete(reject);
      }
    },
    async open() {
      try {
        await connect();
      } catch (thrown) {
        throw report(thrown);
      }
    },
    check() {
      closing.throwIfAborted();
      if (problem !== undefined) throw problem;
    },
    async use(work) {
      closing.throwIfAborted();
      if (problem !== undefined) throw problem;
      try {
        return await useClient(work);
      } catch (thrown) {
        throw (await hasStoodStill(thrown)) ? explain(thrown) : report(thrown);
      }
    },
    async waitUntilBack(ms) {
      const until = performance.now() + ms;
      while (problem !== undefined) {
        closing.throwIfAborted();
        const leftMs = until - performance.now();
        if (leftMs <= 0) throw problem;
        const over = new AbortController();
        const waiting = sleep(leftMs, AbortSignal.any([over.signal, closing]));
        const limit = ignoreRejection(waiting, "the loop looks at what has happened");
        await Promise.race([back.promise, limit]);
        over.abort();
      }
      closing.throwIfAborted();
    },
    follow: (listener) => void listeners.add(listener),
    close: () => endConnections(pool),
  };
}

/** A standby answers as well, and so does a primary that another one has replaced, but nothing can be recorded there. */
export async function checkWritable(client: PoolClient): Promise<void> {
  const { rows } = await client.query("SELECT 1 WHERE current_setting('transaction_read_only') = 'on'");
  if (rows.length > 0) throw new OnlyReadsError("the database only reads");
}

class OnlyReadsError extends Error {
  readonly code = onlyReads;
}
