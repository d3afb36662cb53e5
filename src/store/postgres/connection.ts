import { createHash } from "node:crypto";
import { createKeyedMutex } from "../../kit/async/semaphore.ts";
import { sleep } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
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
import { allInUse, onlyReads, toStoreError } from "../store-errors.ts";
import { describePlace } from "./address.ts";
import { createPool, type Pool, type PoolClient } from "./client.ts";
import { createReachability, type Reachability } from "./reachability.ts";
import { migrateDatabase } from "./schema.ts";
import { translateStatement } from "./translate.ts";

/** Runs transactions in PostgreSQL, each on a connection of its own. */
export interface PostgresConnection extends StoreConnection {
  /** Names the database without its password. */
  readonly place: string;
  /** Runs one statement of PostgreSQL's own, which is a transaction. */
  query(name: string, text: string, values?: readonly PostgresValue[]): Promise<WorkAnswer>;
  /** Says whether the database can be reached. Work fails at once while it cannot. */
  readonly reachability: Reachability;
  close(): Promise<void>;
}

export type PostgresValue = Value | readonly Value[];

/** Takes a transaction, and its locks, from a process that stands still in the midst of it. */
const idleLimit = "SET LOCAL idle_in_transaction_session_timeout = '10s'";

/** Limits how often is repeated what has met another transaction. */
const mostAttempts = 8;

/** Ends a failed attempt that another transaction was the reason of: nothing of it is stored. */
const meetings = new Set([
  "40001", // serialization failure
  "40P01", // deadlock
  "23503", // a file that another transaction has just removed is named
]);

export function openPostgresConnection(url: string): PostgresConnection {
  const pool: Pool = createPool(url);
  const place = describePlace(url);
  const prepared = new Map<Statement, NumberedStatement & { name: string }>();
  const turns = createKeyedMutex();
  const closing = new AbortController();

  const reachability = createReachability({
    url,
    explain: (thrown) => toDatabaseError(thrown, place),
    prepare: () => use((client) => migrateDatabase(client, place)).then(() => {}),
    closing: closing.signal,
  });
  const runReported = async <T>(work: () => Promise<T>): Promise<T> => {
    reachability.check();
    return reachability.waitOrLeave(work());
  };

  function prepare(statement: Statement): NumberedStatement & { name: string } {
    const known = prepared.get(statement);
    if (known) return known;
    const { text, names } = translateStatement(statement.text);
    const made = { text, names, name: createHash("sha256").update(text).digest("base64url") };
    prepared.set(statement, made);
    return made;
  }

  async function execute(client: Pick<Pool, "query">, { statement, values }: Query): Promise<WorkAnswer> {
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

  /** Lets one transaction of this process at a time wait in the database for a lock: the others take no connection, and keep their order. */
  async function runInTurn<T>(begin: string, work: StoreWork<T>): Promise<T> {
    const going = work();
    const first = going.next(nothing);
    const name = !first.done && "lock" in first.value ? first.value.lock : undefined;
    const release = name === undefined ? undefined : await turns(name, closing.signal);
    try {
      return await use((client) => runTransaction(client, begin, { going, first }));
    } finally {
      release?.();
    }
  }

  async function use<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    closing.signal.throwIfAborted();
    const client = await pool.connect();
    let isSound = false;
    try {
      const result = await work(client);
      isSound = true;
      return result;
    } catch (thrown) {
      // The connection of an error that the server has told goes on, unless it leads to a server that is not the primary any more.
      const state = getSqlState(thrown);
      isSound = state !== undefined && state !== onlyReads && (await endTransaction(client));
      throw thrown;
    } finally {
      client.release(!isSound);
    }
  }

  async function retryMeetings<T>(attempt: () => Promise<T>): Promise<T> {
    for (let left = mostAttempts; ; left--) {
      try {
        return await attempt();
      } catch (thrown) {
        if (left <= 1 || !meetings.has(getSqlState(thrown) ?? "")) throw thrown;
      }
      await sleep(Math.random() * 20);
    }
  }

  /** Most works read one statement, which needs no transaction. A work that turns out to need more begins again in one. */
  async function read<T>(work: StoreWork<T>): Promise<T> {
    closing.signal.throwIfAborted();
    const going = work();
    const step = going.next(nothing);
    if (step.done) return step.value;
    if (!("lock" in step.value)) {
      const after = going.next(await execute(pool, step.value));
      if (after.done) return after.value;
    }
    return retryMeetings(() => runInTurn(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${idleLimit}`, work));
  }

  return {
    place,
    reachability,
    sliceMs: 500,
    read: (work) => runReported(() => read(work)),
    write: (work) => runReported(() => retryMeetings(() => runInTurn(`BEGIN; ${idleLimit}`, work))),
    query: (name, text, values = []) =>
      runReported(async () => {
        const bound = values.map((value) => (isList(value) ? value.map(toBound) : toBound(value)));
        return toAnswer(await retryMeetings(() => pool.query<Row>({ name, text, values: bound })));
      }),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort(closedStoreError());
      await Promise.all([pool.end(), reachability.close()]);
    },
  };
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

/** Returns the code of an error of the server (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
function getSqlState(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error && "code" in thrown && "severity" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}

/** Explains what the server or the connection to it has thrown. */
export function toDatabaseError(thrown: unknown, place: string): DuetError {
  return toStoreError(isCutOff(thrown) ? new CutOffError(thrown) : thrown, place);
}

/** The package reports a connection that ends, and an answer that does not come, without a code. */
function isCutOff(thrown: unknown): thrown is Error {
  return thrown instanceof Error && !("code" in thrown) && /timeout|terminated|not queryable/i.test(thrown.message);
}

/** Has the code of a failed connection (https://www.postgresql.org/docs/current/errcodes-appendix.html), or of too few of them. */
class CutOffError extends Error {
  readonly code: string;

  constructor(cause: Error) {
    super(cause.message, { cause });
    this.code = /^timeout exceeded when trying to connect/.test(cause.message) ? allInUse : "08006";
  }
}

function closedStoreError(): DuetError {
  return new DuetError({
    code: "internal",
    text: { zh: "对话存储已关闭", en: "the conversation store is closed" },
  });
}
