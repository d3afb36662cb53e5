import type { OperatorStore } from "../../core/store/store.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { canComeBack } from "../errors/store-error.ts";
import { createSqlStore, type SqlStoreOptions } from "../sql/sql-store.ts";
import { openPostgresConnection, type PostgresConnection } from "./connection.ts";
import { createPostgresJournal, type JournalOptions } from "./journal/journal.ts";
import { channel, createNotifications } from "./notifications.ts";
import type { Reachability } from "./reachability.ts";
import { databaseSpace, databaseStatements } from "./space.ts";

export type PostgresStoreOptions = Partial<SqlStoreOptions & JournalOptions>;

export interface PostgresStore {
  store: OperatorStore;
  reachability: Pick<Reachability, "problem" | "waitUntilBack" | "follow">;
  followShortage: PostgresConnection["followShortage"];
}

/**
 * Stores conversations and traces in PostgreSQL, which any number of processes on any number of machines may share. Rejects with a
 * `DuetError` when the database cannot be used or was changed by a newer Duet.
 */
export async function createPostgresStore(url: string, options: PostgresStoreOptions = {}): Promise<OperatorStore> {
  return (await openPostgres(url, options, "refuse")).store;
}

/**
 * Does the same, and connects later where the database cannot be reached now: everything that needs it rejects until then. Rejects for
 * what only a change of the settings or of the database can mend.
 */
export function openPostgresLater(url: string, options: PostgresStoreOptions = {}): Promise<PostgresStore> {
  return openPostgres(url, options, "wait");
}

/** Begins what is not about runs on the channel that all share. */
const sharedPrefix = "s ";

async function openPostgres(
  url: string,
  options: PostgresStoreOptions,
  whenAway: "refuse" | "wait",
): Promise<PostgresStore> {
  const connection = openPostgresConnection(url);
  const { reachability } = connection;
  try {
    await reachability.open();
  } catch (thrown) {
    if (whenAway === "refuse" || !canComeBack(thrown)) {
      await connection.close();
      throw thrown;
    }
  }
  const notify = (text: string) => connection.query("notify", "SELECT pg_notify($1, $2)", [channel, text]);
  const notifications = createNotifications(url, notify);
  const journal = createPostgresJournal(connection, notifications, options);
  const { store } = createSqlStore(
    {
      ...{ connection, journal, sharedRuns: journal.sharedRuns, holder: journal.holder },
      ...{ space: databaseSpace, readVersion: databaseStatements.version, clock: databaseStatements.clock },
      endRun: journal.endRun,
      notifications: {
        publish: async (text) => void (await notify(`${sharedPrefix}${text}`)),
        subscribe: (listener) =>
          notifications.listen((text) => {
            if (text === undefined) listener(undefined);
            else if (text.startsWith(sharedPrefix)) listener(text.slice(sharedPrefix.length));
          }),
      },
      async close() {
        await Promise.all([ignoreRejection(journal.close(), "the lease ends by itself"), notifications.close()]);
        await connection.close();
      },
    },
    options,
  );
  return { store, reachability, followShortage: connection.followShortage };
}
