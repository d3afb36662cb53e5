import type { OperatorStore } from "../../core/store/store.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createSqlStore, type SqlStoreOptions } from "../sql/sql-store.ts";
import { openPostgresConnection } from "./connection.ts";
import { createPostgresJournal } from "./journal.ts";
import { migrateDatabase } from "./schema.ts";
import { databaseSpace, databaseStatements } from "./space.ts";

/**
 * Stores conversations and traces in PostgreSQL, which any number of processes on any number of machines may share. Rejects with a
 * `DuetError` when the database cannot be used or was changed by a newer Duet.
 */
export async function createPostgresStore(url: string, options: Partial<SqlStoreOptions> = {}): Promise<OperatorStore> {
  const connection = openPostgresConnection(url);
  try {
    await connection.use((client) => migrateDatabase(client, connection.place));
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
  const journal = createPostgresJournal(connection);
  const { store } = createSqlStore(
    {
      ...{ connection, journal, space: databaseSpace, readVersion: databaseStatements.snapshot },
      clock: databaseStatements.clock,
      async close() {
        await ignoreRejection(journal.close(), "the lease ends by itself");
        await connection.close();
      },
    },
    options,
  );
  return store;
}
