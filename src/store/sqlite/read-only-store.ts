import { accessSync, constants } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { OperatorStore } from "../../core/store/store.ts";
import { DuetError } from "../../kit/errors.ts";
import { type StoreError, toStoreError } from "../errors/store-error.ts";
import type { StoreConnection } from "../sql/connection.ts";
import { createSqlStore } from "../sql/sql-store.ts";
import { createBusyRetry } from "./busy-retry.ts";
import { type OpenedFile, runTransaction } from "./connection.ts";
import { openReadOnly } from "./inspect-store.ts";
import { createSqliteJournal } from "./journal/journal.ts";
import { prepareWork } from "./prepare-statements.ts";
import { inspectSchema, schemaVersion } from "./schema.ts";
import { createFileSpace, fileStatements } from "./space.ts";

/** Limits how long reading is retried while another process locks the store, in milliseconds. */
const patienceMs = 3_000;

/**
 * Opens a store that may not be written, which `problem` says; all that would write it rejects with that. Throws a `DuetError` where
 * it cannot be read either.
 */
export function openReadOnlyStore(file: string, problem: StoreError): OperatorStore {
  const database = open(file, problem);
  const connection = createReadConnection(file, database, problem);
  const journal = createSqliteJournal(file, connection);
  const { store } = createSqlStore({
    ...{ connection, journal, space: createFileSpace(connection), readVersion: fileStatements.dataVersion },
    async close() {
      journal.close();
      if (database.connection.isOpen) database.connection.close();
    },
  });
  return store;
}

function open(file: string, problem: StoreError): OpenedFile {
  const connection = connect(file, problem);
  try {
    const found = inspectSchema(connection);
    if (found !== schemaVersion) throw olderSchemaError(found, file);
    return { connection, prepared: prepareWork(connection) };
  } catch (thrown) {
    connection.close();
    throw thrown instanceof DuetError ? thrown : unreadableError(problem, thrown);
  }
}

function connect(file: string, problem: StoreError): DatabaseSync {
  try {
    accessSync(file, constants.R_OK);
  } catch {
    throw problem;
  }
  try {
    return openReadOnly(file);
  } catch (thrown) {
    throw unreadableError(problem, thrown);
  }
}

function createReadConnection(file: string, database: OpenedFile, problem: StoreError): StoreConnection {
  const retry = createBusyRetry(patienceMs, new AbortController().signal);
  const refuse = (): Promise<never> => Promise.reject(problem);
  return {
    sliceMs: 8,
    read: (work) =>
      retry(() => runTransaction(database, "BEGIN", work)).catch((thrown: unknown) => {
        throw toStoreError(thrown, file);
      }),
    write: refuse,
    writeGrouped: refuse,
  };
}

/** Where there is a log, SQLite has to write its index beside it. */
function unreadableError({ code, text }: StoreError, cause: unknown): DuetError {
  return new DuetError({ code, text, hint: copyHint, cause });
}

function olderSchemaError(found: number, file: string): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `对话存储 ${file} 是只读的，版本是 ${found}，要先更新到 ${schemaVersion} 才能读取`,
      en: `the conversation store ${file} is read-only and has version ${found}: it must be updated to ${schemaVersion} before it can be read`,
    },
    hint: copyHint,
  });
}

const copyHint = {
  zh: "请把 duet.db 和它旁边的 duet.db-wal（如果有）复制到一个可以写入的文件夹，并用 DUET_HOME 指定该文件夹。",
  en: "Copy duet.db, and duet.db-wal where it lies beside it, to a folder that can be written, and name that folder with DUET_HOME.",
};
