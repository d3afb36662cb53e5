import type { DatabaseSync } from "node:sqlite";
import { isDamage } from "../store-errors.ts";
import { getFileIdentity, isLogAlone, moveDamagedFile } from "./damaged-file.ts";
import { ensurePrivateFile } from "./ensure-private-file.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { withOpenLock } from "./open-lock.ts";
import { inspectSchema, migrateSchema } from "./schema.ts";
import { prepareStatements, type Statements } from "./statements.ts";

export interface Database {
  connection: DatabaseSync;
  statements: Statements;
  /** Which file this is, whatever its name is by now. */
  identity: string | undefined;
}

export interface OpenedDatabase extends Database {
  /** The name under which a damaged store was kept; undefined when there was none. */
  damaged: string | undefined;
}

/** How long SQLite itself waits for a lock, in milliseconds; the whole process stands still meanwhile. */
const busyTimeoutMs = 20;

/**
 * Opens the store, or begins it. A damaged one is set aside first, and so is the one whose identity is `condemned`.
 * Throws a `DuetError` for a store of a newer version, else what SQLite and the file system throw.
 */
export function openDatabase(file: string, condemned?: string): OpenedDatabase {
  return withOpenLock(file, () => {
    const isCondemned = condemned !== undefined && getFileIdentity(file) === condemned;
    let damaged = isCondemned || isLogAlone(file) ? moveDamagedFile(file) : undefined;
    for (;;) {
      const connection = connect(file);
      try {
        start(connection);
        return { connection, statements: prepareStatements(connection), identity: getFileIdentity(file), damaged };
      } catch (thrown) {
        const isNew = isDamage(thrown) && damaged === undefined;
        // SQLite sees that an open file was moved, and leaves its log alone when it closes. Windows moves no open file.
        if (!isNew || process.platform === "win32") connection.close();
        if (!isNew) throw thrown;
        damaged = moveDamagedFile(file);
        if (connection.isOpen) connection.close();
      }
    }
  });
}

function connect(file: string): DatabaseSync {
  ensurePrivateFile(file);
  const { DatabaseSync } = loadSqlite();
  return new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
}

/** Looks before it touches: a newer store stays as it is. */
function start(connection: DatabaseSync): void {
  const state = inspectSchema(connection);
  connection.exec(settings);
  // A store that can only be read says so now.
  if (state === "ours") connection.exec("BEGIN IMMEDIATE; ROLLBACK");
  else migrateSchema(connection, state);
}

// NORMAL keeps every commit through a crash of the process; only a crash of the machine may take the last ones back.
// What is deleted is overwritten.
const settings = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA secure_delete = ON;
PRAGMA trusted_schema = OFF;
`;
