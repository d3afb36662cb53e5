import { sleep } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import { isBusy, isDamage, toStoreError } from "../store-errors.ts";
import { getFileIdentity } from "./damaged-file.ts";
import { type Database, openDatabase } from "./open-database.ts";
import type { Statements } from "./statements.ts";

/** The store's database through its whole life: opened again when its file is another one, set aside when it is damaged. */
export interface StoreConnection {
  /** One transaction that sees one moment. Rejects with a `DuetError`. */
  read<T>(work: StoreWork<T>): Promise<T>;
  /** One transaction, kept as a whole or not at all. May be done again on another file, so it must bear repetition. */
  write<T>(work: StoreWork<T>): Promise<T>;
  close(): void;
}

export type StoreWork<T> = (statements: Statements) => T;

/** More often in a row no file is replaced by another; where identities mean nothing this ends it. */
const mostReopenings = 3;

export interface ConnectionOptions {
  /** How long a locked store is tried again, in milliseconds. */
  patienceMs: number;
  /** Hears under which name a damaged store is kept; a new one has begun in its place. */
  onDamage(name: string): void;
}

/** Rejects with a `DuetError` when the store cannot be used. */
export async function openStoreConnection(file: string, options: ConnectionOptions): Promise<StoreConnection> {
  const closing = new AbortController();
  const orStoreError = (thrown: unknown): never => {
    throw toStoreError(thrown, file);
  };
  let reopening: Promise<void> | undefined;
  let database = await open().catch(orStoreError);

  /** Tries again as long as somebody else holds the lock. */
  async function patiently<T>(attempt: () => T): Promise<T> {
    const end = performance.now() + options.patienceMs;
    for (;;) {
      try {
        return attempt();
      } catch (thrown) {
        if (!isBusy(thrown) || performance.now() > end) throw thrown;
      }
      await sleep(10 + Math.random() * 30, closing.signal);
    }
  }

  async function open(condemned?: string): Promise<Database> {
    const { damaged, ...opened } = await patiently(() => openDatabase(file, condemned));
    if (damaged !== undefined) options.onDamage(damaged);
    return opened;
  }

  async function reopenOnce(condemned?: string): Promise<void> {
    const opened = await open(condemned);
    const left = closing.signal.aborted ? opened : database;
    left.connection.close();
    closing.signal.throwIfAborted();
    database = opened;
  }

  /** One at a time; who comes while it goes on waits for the same. */
  function reopen(condemned?: string): Promise<void> {
    reopening ??= reopenOnce(condemned).finally(() => {
      reopening = undefined;
    });
    return reopening;
  }

  const isMoved = (): boolean => getFileIdentity(file) !== database.identity;

  async function use<T>(begin: string, work: StoreWork<T>): Promise<T> {
    closing.signal.throwIfAborted();
    for (let left = mostReopenings; ; left--) {
      if (left > 0 && isMoved()) await reopen();
      try {
        const result = await patiently(() => transact(database, begin, work));
        // What was written to a file that was set aside meanwhile is written again.
        if (left === 0 || !isMoved()) return result;
      } catch (thrown) {
        if (left === 0 || !isDamage(thrown)) throw thrown;
        await reopen(database.identity);
      }
    }
  }

  return {
    read: (work) => use("BEGIN", work).catch(orStoreError),
    write: (work) => use("BEGIN IMMEDIATE", work).catch(orStoreError),
    close() {
      if (closing.signal.aborted) return;
      closing.abort(closed());
      database.connection.close();
    },
  };
}

function transact<T>({ connection, statements }: Database, begin: string, work: StoreWork<T>): T {
  connection.exec(begin);
  try {
    const result = work(statements);
    connection.exec("COMMIT");
    return result;
  } catch (thrown) {
    // Some failures have ended the transaction already.
    if (connection.isTransaction) connection.exec("ROLLBACK");
    throw thrown;
  }
}

function closed(): DuetError {
  return new DuetError({
    code: "internal",
    text: { zh: "对话存储已关闭", en: "the store of conversations is closed" },
  });
}
