import type { OperatorStore } from "../../core/store/store.ts";
import { createSqlStore, type SqlStore, type SqlStoreOptions } from "../sql/sql-store.ts";
import { type ConnectionOptions, openStoreConnection } from "./connection.ts";
import { createSqliteJournal } from "./journal/journal.ts";
import { createFileSpace, fileStatements } from "./space.ts";

const defaults: ConnectionOptions = { patienceMs: 3_000, onDamage() {}, onReplace() {} };

export interface SqliteStoreOptions extends ConnectionOptions, SqlStoreOptions {}

/**
 * Stores conversations and traces in one SQLite file, which any number of processes may share. Turns that `append` has
 * acknowledged survive when the process is killed. Rejects with a `DuetError` when the file cannot be used or was written by a
 * newer Duet.
 */
export async function createSqliteStore(
  file: string,
  options: Partial<SqliteStoreOptions> = {},
): Promise<OperatorStore> {
  const { onReplace = defaults.onReplace, onDamage = defaults.onDamage } = options;
  let opened: SqlStore | undefined;
  const connection = await openStoreConnection(file, {
    ...defaults,
    ...options,
    onReplace() {
      opened?.forget();
      onReplace();
    },
    onDamage(name) {
      opened?.forget();
      onDamage(name);
    },
  });
  const journal = createSqliteJournal(file, connection, options.now);
  const { dataVersion: readVersion } = fileStatements;
  opened = createSqlStore(
    {
      ...{ connection, journal, space: createFileSpace(connection), readVersion },
      async close() {
        journal.close();
        connection.close();
      },
    },
    options,
  );
  return opened.store;
}
