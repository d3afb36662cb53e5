import type { DatabaseSync } from "node:sqlite";
import { DuetError } from "../../kit/errors.ts";
import { WrongTablesError } from "../store-errors.ts";

/** The number is stored as `user_version`. A change of the tables raises it and upgrades older files. */
const version = 2;

// `asked` orders conversations by their last question without trusting the clock. Times are ISO 8601, UTC.
const first = [
  `CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  turns INTEGER NOT NULL,
  asked INTEGER NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT`,
  `CREATE TABLE turns (
  conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
  n INTEGER NOT NULL,
  question TEXT NOT NULL,
  answer TEXT NOT NULL,
  PRIMARY KEY (conversation, n)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE summaries (
  conversation TEXT PRIMARY KEY REFERENCES conversations ON DELETE CASCADE,
  turns INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT`,
  // A plan that waits to be confirmed, as plan mode wrote it.
  `CREATE TABLE plans (
  conversation TEXT PRIMARY KEY REFERENCES conversations ON DELETE CASCADE,
  plan TEXT NOT NULL
) STRICT`,
  `CREATE TABLE sources (
  conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
  n INTEGER NOT NULL,
  url TEXT NOT NULL,
  title TEXT NOT NULL,
  snippet TEXT NOT NULL,
  PRIMARY KEY (conversation, n),
  UNIQUE (conversation, url)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE traces (
  n INTEGER PRIMARY KEY,
  run TEXT NOT NULL UNIQUE,
  conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
  trace TEXT NOT NULL
) STRICT`,
  "CREATE INDEX traces_by_conversation ON traces (conversation)",
];

/** Tables of the first version whose rows have an owner since the second; without one they are the operator's. */
const owned = ["conversations", "traces"];

/** The text is exactly what SQLite stores after it adds a column to a table, so that old and new files match. */
const objects = [
  ...first.map((sql) =>
    owned.some((table) => isTable(sql, table)) ? sql.replace(/\) STRICT$/, ", owner TEXT) STRICT") : sql,
  ),
  "CREATE INDEX conversations_by_owner ON conversations (owner, asked)",
  "CREATE INDEX traces_by_owner ON traces (owner)",
];

/** Upgrades the first version to the second. */
const upgrade = [...owned.map((table) => `ALTER TABLE ${table} ADD COLUMN owner TEXT`), ...objects.slice(first.length)];

/**
 * Lists the tables that came later, and an index. They are added to a file without raising its version: a Duet that knows nothing
 * of them goes on with the
 * file, and loses nothing by it.
 */
const additions = [
  // Conversations whose summary somebody asked for.
  `CREATE TABLE wanted_summaries (
  conversation TEXT PRIMARY KEY REFERENCES conversations ON DELETE CASCADE
) STRICT`,
  // The tools that a conversation has loaded, in order.
  `CREATE TABLE loaded_tools (
  conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
  n INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (conversation, n)
) STRICT, WITHOUT ROWID`,
  // Runs that were begun for a key of their asker's, until they are kept.
  `CREATE TABLE begun_runs (
  run TEXT PRIMARY KEY,
  owner TEXT,
  begun_at TEXT NOT NULL
) STRICT`,
  "CREATE INDEX begun_runs_by_time ON begun_runs (begun_at)",
  // After how many seconds a host gave up a call.
  `CREATE TABLE host_timeouts (
  owner TEXT NOT NULL,
  host TEXT NOT NULL,
  seconds REAL NOT NULL,
  learnt_at TEXT NOT NULL,
  PRIMARY KEY (owner, host)
) STRICT, WITHOUT ROWID`,
  "CREATE INDEX host_timeouts_by_time ON host_timeouts (learnt_at)",
  // What the operator typed in the chat, as JSON: SQLite's texts hold no half of a surrogate pair.
  `CREATE TABLE typed_texts (
  n INTEGER PRIMARY KEY,
  text TEXT NOT NULL
) STRICT`,
];

/** Adds the additions that a file lacks. SQLite does not store the words `IF NOT EXISTS`, so they are added here. */
const addMissing = additions.map((sql) => sql.replace(/^CREATE (TABLE|INDEX)/, "$& IF NOT EXISTS"));

function isTable(sql: string, name: string): boolean {
  return sql.startsWith(`CREATE TABLE ${name} (`);
}

/** Describes the contents of a file: our tables, our tables without the additions, those of the first version, or nothing yet. */
export type SchemaState = "ours" | "without-additions" | "older" | "empty";

/** Looks at the tables. Changes nothing; throws for other tables and for a newer version. */
export function inspectSchema(connection: DatabaseSync): SchemaState {
  const found = Number(connection.prepare("PRAGMA user_version").get()?.user_version);
  if (found > version) throw newerSchemaError(found, connection.location() ?? "");
  const texts = connection.prepare("SELECT sql FROM sqlite_schema").all();
  if (found === 0 && texts.length === 0) return "empty";
  const known = new Set(texts.map(({ sql }) => sql));
  if (found === version && objects.every((sql) => known.has(sql)))
    return additions.every((sql) => known.has(sql)) ? "ours" : "without-additions";
  if (found === 1 && first.every((sql) => known.has(sql))) return "older";
  throw new WrongTablesError("the tables are not those of Duet");
}

/** Makes the tables in an empty file, or of those of an older version today's: all of it or nothing. */
export function migrateSchema(connection: DatabaseSync, state: Exclude<SchemaState, "ours">): void {
  const before = { empty: objects, older: upgrade, "without-additions": [] }[state];
  connection.exec(
    ["BEGIN IMMEDIATE", ...before, ...addMissing, `PRAGMA user_version = ${version}`, "COMMIT"].join(";\n"),
  );
}

function newerSchemaError(found: number, file: string): DuetError {
  return new DuetError({
    code: "internal",
    text: {
      zh: `对话存储 ${file} 的版本是 ${found}，来自更新的 Duet（此版本支持到 ${version}）`,
      en: `the conversation store ${file} has version ${found}, from a newer Duet (this one supports up to ${version})`,
    },
    hint: {
      zh: "请升级 Duet，或用 DUET_HOME 另选一个文件夹。",
      en: "Update Duet, or choose another folder with DUET_HOME.",
    },
  });
}
