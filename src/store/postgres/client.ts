import { Socket } from "node:net";
// A CommonJS package that is imported dynamically has no named exports in the bundle.
import pg from "pg";
import readPasswordFile from "pgpass";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { waitAbortable, waitPatiently } from "../../kit/async/timeout.ts";
import { checkAddress, hasChannelBinding, toConnectionString } from "./address.ts";

export type { Client, Pool, PoolClient } from "pg";

/** Limits the connections for work of one process. */
export const mostWorkConnections = 8;

/**
 * Is how long the machine of the database may take to accept a connection, in milliseconds. Its system does so at once, however busy
 * the database is: a machine that does not is away.
 */
const acceptTimeoutMs = 2_000;

/** Is how long one statement may take, in milliseconds. */
const usualTimeoutMs = 10_000;

/** Is how long the wait for a connection, be it a new one or one that others use, and that for a turn may take, in milliseconds. */
export const usualTurnMs = 10_000;

/** Is how long one statement may take on a connection that is not the pool's, in milliseconds. */
const quickTimeoutMs = 2_000;

/**
 * Is the part of that time after which the server itself gives a statement up. Else it would go on without anybody who waits for it, with
 * its locks and its connection, and what it came to would not be known.
 */
const serverShare = 0.9;

/** Is after how long without use a connection is closed, in milliseconds; 0 never closes it. */
const usualIdleMs = 10_000;

/** Opens nothing yet: a connection is made when the first statement needs one. Throws a `config` error for what is no address. */
export function createPool(
  url: string,
  {
    queryTimeoutMs = usualTimeoutMs,
    turnMs = usualTurnMs,
    most = mostWorkConnections,
    least = 0,
    idleMs = usualIdleMs,
  } = {},
): pg.Pool {
  checkAddress(url);
  const pool = new pg.Pool({
    Client: DatabaseClient,
    connectionString: toConnectionString(url),
    stream: createSocket,
    max: most,
    min: least,
    idleTimeoutMillis: idleMs,
    connectionTimeoutMillis: turnMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    enableChannelBinding: hasChannelBinding(url),
    allowExitOnIdle: true,
    application_name: "duet",
    types: { getTypeParser },
    async onConnect(client) {
      if (queryTimeoutMs > 0) await client.query(`SET statement_timeout = ${Math.floor(queryTimeoutMs * serverShare)}`);
    },
  });
  // A connection that ends while nobody uses it is none of the pool's any more.
  pool.on("error", () => {});
  // One that ends while somebody uses it fails what is done on it, and tells it here as well.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** Creates one connection that is not the pool's, and opens nothing yet. What it is asked is answered soon, or it is lost. */
export function createClient(url: string): pg.Client {
  return new DatabaseClient({
    connectionString: toConnectionString(url),
    stream: createSocket,
    connectionTimeoutMillis: usualTurnMs,
    query_timeout: quickTimeoutMs,
    keepAlive: true,
    enableChannelBinding: hasChannelBinding(url),
    application_name: "duet",
  });
}

/** Reads a password that neither the address nor `PGPASSWORD` has from `~/.pgpass`. The package warns on stderr where it does so itself. */
class DatabaseClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const findPassword = (connection: Parameters<typeof readPasswordFile>[0]): Promise<string | undefined> =>
      new Promise((resolve) => readPasswordFile(connection, resolve));
    // The types know no function here, which the settings take.
    if (this.password === null) Object.assign(this, { password: findPassword });
  }
}

/** Connects, and lets go as soon as the signal aborts: a client that is ended while it connects never says what became of that. */
export async function openClient(client: pg.Client, signal: AbortSignal): Promise<void> {
  try {
    await waitAbortable(client.connect(), signal);
  } catch (thrown) {
    client.connection.stream.destroy();
    throw thrown;
  }
}

/** Is how long a server may take to end a connection, in milliseconds: one that hangs, or is cut off, never answers. */
const longestEndMs = 1_000;

/** Ends a connection, or those of a pool. Never rejects, and does not wait for a server that does not answer. */
export async function endConnections(opened: pg.Client | pg.Pool): Promise<void> {
  await waitPatiently(ignoreRejection(opened.end(), "the connection is gone"), longestEndMs);
  if (opened instanceof pg.Client) opened.connection.stream.destroy();
}

function createSocket(): Socket {
  const socket = new Socket();
  // A process that stood still finds the limit passed before it learns that it is connected, which is in the same turn of the event loop.
  const limit = setTimeout(() => setImmediate(closeUnconnected), acceptTimeoutMs).unref();
  function closeUnconnected(): void {
    if (socket.connecting) socket.destroy(new NotAcceptedError("the connection was not accepted"));
  }
  for (const event of ["connect", "close"]) socket.once(event, () => clearTimeout(limit));
  return socket;
}

class NotAcceptedError extends Error {
  readonly code = "ETIMEDOUT";
}

/** Reads what SQLite gives as numbers (counts, sums, and truth) as numbers too. */
const numbers: Readonly<Record<number, (text: string) => number>> = {
  [pg.types.builtins.BOOL]: (text) => Number(text === "t"),
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.NUMERIC]: Number,
};

function getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  const parser = format === "binary" ? undefined : numbers[oid];
  return parser ?? pg.types.getTypeParser(oid, "text");
}
