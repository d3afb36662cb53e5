import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import type { OperatorStore } from "../../src/core/store/store.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { SqlStoreOptions } from "../../src/store/sql/sql-store.ts";
import { createSqliteStore, type SqliteStoreOptions } from "../../src/store/sqlite/sqlite-store.ts";
import { temporaryFolder } from "../fakes/program.ts";

/** A file for a store, in a folder that is not there yet. */
export async function storeFile(): Promise<string> {
  return join(await temporaryFolder(), "state", "duet.db");
}

/** A store of an earlier version: 1 before there were owners, 2 before traces were packed, 7 before turns kept their calls. */
export async function olderFile(version: 1 | 2 | 7): Promise<string> {
  const file = await storeFile();
  const packed = await readFile(new URL(`../fixtures/stores/version-${version}.db.gz`, import.meta.url));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, gunzipSync(packed), { mode: 0o600 });
  return file;
}

/** The store in this file; closed when the test ends. */
export async function openStore(file: string, options?: Partial<SqliteStoreOptions>): Promise<OperatorStore> {
  const store = await createSqliteStore(file, options);
  onTestFinished(() => store.close());
  return store;
}

/** Opens an empty store of one kind; it is closed when the test ends. */
export type OpenTestStore = (options?: Partial<SqlStoreOptions>) => Promise<OperatorStore>;

/** The kinds of stores that need no server. */
export const localStores: readonly (readonly [name: string, OpenTestStore])[] = [
  ["in memory", async (options) => createMemoryStore(options)],
  ["on disk", async (options) => openStore(await storeFile(), options)],
];
