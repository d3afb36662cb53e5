import { accessSync, chmodSync, closeSync, constants, existsSync, openSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { createFolder } from "../../kit/private-file.ts";
import { isDamage } from "../errors/sqlite-code.ts";
import { toStoreError } from "../errors/store-error.ts";
import { closedStoreError } from "../errors/usage-errors.ts";
import type { StoreConnection, StoreWork } from "../sql/connection.ts";
import { createBusyRetry } from "./busy-retry.ts";
import { createGroupCommit } from "./group-commit.ts";
import { type PreparedStatements, prepareWork, runWork } from "./prepare-statements.ts";
import { inspectSchema, migrateSchema, schemaVersion } from "./schema.ts";

/** Manages the store's file. It is opened again when its file has been replaced, and set aside when it is damaged. */
export interface FileConnection extends StoreConnection {
  close(): void;
}

/** A file is not replaced more often in a row. The limit ends the loop where file identities are unreliable. */
const mostReopenings = 3;

export interface ConnectionOptions {
  /** Limits how long the store is retried while another process locks it, in milliseconds. */
  patienceMs: number;
  /** Is called with the name under which a damaged store is kept, after a new one has replaced it. */
  onDamage(name: string): void;
  /** Is called when the file that was in use has been replaced or deleted by somebody else, and another one is in use. */
  onReplace(): void;
}

/** Rejects with a `DuetError` when the store cannot be used. */
export async function openStoreConnection(file: string, options: ConnectionOptions): Promise<FileConnection> {
  const closing = new AbortController();
  const orStoreError = (thrown: unknown): never => {
    throw toStoreError(thrown, file);
  };
  const retryOpening = createBusyRetry(options.patienceMs, closing.signal);
  /** Holds one for each kind of transaction, because reading does not need the lock of those who write. */
  const retries = {
    BEGIN: createBusyRetry(options.patienceMs, closing.signal),
    "BEGIN IMMEDIATE": createBusyRetry(options.patienceMs, closing.signal),
  };
  let reopening: Promise<void> | undefined;
  let database: Database = await open().catch(orStoreError);

  async function open(condemned?: string): Promise<OpenedDatabase> {
    const { damaged, ...opened } = await retryOpening(() => openDatabase(file, condemned));
    if (damaged !== undefined) options.onDamage(damaged);
    return { ...opened, damaged };
  }

  async function reopenOnce(condemned?: string): Promise<void> {
    const { damaged, ...opened } = await open(condemned);
    if (damaged === undefined) options.onReplace();
    const left = closing.signal.aborted ? opened : database;
    left.connection.close();
    closing.signal.throwIfAborted();
    database = opened;
  }

  /** Runs once at a time. Callers that arrive meanwhile wait for the same promise. */
  function reopen(condemned?: string): Promise<void> {
    reopening ??= reopenOnce(condemned).finally(() => {
      reopening = undefined;
    });
    return reopening;
  }

  const isMoved = (): boolean => getFileIdentity(file) !== database.identity;

  async function use<T>(begin: keyof typeof retries, work: StoreWork<T>): Promise<T> {
    closing.signal.throwIfAborted();
    for (let left = mostReopenings; ; left--) {
      if (left > 0 && isMoved()) await reopen();
      try {
        const result = await retries[begin](() => runTransaction(database, begin, work));
        // What was written to a file that was set aside meanwhile is written again.
        if (left === 0 || !isMoved()) return result;
      } catch (thrown) {
        if (left === 0 || !isDamage(thrown)) throw thrown;
        await reopen(database.identity);
      }
    }
  }

  const write: StoreConnection["write"] = (work) => use("BEGIN IMMEDIATE", work).catch(orStoreError);
  const grouped = createGroupCommit(write);

  return {
    // The event loop stands still meanwhile.
    sliceMs: 8,
    read: (work) => use("BEGIN", work).catch(orStoreError),
    write,
    writeGrouped: grouped.write,
    close() {
      if (closing.signal.aborted) return;
      grouped.flush();
      closing.abort(closedStoreError());
      database.connection.close();
    },
  };
}

/** Runs one transaction, which is stored completely or not at all. Throws what SQLite throws. */
export function runTransaction<T>({ connection, prepared }: OpenedFile, begin: string, work: StoreWork<T>): T {
  connection.exec(begin);
  try {
    const result = runWork(work(), prepared);
    connection.exec("COMMIT");
    return result;
  } catch (thrown) {
    // Some failures have ended the transaction already.
    if (connection.isTransaction) connection.exec("ROLLBACK");
    throw thrown;
  }
}

export interface OpenedFile {
  connection: DatabaseSync;
  prepared: PreparedStatements;
}

interface Database extends OpenedFile {
  /** Identifies the opened file, even after it has been renamed. */
  identity: string | undefined;
}

export interface OpenedDatabase extends Database {
  /** Is the name under which a damaged store was kept, and undefined when there was none. */
  damaged: string | undefined;
}

/** Limits how long SQLite itself waits for a lock, in milliseconds. It blocks the whole process meanwhile. */
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
        return { connection, prepared: prepareWork(connection), identity: getFileIdentity(file), damaged };
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
  const found = inspectSchema(connection);
  connection.exec(settings);
  // A store that can only be read says so now.
  if (found === schemaVersion) connection.exec("BEGIN IMMEDIATE; ROLLBACK");
  else migrateSchema(connection, found);
}

// NORMAL keeps every commit through a crash of the process; only a crash of the machine may take the last ones back.
// What is deleted is overwritten, and its pages can be given back a few at a time; a file from before that is as it was made.
const settings = `
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA secure_delete = ON;
PRAGMA trusted_schema = OFF;
`;

/**
 * Does the work while no other process opens this store or sets it aside. The lock is SQLite's own, on a file beside
 * the store that stays empty, so it ends with its process. Throws SQLite's "busy" when another one is at it.
 */
export function withOpenLock<T>(file: string, work: () => T): T {
  const gateFile = `${file}-gate`;
  ensurePrivateFile(gateFile);
  const { DatabaseSync } = loadSqlite();
  const gate: DatabaseSync = new DatabaseSync(gateFile, { timeout: 20 });
  try {
    // Without this the lock would leave a journal on disk for a moment.
    gate.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return work();
  } finally {
    // Closing gives the lock back; nothing was written.
    gate.close();
  }
}

/**
 * Makes the file, empty and for its owner alone, if it is not there; takes others' rights to it away if it is. Throws what
 * the file system throws when this process cannot read and write it.
 */
export function ensurePrivateFile(file: string): void {
  createFolder(dirname(file));
  // Never opens a file that is there: closing it would drop the locks that SQLite holds on it in this process.
  if (create(file)) return;
  accessSync(file, constants.R_OK | constants.W_OK);
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
}

function create(file: string): boolean {
  try {
    closeSync(openSync(file, "wx", 0o600));
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST") return false;
    throw thrown;
  }
}

/**
 * Lists the suffixes of the database, its write-ahead log, the log's index, and the journal used while the database is created.
 */
const parts = ["", "-wal", "-shm", "-journal"];

/**
 * Renames a store with all its parts to `FILE.damaged-TIME` (UTC), never over a file that is there; gives the name.
 * Only behind the gate.
 */
function moveDamagedFile(file: string): string {
  const time = new Date().toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "");
  const wanted = `${file}.damaged-${time}`;
  let name = wanted;
  for (let again = 2; parts.some((part) => existsSync(name + part)); again++) name = `${wanted}-${again}`;
  for (const part of parts) if (existsSync(file + part)) renameSync(file + part, name + part);
  return name;
}

/** Returns true when there is a log without its database. SQLite would delete that log. */
export function isLogAlone(file: string): boolean {
  return getSize(file) === 0 && getSize(`${file}-wal`) > 0;
}

function getSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Returns the identity of the file with this name, or undefined when there is none. */
function getFileIdentity(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

type Sqlite = typeof import("node:sqlite");

/** Loads Node's own SQLite on first use. Node 22 then warns on stderr that it is experimental. Only this warning is dropped. */
export function loadSqlite(load: () => Sqlite = () => process.getBuiltinModule("node:sqlite")): Sqlite {
  const { emitWarning } = process;
  process.emitWarning = new Proxy(emitWarning, {
    apply(target, self, words) {
      if (!isAboutSqlite(words)) Reflect.apply(target, self, words);
    },
  });
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isAboutSqlite([warning, kind]: unknown[]): boolean {
  return kind === "ExperimentalWarning" && String(warning).startsWith("SQLite ");
}
