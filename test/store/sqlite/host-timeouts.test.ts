import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openStore, storeFile } from "../stores.ts";

const host = { name: "hasty", version: "1" };

test("a host's time-out is kept for later processes, and for its owner alone", async () => {
  const file = await storeFile();
  const first = await openStore(file);
  await first.hostTimeouts?.set(host, 9);
  await first.hostTimeouts?.set(host, 8.5);
  await first.of("anna").hostTimeouts?.set(host, 4);
  await first.close();
  const later = await openStore(file);
  expect(await later.hostTimeouts?.get(host)).toBe(8.5);
  expect(await later.of("anna").hostTimeouts?.get(host)).toBe(4);
  expect(await later.of("ben").hostTimeouts?.get(host)).toBeUndefined();
  expect(await later.hostTimeouts?.get({ ...host, version: "2" })).toBeUndefined();
});

test("a time-out of more than 30 days ago is forgotten", async () => {
  const file = await storeFile();
  const store = await openStore(file);
  await store.hostTimeouts?.set(host, 9);
  const database = new DatabaseSync(file);
  const longAgo = new Date(Date.now() - 31 * 24 * 3_600_000).toISOString();
  database.prepare("UPDATE host_timeouts SET learnt_at = ?").run(longAgo);
  expect(await store.hostTimeouts?.get(host)).toBeUndefined();
  await store.hostTimeouts?.set({ ...host, name: "other" }, 3);
  expect(database.prepare("SELECT count(*) AS n FROM host_timeouts").get()).toEqual({ n: 1 });
  database.close();
});
