import { onTestFinished } from "vitest";
import { createSqlRunPlaces } from "../../../src/store/sql/records/run-places.ts";
import { createSqlSharedRecords } from "../../../src/store/sql/records/shared-records.ts";
import { openStoreConnection } from "../../../src/store/sqlite/connection.ts";
import { testRunPlaces } from "../contract/run-places.ts";
import { testSharedRecords } from "../contract/shared-records.ts";
import { storeFile } from "../stores.ts";

/** Opens the tables of a new file twice, as two processes do: the statements are those of both databases. */
async function openBoth(now: () => number) {
  const file = await storeFile();
  const open = async () => {
    const connection = await openStoreConnection(file, { patienceMs: 3_000, onDamage() {}, onReplace() {} });
    onTestFinished(() => connection.close());
    return connection;
  };
  function* readNow() {
    yield* [];
    return now();
  }
  return { connections: [await open(), await open()] as const, readNow };
}

testSharedRecords("on disk", async (now) => {
  const { connections, readNow } = await openBoth(now);
  const [here, there] = connections;
  return [createSqlSharedRecords(here, readNow), createSqlSharedRecords(there, readNow)];
});

testRunPlaces("on disk", async (now) => {
  const { connections, readNow } = await openBoth(now);
  const [here, there] = connections;
  return [(owner) => createSqlRunPlaces(here, owner, readNow), (owner) => createSqlRunPlaces(there, owner, readNow)];
});
