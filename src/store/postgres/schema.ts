import { newerSchemaError } from "../errors/usage-errors.ts";
import type { PoolClient } from "./client.ts";
import { migrations } from "./migrations.ts";
import { oldServerError, wrongEncodingError } from "./wrong-database-errors.ts";

/** Is the version of the tables that this program reads and writes. */
export const postgresSchemaVersion = migrations.length;

/** Only one process at a time changes the tables. The number is arbitrary and must never change. */
const migrationLock = 4_857_220_631;

/** Says which Duets can use a database. */
export interface SchemaState {
  /** Is the version of its tables: 0 for a database without any. */
  version: number;
  /** Is the last version that a Duet has to know in order to use it. */
  required: number;
}

export async function readSchema(client: PoolClient): Promise<SchemaState> {
  const { rows: found } = await client.query("SELECT to_regclass('duet_schema') IS NOT NULL AS there");
  if (found[0]?.there !== 1) return { version: 0, required: 0 };
  const { rows } = await client.query(
    "SELECT max(version) AS version, max(version) FILTER (WHERE breaking) AS required FROM duet_schema",
  );
  return { version: Number(rows[0]?.version ?? 0), required: Number(rows[0]?.required ?? 0) };
}

/** Is the first version of PostgreSQL whose queries may leave subqueries unnamed, as those do that are shared with SQLite. */
const oldestServer = 16;

/** Throws a `config` error for a server that is too old. `version` is what it says, such as `15.18 (Debian 15.18-0+deb12u1)`. */
export function checkServerVersion(version: string, place: string): void {
  const [number = ""] = version.split(" ");
  if (Number.parseInt(number, 10) < oldestServer) throw oldServerError(number, { place, oldest: oldestServer });
}

/**
 * Throws a `config` error for tables that only a newer Duet may use: an older one goes on as long as what was changed only adds. Throws one
 * for a server that is too old, and for a database that cannot store every text.
 */
export async function readUsableSchema(client: PoolClient, place: string): Promise<SchemaState> {
  const { rows } = await client.query(
    "SELECT current_setting('server_encoding') AS encoding, current_setting('server_version') AS version",
  );
  checkServerVersion(String(rows[0]?.version), place);
  if (rows[0]?.encoding !== "UTF8") throw wrongEncodingError(String(rows[0]?.encoding), place);
  const state = await readSchema(client);
  if (state.required > postgresSchemaVersion) throw newerSchemaError(state.version, place, postgresSchemaVersion);
  return state;
}

/** Is how long one statement of a migration may take, in milliseconds: an index over a large table takes minutes. */
export const migrationMs = 1_800_000;

/**
 * Is how long a migration waits for another process, or for a table that is in use: whoever comes after it for that table waits as long.
 * What waited in vain is tried again.
 */
const lockLimit = "SET LOCAL lock_timeout = '5s'";

/**
 * Updates the tables, in one transaction, while no other process does; those that are up to date are only looked at. Throws as
 * `readUsableSchema` does.
 */
export async function migrateDatabase(client: PoolClient, place: string): Promise<SchemaState> {
  const found = await readUsableSchema(client, place);
  if (found.version >= postgresSchemaVersion) return found;
  await client.query(`BEGIN; ${lockLimit}; SELECT pg_advisory_xact_lock(${migrationLock})`);
  await client.query(`CREATE TABLE IF NOT EXISTS duet_schema (
    version integer PRIMARY KEY, breaking boolean NOT NULL, made_at timestamptz NOT NULL DEFAULT now())`);
  // Another process may have updated them meanwhile.
  const state = await readUsableSchema(client, place);
  for (const [index, { statements, isBreaking = false }] of migrations.entries()) {
    const version = index + 1;
    if (version <= state.version) continue;
    for (const text of statements) await client.query(addByteOrder(text));
    await client.query("INSERT INTO duet_schema (version, breaking) VALUES ($1, $2)", [version, isBreaking]);
  }
  await client.query("COMMIT");
  return { ...state, version: Math.max(state.version, postgresSchemaVersion) };
}

/** Texts are compared as SQLite compares them, whatever the database's language is. */
function addByteOrder(text: string): string {
  return text.replaceAll(/\b(\w+ text)\b/g, '$1 COLLATE "C"');
}
