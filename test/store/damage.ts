import { mkdir, open, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { finishedRun } from "./runs.ts";

/** Ways in which a store can be damaged, by name; each leaves a file that must be set aside. */
export const damage: Readonly<Record<string, (file: string) => Promise<void>>> = {
  async "no database"(file) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "This is a shopping list, not a database.\n".repeat(500));
  },
  async "torn in the middle"(file) {
    await fill(file);
    await truncate(file, Math.floor((await stat(file)).size / 2) + 100);
  },
  async "torn after a few bytes"(file) {
    await fill(file);
    await truncate(file, 60);
  },
  async "NUL bytes"(file) {
    await fill(file);
    await writeFile(file, new Uint8Array((await readFile(file)).length));
  },
  async "zero bytes with a log of garbage"(file) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "");
    await writeFile(`${file}-wal`, "garbage".repeat(1_000));
  },
  async "a log of garbage alone"(file) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}-wal`, "garbage".repeat(1_000));
  },
  async "no database, with a log of garbage"(file) {
    await damage["no database"]?.(file);
    await writeFile(`${file}-wal`, "garbage".repeat(1_000));
  },
  async "a broken first page"(file) {
    await fill(file);
    const handle = await open(file, "r+");
    await handle.write(new Uint8Array(3_000).fill(0xa5), 0, 3_000, 100);
    await handle.close();
  },
  async "somebody else's tables"(file) {
    await mkdir(dirname(file), { recursive: true });
    edit(file, "CREATE TABLE recipes (name TEXT)");
  },
  async "a table that lacks a column"(file) {
    await fill(file);
    edit(file, "ALTER TABLE turns DROP COLUMN answer");
  },
};

/** A store with something in it, closed. */
export async function fill(file: string): Promise<void> {
  const store = await createSqliteStore(file);
  for (let index = 0; index < 20; index++)
    await store.append(finishedRun(`conv-${index}`, "q", "the old answer ".repeat(300)));
  await store.close();
}

export function edit(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}
