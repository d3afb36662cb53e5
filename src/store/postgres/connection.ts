import { createHash } from "node:crypto";
import { createKeyedMutex } from "../../kit/async/semaphore.ts";
import { createTimeLimit, sleep } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import { onlyReads } from "../errors/postgres-reasons.ts";
import { closedStoreError } from "../errors/usage-errors.ts";
import type { StoreConnection, StoreWork } from "../sql/connection.ts";
import { listValues, type NumberedStatement } from "../sql/number-parameters.ts";
import {
  listBindings,
  type Query,
  type Row,
  type Statement,
  type Value,
  type Work,
  type WorkAnswer,
  type WorkStep,
} from "../sql/work.ts";
import { describePlace } from "./address.ts";
import { type PoolClient, usualTurnMs } from "./client.ts";
import { getSqlState, toConnectError, toDatabaseError, turnTimeoutError } from "./database-error.ts";
import { createReachability, type Reachability } from "./reachability.ts";
import { migrateDatabase, migrationMs, postgresSchemaVersion, readUsableSchema } from "./schema.ts";
import { translateStatement } from "./translate.ts";
import { withDatabase } from "./with-database.ts";
import { createWorkPool } from "./work-pool.ts";

/** Runs transactions in PostgreSQL, each on a connection of its own. */
export interface PostgresConnection extends StoreConnection {
  /** Names the database without its password. */
  readonly place: string;
  /** Runs one statement of PostgreSQL's own, which is a transaction. */
  query(name: string, text: string, values?: readonly PostgresValue[]): Promise<WorkAnswer>;
  /** Says whether the database can be reached. Work fails at once while it cannot. */
  readonly reachability: Reachability;
  /**
   * Calls the listener when the server has no connection left for more work, which goes on over those that there are, and with undefined
   * when it has.
   */
  followShortage(listener: (problem: DuetError | undefined) => void): void;
  close(): Promise<void>;
}

export type PostgresValue = Value | readonly Value[];

/** Takes a transaction, and its locks, from a process that stands still in the midst of it. */
const idleLimit = "SET LOCAL idle_in_transaction_session_timeout = '10s'";

/** Limits how often is repeated what has met another transaction. */
const mostAttempts = 8;

/** Ends a failed attempt that another transaction was the reason of: nothing of it is stored. */
const retryableStates = new Set([
  "40001", // serialization failure
  "40P01", // deadlock
  "23503", // a file that another transaction has just removed is named
]);

export function openPostgresConnection(url: string): PostgresConnection {
  const pool = createWorkPool(url);
  const place = describePlace(url);
  const prepared = new Map<Statement, NumberedStatement & { name: string }>();
  const turns = createKeyedMutex();
  const closing = new AbortController();

  const reachability = createReachability({
    url,
    explain: (thrown) => toDatabaseError(thrown, place),
    async prepare(client) {
      const { version } = await readUsableSchema(client, place);
      if (version < postgresSchemaVersion) await withDatabase(url, migrateDatabase, migrationMs);
    },
    ensureWork: pool.ensureOne,
    closing: closing.signal,
  });

  async function runReported<T>(work: (attempt: Attempt) => Promise<T>): Promise<T> {
    reachability.check();
    const attempt = { isLeft: false };
    try {
      return await reachability.waitWhileReachable(work(attempt));
    } finally {
      attempt.isLeft = true;
    }
  }

  function prepare(statement: Statement): NumberedStatement & { name: string } {
    const known = prepared.get(statement);
    if (known) return known;
    const { text, names } = translateStatement(statement.text);
    const made = { text, names, name: createHash("sha256").update(text).digest("base64url") };
    prepared.set(statement, made);
    return made;
  }

  async function execute(client: PoolClient, { statement, values }: Query): Promise<WorkAnswer> {
    const { name, text, names } = prepare(statement);
    const answer = { rows: nothing.rows, changes: 0 };
    for (const each of listBindings(values)) {
      const bound = listValues(names, each).map(toBound);
      const { rows, changes } = toAnswer(await client.query<Row>({ name, text, values: bound }));
      answer.rows = rows;
      answer.changes += changes;
    }
    return answer;
  }

  async function take(client: PoolClient, step: WorkStep): Promise<WorkAnswer> {
    if (!("lock" in step)) return execute(client, step);
    return toAnswer(await client.query<Row>(lockText(step.lock)));
  }

  /** Runs a transaction on one connection. What is waited for first is asked for together with the beginning. */
  async function runTransaction<T>(client: PoolClient, begin: string, { going, first }: BegunWork<T>): Promise<T> {
    let step = first;
    if (!step.done && "lock" in step.value) {
      await client.query(`${begin}; ${lockText(step.value.lock)}`);
      step = going.next(nothing);
    } else {
      await client.query(begin);
    }
    while (!step.done) step = going.next(await take(client, step.value));
    await client.query("COMMIT");
    return step.value;
  }

  /** Many that wait for one lock, each for long in the database, would else wait for all before them. */
  async function waitForTurn(name: string): Promise<() => void> {
    const limit = createTimeLimit(usualTurnMs, turnTimeoutError, closing.signal);
    try {
      return await turns(name, limit.signal);
    } finally {
      limit.clear();
    }
  }

  /** Lets one transaction of this process at a time wait in the database for a lock: the others take no connection, and keep their order. */
  async function runInTurn<T>(attempt: Attempt, begin: string, work: StoreWork<T>): Promise<T> {
    const going = work();
    const first = going.next(nothing);
    const name = !first.done && "lock" in first.value ? first.value.lock : undefined;
    const release = name === undefined ? undefined : await waitForTurn(name);
    try {
      return await use(attempt, (client) => runTransaction(client, begin, { going, first }));
    } finally {
      release?.();
    }
  }

  /** A database that is slow to make one more connection is busy. Whether it is away, the connection of `reachability` finds out. */
  async function connect(): Promise<PoolClient> {
    try {
      return await pool.connect();
    } catch (thrown) {
      throw toConnectError(thrown);
    }
  }

  async function use<T>(attempt: Attempt, work: (client: PoolClient) => Promise<T>): Promise<T> {
    closing.signal.throwIfAborted();
    if (attempt.isLeft) throw leftWorkError();
    const client = await connect();
    if (attempt.isLeft) {
      client.release();
      throw leftWorkError();
    }
    let isSound = false;
    try {
      const result = await work(client);
      isSound = true;
      return result;
    } catch (thrown) {
      // The connection goes on after an error that the server or the work itself has told, unless the server is not the primary any more.
      const state = getSqlState(thrown);
      const isTold = state !== undefined || thrown instanceof DuetError;
      isSound = isTold && state !== onlyReads && (await endTransaction(client));
      throw thrown;
    } finally {
      client.release(!isSound);
    }
  }

  async function retryConflicts<T>(attempt: () => Promise<T>): Promise<T> {
    for (let left = mostAttempts; ; left--) {
      try {
        return await attempt();
      } catch (thrown) {
        if (left <= 1 || !retryableStates.has(getSqlState(thrown) ?? "")) throw thrown;
      }
      await sleep(Math.random() * 20);
    }
  }

  /** Most works read one statement, which needs no transaction. A work that turns out to need more begins again in one. */
  async function read<T>(attempt: Attempt, work: StoreWork<T>): Promise<T> {
    const going = work();
    const { done, value } = going.next(nothing);
    if (done) return value;
    if (!("lock" in value)) {
      const after = going.next(await use(attempt, (client) => execute(client, value)));
      if (after.done) return after.value;
    }
    const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${idleLimit}`;
    return retryConflicts(() => runInTurn(attempt, begin, work));
  }

  const write: StoreConnection["write"] = (work) =>
    runReported((attempt) => retryConflicts(() => runInTurn(attempt, `BEGIN; ${idleLimit}`, work)));

  return {
    place,
    reachability,
    followShortage(listener) {
      pool.followShortage((thrown) => listener(thrown === undefined ? undefined : toDatabaseError(thrown, place)));
    },
    sliceMs: 500,
    read: (work) => runReported((attempt) => read(attempt, work)),
    write,
    // One transaction for several runs would hold the locks of all of them until it ends.
    writeGrouped: write,
    query: (name, text, values = []) =>
      runReported(async (attempt) => {
        const bound = values.map((value) => (isList(value) ? value.map(toBound) : toBound(value)));
        const run = (client: PoolClient) => client.query<Row>({ name, text, values: bound });
        return toAnswer(await retryConflicts(() => use(attempt, run)));
      }),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort(closedStoreError());
      await Promise.all([pool.close(), reachability.close()]);
    },
  };
}

/** Is work that somebody waits for. What was left because the database was gone does not begin when it is back: its caller was told so. */
interface Attempt {
  isLeft: boolean;
}

function leftWorkError(): Error {
  return new Error("nobody waits for it any more");
}

/** Is a work that has told its first step. */
interface BegunWork<T> {
  going: Work<T>;
  first: IteratorResult<WorkStep, T>;
}

const nothing: WorkAnswer = { rows: [], changes: 0 };

function toAnswer({ rows, rowCount }: { rows: Row[]; rowCount: number | null }): WorkAnswer {
  return { rows, changes: rowCount ?? 0 };
}

function isList(value: PostgresValue): value is readonly Value[] {
  return Array.isArray(value);
}

/** A text of PostgreSQL holds no NUL, and none is the one that stands for the operator. */
export function toBound(value: Value): Value {
  if (value === "\u0001") return "\ufffd";
  return typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value;
}

/** Locks are numbers of 64 bits. Two names that share one only wait for one another. */
function lockText(name: string): string {
  return `SELECT pg_advisory_xact_lock(${createHash("sha256").update(name).digest().readBigInt64BE()})`;
}

async function endTransaction(client: PoolClient): Promise<boolean> {
  try {
    await client.query("ROLLBACK");
    return true;
  } catch {
    return false;
  }
}
