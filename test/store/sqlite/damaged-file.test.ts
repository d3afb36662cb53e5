import { existsSync, readFileSync } from "node:fs";
import { open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { damage, fill } from "../damage.ts";
import { finishedRun, page } from "../runs.ts";
import { openStore, storeFile } from "../stores.ts";

describe("a store that is damaged", () => {
  test.each(Object.entries(damage))("%s: is set aside byte for byte, and a new one begins", async (_, harm) => {
    const file = await storeFile();
    await harm(file);
    const before = partsOf(file);
    const damaged: string[] = [];
    const store = await openStore(file, { onDamage: (name) => damaged.push(name) });
    const [name = ""] = damaged;
    expect(damaged).toHaveLength(1);
    expect(name.slice(file.length)).toMatch(/^\.damaged-\d{8}T\d{6}Z$/);
    expect(partsOf(name)).toEqual(before);
    expect(await store.latest()).toBeUndefined();
    await store.append(finishedRun("new", "q", "a"));
    await store.close();
    const again = await openStore(file, { onDamage: (other) => damaged.push(other) });
    expect(await again.latest()).toBe("new");
    expect(damaged).toHaveLength(1);
  });

  test("again and again gets another name each time; none is ever overwritten", async () => {
    const file = await storeFile();
    const damaged: string[] = [];
    for (const content of ["first", "second", "third"]) {
      const store = await openStore(file, { onDamage: (name) => damaged.push(name) });
      await store.close();
      await writeFile(file, content.repeat(1_000));
    }
    await (await openStore(file, { onDamage: (name) => damaged.push(name) })).close();
    expect(new Set(damaged).size).toBe(3);
    expect(damaged.map((name) => readFileSync(name, "latin1").slice(0, 5))).toEqual(["first", "secon", "third"]);
  });
});

describe("damage that shows while the store is open", () => {
  test("sets it aside then, tells its name, and goes on with a new one", async () => {
    const file = await storeFile();
    await fill(file);
    const damaged: string[] = [];
    const store = await openStore(file, { onDamage: (name) => damaged.push(name) });
    await breakPages(file);
    expect(await store.load("conv-3")).toBeUndefined();
    await store.append(finishedRun("conv-3", "after", "the damage"));
    expect((await store.load("conv-3"))?.turns).toEqual([{ question: "after", answer: "the damage" }]);
    expect(damaged).toHaveLength(1);
    expect(readFileSync(damaged[0] ?? "", "latin1")).toContain("the old answer");
  });

  test("never gives a number of this conversation to another page", async () => {
    const file = await storeFile();
    await fill(file);
    const store = await openStore(file);
    const { sources } = await store.create("conv-3");
    expect(await sources.number([page("https://1.example"), page("https://2.example")])).toEqual([1, 2]);
    for (const name of await readdir(dirname(file))) await rm(`${dirname(file)}/${name}`);
    expect(await sources.number([page("https://3.example"), page("https://1.example")])).toEqual([3, 1]);
    expect(sources.get(1)).toEqual(page("https://1.example"));
  });
});

describe("a file that is replaced while the store is open", () => {
  test("what is appended then goes to the file that is there now", async () => {
    const file = await storeFile();
    const store = await openStore(file);
    await store.append(finishedRun("a", "before", "x"));
    for (const part of ["", "-wal", "-shm"]) await rename(file + part, `${file}.away${part}`);
    const other = await openStore(file);
    await other.append(finishedRun("b", "by another", "x"));
    await store.append(finishedRun("a", "after", "x"));
    expect((await other.load("a"))?.turns.map(({ question }) => question)).toEqual(["after"]);
    expect(await store.latest()).toBe("a");
    await store.close();
    const away = await openStore(`${file}.away`);
    expect((await away.load("a"))?.turns.map(({ question }) => question)).toEqual(["before"]);
  });
});

/** Writes garbage over all pages but the first. */
async function breakPages(file: string): Promise<void> {
  const { length } = readFileSync(file);
  const handle = await open(file, "r+");
  for (let at = 4096; at < length; at += 4096) await handle.write(new Uint8Array(64).fill(0xff), 0, 64, at);
  await handle.close();
}

/** What stands in the database and in its log. */
function partsOf(file: string): string[] {
  return ["", "-wal"].map((part) => (existsSync(file + part) ? readFileSync(file + part, "latin1") : ""));
}
