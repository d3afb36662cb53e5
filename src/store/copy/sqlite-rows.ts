import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { toStoreError } from "../errors/store-error.ts";
import { noStoreError } from "../errors/usage-errors.ts";
import type { Row, Value } from "../sql/work.ts";
import { loadSqlite, openDatabase } from "../sqlite/connection.ts";
import { isHolderAlive } from "../sqlite/journal/process-lock.ts";
import { inspectSchema, migrateSchema, schemaVersion } from "../sqlite/schema.ts";
import type { RowStore } from "./row-store.ts";
import { refuseRunsInUse } from "./runs-in-use.ts";

/**
 * Opens a file that is there, in order to read it. What an older Duet has written is brought up to date; a damaged file stays where it is.
 * Throws a `DuetError` for that, for a newer one, and for one whose runs a process that lives carries out.
 */
export function openSqliteSource(file: string): RowStore {
  if (!existsSync(file)) throw noStoreError(file);
  const { DatabaseSync } = loadSqlite();
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    const version = inspectSchema(database);
    // Tables that are in use are not even brought up to date.
    if (version < schemaVersion) {
      refuseRunsInUse(file, countRunsInUse(file, database));
      migrateSchema(database, version);
    }
    database.exec("BEGIN");
    refuseRunsInUse(file, countRunsInUse(file, database));
    return createSqliteRows(file, database);
  } catch (thrown) {
    database?.close();
    throw toStoreError(thrown, file);
  }
}

/** Opens a file, which begins where there is none, in order to write it. */
export function openSqliteTarget(file: string): RowStore {
  try {
    const { connection } = openDatabase(file);
    connection.exec("BEGIN IMMEDIATE");
    return createSqliteRows(file, connection);
  } catch (thrown) {
    throw toStoreError(thrown, file);
  }
}

/** Counts the unfinished runs of processes that live. An early file has no journal. */
function countRunsInUse(file: string, database: DatabaseSync): number {
  const there = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'journal_runs'").get();
  if (there === undefined) return 0;
  const holders = database
    .prepare("SELECT holder, count(*) AS runs FROM journal_runs WHERE state = 'going' GROUP BY holder")
    .all();
  return holders
    .filter(({ holder }) => isHolderAlive(file, String(holder)))
    .reduce((sum, { runs }) => sum + Number(runs), 0);
}

function createSqliteRows(file: string, database: DatabaseSync): RowStore {
  async function runExplained<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (thrown) {
      throw toStoreError(thrown, file);
    }
  }

  return {
    place: file,
    listColumns: ({ name }) =>
      runExplained(() => {
        const rows = database.prepare("SELECT name FROM pragma_table_info(?)").all(name);
        return rows.map((row) => String(row.name));
      }),
    count: ({ name }) => runExplained(() => Number(database.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.n)),
    async *read({ name, key, batch }, columns) {
      const statement = database.prepare(`SELECT ${columns.join(", ")} FROM ${name} ORDER BY ${key.join(", ")}`);
      const rows = statement.iterate();
      for (;;) {
        const some = await runExplained(() => takeRows(rows, batch));
        if (some.length === 0) return;
        yield some.map((row) => columns.map((column) => toValue(row[column])));
      }
    },
    write: ({ name }, columns, rows) =>
      runExplained(() => {
        const places = columns.map(() => "?").join(", ");
        const insert = database.prepare(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${places})`);
        for (const row of rows) insert.run(...row);
      }),
    commit: () => runExplained(() => database.exec("COMMIT")),
    async close() {
      database.close();
    },
  };
}

/** Takes the next rows, and fewer or none at the end. A helper of iterators would end the reading with the first few. */
function takeRows(rows: Iterator<Row>, most: number): Row[] {
  const taken: Row[] = [];
  while (taken.length < most) {
    const { done, value } = rows.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

function toValue(value: unknown): Value {
  if (typeof value === "string" || typeof value === "number" || value instanceof Uint8Array) return value;
  return null;
}
