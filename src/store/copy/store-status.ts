import { existsSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { toDuetError } from "../../kit/errors.ts";
import { toOperatorError, toStoreError } from "../errors/store-error.ts";
import type { PoolClient } from "../postgres/client.ts";
import { countNewerRuns } from "../postgres/journal/journal-formats.ts";
import { migrateDatabase, migrationMs, postgresSchemaVersion, readSchema } from "../postgres/schema.ts";
import { withDatabase } from "../postgres/with-database.ts";
import { loadSqlite, openDatabase } from "../sqlite/connection.ts";
import { inspectSchema, schemaVersion } from "../sqlite/schema.ts";

/** Says what a store is and what it holds. */
export interface StoreStatus {
  /** Names the file or the database, without a password. */
  place: string;
  /** Is the version of its tables: 0 where there are none yet. */
  version: number;
  /** Is the version that this program reads and writes. */
  supported: number;
  /** Is undefined where there are no tables. */
  content: StoreContent | undefined;
}

export interface StoreContent {
  conversations: number;
  turns: number;
  /** Counts the runs that go on or were interrupted. */
  goingRuns: number;
  /** Counts those of them that only a newer Duet can read. */
  newerRuns: number;
  /** Counts what processes share beside conversations: pins and sign-ins of tool servers, keys, answers that hold on, sessions. */
  sharedRecords: number;
  /** Is what the file or the database takes on the disk. */
  bytes: number;
}

const selectCounts = (hasRecords: boolean): string => `
  SELECT ${hasRecords ? "(SELECT count(*) FROM shared_records)" : "0"} AS records, (SELECT count(*) FROM conversations) AS conversations, (SELECT count(*) FROM turns) AS turns,
    (SELECT count(*) FROM journal_runs WHERE state = 'going') AS going`;

/** Looks at a file and changes nothing. Throws a `DuetError` for one that cannot be read, or is a newer Duet's. */
export function readFileStatus(file: string): StoreStatus {
  const status = { place: file, version: 0, supported: schemaVersion, content: undefined };
  if (!existsSync(file)) return status;
  const { DatabaseSync } = loadSqlite();
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const version = inspectSchema(database);
    // Before this version there was no journal.
    const isCounted = version >= firstJournal;
    const hasRecords =
      database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'shared_records'").get() !== undefined;
    const content = isCounted
      ? toContent(database.prepare(selectCounts(hasRecords)).get() ?? {}, statSync(file).size)
      : undefined;
    return { ...status, version, content };
  } catch (thrown) {
    throw toStoreError(thrown, file);
  } finally {
    database?.close();
  }
}

const firstJournal = 6;

/** Looks at a database and changes nothing. Rejects with a `DuetError` for one that cannot be reached. */
export async function readDatabaseStatus(url: string): Promise<StoreStatus> {
  return withShownDatabase(url, async (client, place) => {
    const { version } = await readSchema(client);
    const status = { place, version, supported: postgresSchemaVersion };
    if (version === 0) return { ...status, content: undefined };
    const { rows: found } = await client.query("SELECT to_regclass('shared_records') IS NOT NULL AS there");
    const { rows } = await client.query(selectCounts(found[0]?.there === 1));
    const { rows: sizes } = await client.query("SELECT pg_database_size(current_database()) AS bytes");
    const newer = await countNewerRuns(client, version);
    return { ...status, content: toContent({ ...rows[0], newer }, Number(sizes[0]?.bytes)) };
  });
}

/** Brings the tables of a file up to date, or makes them. Returns the version before and after. */
export function migrateFile(file: string): { before: number; after: number } {
  const { version } = readFileStatus(file);
  try {
    openDatabase(file).connection.close();
  } catch (thrown) {
    throw toStoreError(thrown, file);
  }
  return { before: version, after: schemaVersion };
}

/** Does the same with a database. */
export async function migrateDatabaseAt(url: string): Promise<{ before: number; after: number }> {
  const migrate = async (client: PoolClient, place: string) => {
    const { version: before } = await readSchema(client);
    const { version: after } = await migrateDatabase(client, place);
    return { before, after };
  };
  return withShownDatabase(url, migrate, migrationMs);
}

/** Rejects with what its operator may read: with the place. */
function withShownDatabase<T>(url: string, work: Parameters<typeof withDatabase<T>>[1], limitMs?: number): Promise<T> {
  return withDatabase(url, work, limitMs).catch((thrown: unknown) => {
    throw toOperatorError(toDuetError(thrown));
  });
}

function toContent(
  { conversations, turns, going, newer = 0, records }: Record<string, unknown>,
  bytes: number,
): StoreContent {
  const counted = { conversations: Number(conversations), turns: Number(turns), goingRuns: Number(going) };
  return { ...counted, newerRuns: Number(newer), sharedRecords: Number(records), bytes };
}
