import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { damage } from "./damage.ts";
import { allOf, startProcess } from "./start-process.ts";
import { olderFile, openStore, storeFile } from "./stores.ts";

/** Starts several, lets them go at once, and gives what each has done. */
async function together(...commands: string[][]): Promise<unknown[][]> {
  const processes = await Promise.all(commands.map((command) => startProcess(...command)));
  for (const { go } of processes) go();
  return Promise.all(processes.map(allOf));
}

describe("a process that is killed", () => {
  test("loses no turn that it had acknowledged, and at most the one it was writing", async () => {
    const file = await storeFile();
    for (const [round, acknowledged] of [1, 20, 90].entries()) {
      const writer = await startProcess("append", file, `conv-${round}`, `r${round}`, "100000");
      writer.go();
      let seen = 0;
      for await (const _ of writer.lines) {
        seen++;
        if (seen === acknowledged) writer.child.kill("SIGKILL");
      }
      const store = await openStore(file, { onDamage: (name) => expect.fail(name) });
      const turns = (await store.load(`conv-${round}`))?.turns ?? [];
      expect(seen).toBeGreaterThanOrEqual(acknowledged);
      expect(turns.length).toBeGreaterThanOrEqual(seen);
      expect(turns.length).toBeLessThanOrEqual(seen + 1);
      expect(turns.map(({ question }) => question)).toEqual(turns.map((_, index) => `r${round}-${index}`));
      await store.close();
    }
    const database = new DatabaseSync(file);
    expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
    database.close();
  });
});

test("five processes that are started on one store with five interrupted runs take each run once", async () => {
  const file = await storeFile();
  const owner = await startProcess("runs", file, "5");
  owner.go();
  expect((await owner.lines.next()).value).toBe('"begun"');
  const ended = once(owner.child, "close");
  owner.child.kill("SIGKILL");
  await ended;
  const processes = await Promise.all(Array.from({ length: 5 }, () => startProcess("take", file)));
  for (const { go } of processes) go();
  const taken: unknown[] = [];
  for (const { lines } of processes)
    for (let line = await lines.next(); line.value !== '"over"' && !line.done; line = await lines.next())
      taken.push(JSON.parse(line.value));
  // One that asked while another looked at the lock may have got none; it was the only one to look then.
  expect(taken.sort()).toEqual(["run-0", "run-1", "run-2", "run-3", "run-4"]);
});

describe("two processes on one store", () => {
  test("append to one conversation side by side: none is lost, each keeps its order", async () => {
    const file = await storeFile();
    await together(["append", file, "shared", "a", "50"], ["append", file, "shared", "b", "50"]);
    const questions = ((await (await openStore(file)).load("shared"))?.turns ?? []).map(({ question }) => question);
    expect(questions).toHaveLength(100);
    for (const name of ["a", "b"])
      expect(questions.filter((question) => question.startsWith(name))).toEqual(
        Array.from({ length: 50 }, (_, index) => `${name}-${index}`),
      );
  });

  test("never give two pages one number, nor one page two", async () => {
    const file = await storeFile();
    const claims = (await together(["number", file, "shared", "3"], ["number", file, "shared", "7"])).flat(2);
    const pairs = new Set(claims.map((claim) => JSON.stringify(claim)));
    expect(claims).toHaveLength(200);
    const urls = new Set(claims.map((claim) => (Array.isArray(claim) ? claim[0] : undefined)));
    const numbers = new Set(claims.map((claim) => (Array.isArray(claim) ? claim[1] : undefined)));
    expect(pairs.size).toBe(urls.size);
    expect(pairs.size).toBe(numbers.size);
    const kept = (await (await openStore(file)).load("shared"))?.sources.all() ?? [];
    expect(new Set(kept.map(({ n, source }) => JSON.stringify([source.url, n])))).toEqual(pairs);
  });

  test("that begin a store at the same moment share it", async () => {
    const file = await storeFile();
    const names = ["a", "b", "c", "d"];
    await together(...names.map((name) => ["begin", file, name]));
    const store = await openStore(file);
    expect((await store.list({ limit: 10, offset: 0 })).map(({ id }) => id).sort()).toEqual(names);
  });

  test("that find one of the first version at the same moment bring it up to date once", async () => {
    const file = await olderFile(1);
    const names = ["a", "b", "c"];
    expect((await together(...names.map((name) => ["begin", file, name]))).flat(2)).toEqual([]);
    const kept = (await (await openStore(file)).list({ limit: 10, offset: 0 })).map(({ id }) => id).sort();
    expect(kept).toEqual([...names, "conv-last", "conv-old"]);
  });

  test.each(["no database", "torn in the middle", "zero bytes with a log of garbage"])(
    "that find it damaged at the same moment (%s) set it aside once",
    async (kind) => {
      const file = await storeFile();
      await damage[kind]?.(file);
      const names = ["a", "b"];
      const found = (await together(...names.map((name) => ["begin", file, name]))).flat(2);
      expect(found).toHaveLength(1);
      const kept = await readdir(dirname(file));
      expect(new Set(kept.map((name) => name.replace(/-(wal|shm)$/, ""))).size).toBe(3);
      const store = await openStore(file);
      expect((await store.list({ limit: 10, offset: 0 })).map(({ id }) => id).sort()).toEqual(names);
    },
  );
});
