import type { DatabaseSync } from "node:sqlite";
import { WrongTablesError } from "../errors/sqlite-code.ts";
import { newerSchemaError } from "../errors/usage-errors.ts";

/** Changes a file of one version into the next one. Its number is its place in `migrations`, counted from 1. */
interface Migration {
  /** Lists the columns that are added to tables of earlier versions. */
  columns?: readonly { table: string; column: string }[];
  /** Lists the statements that create tables and indexes. */
  objects: readonly string[];
  /** Is true when a file of the version before may have some of the objects: they once came without a version of their own. */
  mayExist?: true;
}

/**
 * Lists the migrations in order. `user_version` counts those that a file has had. A released one never changes: a new version of
 * the tables is one more at the end.
 */
const migrations: readonly Migration[] = [
  // `asked` orders conversations by their last question without trusting the clock. Times are ISO 8601, UTC.
  {
    objects: [
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
    ],
  },
  // Rows have an owner. Those without one are the operator's.
  {
    columns: [
      { table: "conversations", column: "owner TEXT" },
      { table: "traces", column: "owner TEXT" },
    ],
    objects: [
      "CREATE INDEX conversations_by_owner ON conversations (owner, asked)",
      "CREATE INDEX traces_by_owner ON traces (owner)",
    ],
  },
  // Later files of version 2 have these tables, earlier ones do not.
  {
    mayExist: true,
    objects: [
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
    ],
  },
  // What a person wants to keep, packed traces, when old conversations are removed, and what callers use in a day.
  {
    columns: [
      { table: "conversations", column: "named_by_person INTEGER NOT NULL DEFAULT 0" },
      { table: "conversations", column: "pinned INTEGER NOT NULL DEFAULT 0" },
      // Holds the whole trace, of which the column `trace` then holds what a list of runs shows.
      { table: "traces", column: "packed BLOB" },
      // Is the conversation that was asked to be continued.
      { table: "begun_runs", column: "conversation TEXT" },
    ],
    objects: [
      `CREATE INDEX conversations_by_age ON conversations (updated_at)
WHERE pinned = 0 AND named_by_person = 0`,
      "CREATE INDEX begun_runs_by_conversation ON begun_runs (conversation)",
      // One row. No process removes old conversations before `due_at`, and none by age before `trusted_at`.
      `CREATE TABLE upkeep (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  due_at TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  trusted_at TEXT NOT NULL
) STRICT`,
      // The operator, who has no name, is the empty one; a caller's name has an equals sign before it.
      `CREATE TABLE daily_usage (
  caller TEXT NOT NULL,
  day TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  cost REAL NOT NULL,
  PRIMARY KEY (caller, day)
) STRICT, WITHOUT ROWID`,
      // What model turns that go on may use. A reservation whose process was killed ends by itself.
      `CREATE TABLE usage_reservations (
  id TEXT PRIMARY KEY,
  caller TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  cost REAL NOT NULL,
  until TEXT NOT NULL
) STRICT, WITHOUT ROWID`,
      "CREATE INDEX daily_usage_by_day ON daily_usage (day)",
      "CREATE INDEX usage_reservations_by_caller ON usage_reservations (caller)",
      "CREATE INDEX usage_reservations_by_time ON usage_reservations (until)",
    ],
  },
  // The images and documents of turns. Their bytes are stored once, and go with the last conversation that names them.
  {
    // Holds what the turn names, as JSON.
    columns: [{ table: "turns", column: "files TEXT" }],
    objects: [
      `CREATE TABLE files (
  hash TEXT PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT`,
      `CREATE TABLE conversation_files (
  conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
  hash TEXT NOT NULL REFERENCES files,
  PRIMARY KEY (conversation, hash)
) STRICT, WITHOUT ROWID`,
      "CREATE INDEX conversation_files_by_hash ON conversation_files (hash)",
    ],
  },
  // The finished steps of runs, so that a run can go on after its process has ended.
  {
    objects: [
      // The state is `going`, `ended`, or why nobody resumes the run. The holder is the process that the run belongs to.
      `CREATE TABLE journal_runs (
  run TEXT PRIMARY KEY,
  owner TEXT,
  conversation TEXT NOT NULL,
  header TEXT NOT NULL,
  state TEXT NOT NULL,
  holder TEXT NOT NULL,
  ends INTEGER NOT NULL,
  taken_steps INTEGER NOT NULL,
  begun_at TEXT NOT NULL,
  ended_at TEXT
) STRICT`,
      `CREATE TABLE journal_steps (
  n INTEGER PRIMARY KEY,
  run TEXT NOT NULL REFERENCES journal_runs ON DELETE CASCADE,
  name TEXT NOT NULL,
  spent_ms REAL NOT NULL,
  at TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT`,
      "CREATE INDEX journal_steps_by_run ON journal_steps (run)",
      // What readers of a run may have received, under the numbers by which they come back.
      `CREATE TABLE journal_events (
  run TEXT NOT NULL REFERENCES journal_runs ON DELETE CASCADE,
  n INTEGER NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (run, n)
) STRICT, WITHOUT ROWID`,
      "CREATE INDEX journal_runs_by_state ON journal_runs (state, begun_at, run)",
      "CREATE INDEX journal_runs_by_conversation ON journal_runs (conversation)",
      "CREATE INDEX journal_runs_by_end ON journal_runs (ended_at)",
    ],
  },
  // The images and documents of runs that go on.
  {
    objects: [
      `CREATE TABLE journal_files (
  run TEXT NOT NULL REFERENCES journal_runs ON DELETE CASCADE,
  hash TEXT NOT NULL REFERENCES files,
  PRIMARY KEY (run, hash)
) STRICT, WITHOUT ROWID`,
      "CREATE INDEX journal_files_by_hash ON journal_files (hash)",
    ],
  },
  // What turns remember of their runs: calls, results, and how the run ended.
  {
    columns: [
      // Marks untrusted text in what models read of the conversation.
      { table: "conversations", column: "marker TEXT" },
      // Is the highest number that was given to a result.
      { table: "conversations", column: "results INTEGER NOT NULL DEFAULT 0" },
      // Holds what the turn remembers of its run, packed.
      { table: "turns", column: "record BLOB" },
      // Lists what the program itself has found in the turns that the summary replaces, a line each.
      { table: "summaries", column: "facts TEXT" },
    ],
    objects: [
      // Whole results of which models have read parts, packed.
      `CREATE TABLE results (
  conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
  n INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (conversation, n)
) STRICT`,
    ],
  },
  // Who may call over HTTP. Of tokens and cookies there is the SHA-256 alone.
  {
    objects: [
      `CREATE TABLE api_tokens (
  hash TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  hint TEXT NOT NULL,
  scope TEXT NOT NULL,
  tools TEXT,
  owner TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT,
  last_used_at TEXT
) STRICT`,
      "CREATE INDEX api_tokens_by_name ON api_tokens (name, created_at DESC)",
      "CREATE INDEX api_tokens_by_end ON api_tokens (coalesce(revoked_at, expires_at))",
      `CREATE TABLE sign_in_sessions (
  hash TEXT PRIMARY KEY,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  id_token TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT`,
      "CREATE INDEX sign_in_sessions_by_end ON sign_in_sessions (expires_at)",
    ],
  },
  // The folders of conversations, and their branches: what follows an earlier question in place of what was said before.
  {
    columns: [
      // Is the folder in which the conversation began.
      { table: "conversations", column: "folder TEXT" },
      // Is the current branch; null in a conversation with one line of turns.
      { table: "conversations", column: "branch INTEGER" },
      // Is the conversation of which it is a copy.
      { table: "conversations", column: "forked_from TEXT" },
      // Is the turn before it, 0 for a first one; null means the number before its own.
      { table: "turns", column: "parent INTEGER" },
      // Is the run that answered it.
      { table: "turns", column: "run TEXT" },
      { table: "plans", column: "branch INTEGER" },
    ],
    objects: [
      // A conversation with one line of turns has no row.
      `CREATE TABLE branches (
  conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
  branch INTEGER NOT NULL,
  tip INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  PRIMARY KEY (conversation, branch)
) STRICT, WITHOUT ROWID`,
      // Every summary, with the last turn that there was when it was made, for branches that begin before a later one.
      `CREATE TABLE made_summaries (
  n INTEGER PRIMARY KEY,
  conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
  tip INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  text TEXT NOT NULL,
  facts TEXT,
  wanted INTEGER NOT NULL
) STRICT`,
      "CREATE INDEX made_summaries_by_conversation ON made_summaries (conversation)",
      "CREATE INDEX conversations_by_folder ON conversations (folder, asked)",
    ],
  },
  // What programs get back by the ID of a response, packed. A conversation begins with its first turn, which may come later.
  {
    objects: [
      `CREATE TABLE responses (
  id TEXT PRIMARY KEY,
  owner TEXT,
  conversation TEXT,
  created_at TEXT NOT NULL,
  body BLOB NOT NULL
) STRICT`,
      "CREATE INDEX responses_by_conversation ON responses (conversation, created_at)",
    ],
  },
  // How conversations were asked for last, what people think of answers, and what may still be brought back.
  {
    columns: [
      { table: "conversations", column: "mode TEXT" },
      { table: "conversations", column: "function_call TEXT" },
      { table: "conversations", column: "answer TEXT" },
      // Holds a rating and a comment, as JSON.
      { table: "traces", column: "feedback TEXT" },
    ],
    objects: [
      // The owner is who had the conversation; `until` is in milliseconds since 1970.
      `CREATE TABLE discarded (
  conversation TEXT PRIMARY KEY REFERENCES conversations ON DELETE CASCADE,
  owner TEXT,
  until INTEGER NOT NULL
) STRICT`,
      "CREATE INDEX discarded_by_time ON discarded (until)",
      // What callers have used of models, for the operator. Callers are named as in `daily_usage`.
      `CREATE TABLE model_usage (
  day TEXT NOT NULL,
  caller TEXT NOT NULL,
  model TEXT NOT NULL,
  runs INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cost REAL NOT NULL,
  unpriced INTEGER NOT NULL,
  PRIMARY KEY (day, caller, model)
) STRICT, WITHOUT ROWID`,
    ],
  },
  // What replicas share in PostgreSQL. In a file both are empty, but for what was copied back.
  {
    objects: [
      // The runs that callers have: `going`, `waiting` for a person, `paused` for a client, or `ended` within their minute.
      `CREATE TABLE run_places (
  id TEXT PRIMARY KEY,
  caller TEXT NOT NULL,
  state TEXT NOT NULL,
  begun_ms INTEGER NOT NULL,
  until_ms INTEGER NOT NULL
) STRICT`,
      "CREATE INDEX run_places_by_caller ON run_places (caller)",
      "CREATE INDEX run_places_by_time ON run_places (until_ms)",
      // Pins and sign-ins of tool servers, keys, answers that hold for a conversation, and sessions of MCP.
      `CREATE TABLE shared_records (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  data TEXT NOT NULL,
  until_ms INTEGER,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID`,
      "CREATE INDEX shared_records_by_time ON shared_records (until_ms)",
    ],
  },
];

/** Is the version of the tables that this program reads and writes. */
export const schemaVersion = migrations.length;

/** Returns the text of every table and index of a version, as SQLite stores it after it has added the columns. */
function listObjects(version: number): string[] {
  const done = migrations.slice(0, version);
  const columns = done.flatMap(({ columns: added = [] }) => added);
  return done.flatMap(({ objects }) => objects).map((sql) => columns.reduce(addColumn, sql));
}

function addColumn(sql: string, { table, column }: { table: string; column: string }): string {
  if (!sql.startsWith(`CREATE TABLE ${table} (`)) return sql;
  // A key of the whole table stands behind the last column.
  const key = sql.search(/,\n {2}PRIMARY KEY \(/);
  if (key >= 0) return `${sql.slice(0, key)}, ${column}${sql.slice(key)}`;
  return sql.replace(/\) (STRICT(?:, WITHOUT ROWID)?)$/, (_, options) => `, ${column}) ${options}`);
}

/** Returns the version of the tables, 0 for an empty file. Changes nothing; throws for other tables and for a newer version. */
export function inspectSchema(connection: DatabaseSync): number {
  const found = Number(connection.prepare("PRAGMA user_version").get()?.user_version);
  if (found > schemaVersion) throw newerSchemaError(found, connection.location() ?? "", schemaVersion);
  const texts = connection.prepare("SELECT sql FROM sqlite_schema").all();
  if (found === 0 && texts.length === 0) return 0;
  const known = new Set(texts.map(({ sql }) => sql));
  if (found > 0 && listObjects(found).every((sql) => known.has(sql))) return found;
  throw new WrongTablesError("the tables are not those of Duet");
}

/** Makes today's tables of those of an older version, or in an empty file: all of them or none. */
export function migrateSchema(connection: DatabaseSync, from: number): void {
  // SQLite reads all its tables anew for each column that is added, so an empty file gets them as they are today.
  const steps = from === 0 ? listObjects(schemaVersion) : listSteps(from);
  connection.exec(["BEGIN IMMEDIATE", ...steps, `PRAGMA user_version = ${schemaVersion}`, "COMMIT"].join(";\n"));
}

function listSteps(from: number): string[] {
  return migrations.slice(from).flatMap(({ columns = [], objects, mayExist }) => [
    ...columns.map(({ table, column }) => `ALTER TABLE ${table} ADD COLUMN ${column}`),
    // SQLite does not store the words `IF NOT EXISTS`, so the texts stay comparable.
    ...objects.map((sql) => (mayExist ? sql.replace(/^CREATE (TABLE|INDEX)/, "$& IF NOT EXISTS") : sql)),
  ]);
}
