import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Value } from "../sql/work.ts";
import { loadSqlite, openDatabase } from "../sqlite/connection.ts";
import { inspectSchema, migrateSchema, schemaVersion } from "../sqlite/schema.ts";
import { noStoreError, toStoreError } from "../store-errors.ts";
import type { RowStore } from "./row-store.ts";

/**
 * Opens a file that is there, in order to read it. What an older Duet has written is brought up to date; a damaged file stays where it is.
 * Throws a `DuetError` for that, and for a newer one.
 */
export function openSqliteSource(file: string): RowStore {
  if (!existsSync(file)) throw noStoreError(file);
  const { DatabaseSync } = loadSqlite();
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    const version = inspectSchema(database);
    if (version < schemaVersion) migrateSchema(database, version);
    database.exec("BEGIN");
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

function createSqliteRows(file: string, database: DatabaseSync): RowStore {
  return {
    place: file,
    async listColumns({ name }) {
      const rows = database.prepare("SELECT name FROM pragma_table_info(?)").all(name);
      return rows.map((row) => String(row.name));
    },
    count: async ({ name }) => Number(database.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.n),
    async *read({ name, key, batch }, columns) {
      const statement = database.prepare(`SELECT ${columns.join(", ")} FROM ${name} ORDER BY ${key.join(", ")}`);
      let rows: Value[][] = [];
      for (const row of statement.iterate()) {
        rows.push(columns.map((column) => toValue(row[column])));
        if (rows.length < batch) continue;
        yield rows;
        rows = [];
      }
      if (rows.length > 0) yield rows;
    },
    async write({ name }, columns, rows) {
      const places = columns.map(() => "?").join(", ");
      const insert = database.prepare(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${places})`);
      for (const row of rows) insert.run(...row);
    },
    async commit() {
      database.exec("COMMIT");
    },
    async close() {
      database.close();
    },
  };
}

function toValue(value: unknown): Value {
  if (typeof value === "string" || typeof value === "number" || value instanceof Uint8Array) return value;
  return typeof value === "bigint" ? Number(value) : null;
}
