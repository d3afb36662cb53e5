import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import pg from "pg";
import { createPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Requirement } from "../runner/requirements.ts";
import { binaries } from "./postgres/binaries.ts";
import { findKeeper } from "./postgres/find-keeper.ts";

const given = process.env.DUET_TEST_POSTGRES;

export const postgres: Requirement = {
  what: "postgres",
  isMet: given !== undefined || existsSync(binaries),
  reason: `there is no PostgreSQL for ${process.platform}-${process.arch} in node_modules`,
  remedy: "run npm install, or name a server in DUET_TEST_POSTGRES (postgres://user@host/database)",
};

/** A server that a test may end. */
export const ownPostgres: Requirement = {
  ...postgres,
  isMet: given === undefined && postgres.isMet,
  reason: given === undefined ? postgres.reason : "the server of DUET_TEST_POSTGRES is not ended",
  remedy: "run npm install, and leave DUET_TEST_POSTGRES out",
};

/** Databases of the server that all files of a test run share, or of the one that DUET_TEST_POSTGRES names. */
export interface SharedPostgres {
  /** Makes a database with the tables and nothing in them, and gives its URL. */
  createDatabase(): Promise<string>;
  createEmptyDatabase(): Promise<string>;
  /** Removes these databases. */
  stop(): Promise<void>;
}

/** A PostgreSQL server of its own, or the one that DUET_TEST_POSTGRES names. */
export interface TestPostgres {
  /** Is the process that all its other processes come from; undefined for the server of DUET_TEST_POSTGRES. */
  readonly pid: number | undefined;
  /** Makes an empty database and gives its URL. */
  createDatabase(): Promise<string>;
  /** Ends the server at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again on the same data and the same port. */
  start(): Promise<void>;
  /** Ends it, with all that it has stored. */
  stop(): Promise<void>;
}

/** Starts the shared server if no file has done so yet. */
export async function sharePostgres(): Promise<SharedPostgres> {
  const url = given ?? (await askKeeper("shared")).url;
  const made = createDatabases(url);
  return {
    createDatabase: async () => made.create(given === undefined ? await findTables(url) : undefined),
    createEmptyDatabase: () => made.create(),
    stop: made.drop,
  };
}

/** Starts a server that a test may end. `settings` are lines of `postgresql.conf`, beside those of tests or in their place. */
export async function startPostgres({ settings = [] }: { settings?: readonly string[] } = {}): Promise<TestPostgres> {
  if (given !== undefined) return useServer(given);
  const { n, url, pid: first } = await askKeeper("servers", settings);
  let pid = first;
  return {
    get pid() {
      return pid;
    },
    createDatabase: () => createDatabases(url).create(),
    async kill() {
      await disconnect(url);
      await askKeeper(`servers/${n}/kill`);
      pid = undefined;
    },
    async start() {
      pid = (await askKeeper(`servers/${n}/start`)).pid;
    },
    async stop() {
      await disconnect(url);
      await askKeeper(`servers/${n}/stop`);
      pid = undefined;
    },
  };
}

function useServer(url: string): TestPostgres {
  const made = createDatabases(url);
  const cannot = async (): Promise<never> => {
    throw new Error("the server of DUET_TEST_POSTGRES is not ended");
  };
  return { pid: undefined, createDatabase: () => made.create(), kill: cannot, start: cannot, stop: made.drop };
}

interface KeptServer {
  n: number;
  url: string;
  pid?: number;
}

async function askKeeper(path: string, body: unknown = null): Promise<KeptServer> {
  const told = await fetch(`${await findKeeper()}/${path}`, { method: "POST", body: JSON.stringify(body) });
  const text = await told.text();
  if (!told.ok) throw new Error(text);
  return JSON.parse(text);
}

function createDatabases(url: string) {
  const names: string[] = [];
  return {
    async create(template = "template0"): Promise<string> {
      const name = `duet_${randomBytes(8).toString("hex")}`;
      await query(url, `CREATE DATABASE ${name} TEMPLATE ${template} ENCODING 'UTF8' STRATEGY file_copy`);
      names.push(name);
      return toDatabase(url, name);
    },
    async drop(): Promise<void> {
      for (const name of names) await query(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await disconnect(url);
    },
  };
}

/** Names the database with the tables, which whoever asks first makes: to copy it takes a fifth of the time. */
async function findTables(url: string): Promise<string> {
  const name = "duet_tables";
  const client = await connect(url);
  try {
    await client.query("SELECT pg_advisory_lock(1)");
    const { rows } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (rows.length > 0) return name;
    const draft = `${name}_draft`;
    await client.query(`DROP DATABASE IF EXISTS ${draft}`);
    await client.query(`CREATE DATABASE ${draft} TEMPLATE template0 ENCODING 'UTF8' STRATEGY file_copy`);
    await (await createPostgresStore(toDatabase(url, draft))).close();
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
    return name;
  } finally {
    await client.end();
  }
}

function toDatabase(url: string, name: string): string {
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

/** Are the connections of `query`: each begins a process of the server, which takes ten times as long as most statements. */
const pools = new Map<string, pg.Pool>();

/** Runs one statement, for tests that look into a database. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await findPool(url).query(text, values)).rows;
}

function findPool(url: string): pg.Pool {
  const known = pools.get(url);
  if (known !== undefined) return known;
  const pool = new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true });
  // It connects again when the server has ended a connection.
  pool.on("error", () => {});
  pools.set(url, pool);
  return pool;
}

/** Ends the connections of `query` to all databases of a server. */
async function disconnect(url: string): Promise<void> {
  const { host } = new URL(url);
  const own = [...pools].filter(([each]) => new URL(each).host === host);
  for (const [each] of own) pools.delete(each);
  await Promise.all(own.map(([, pool]) => pool.end()));
}

/** Keeps what a statement has locked until the returned function is called, or the server ends. */
export async function keepLocked(url: string, text: string): Promise<() => Promise<void>> {
  const client = await connect(url);
  await client.query(`BEGIN; ${text}`);
  return () => client.end();
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // A connection that ends in the midst of a statement fails that, and tells it here as well.
  client.on("error", () => {});
  await client.connect();
  return client;
}
