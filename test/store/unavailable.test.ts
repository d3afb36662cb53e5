import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { DuetError } from "../../src/kit/errors.ts";
import { createSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { temporaryFolder } from "../fakes/program.ts";
import { mayMountDisks, requires } from "../runner/requirements.ts";
import { edit, fill } from "./damage.ts";
import { finishedRun, page } from "./runs.ts";
import { openStore, storeFile } from "./stores.ts";

describe("a store that cannot be used says why", () => {
  test("its folder is a file", async () => {
    const folder = join(await temporaryFolder(), "state");
    writeFileSync(folder, "");
    expect(await failureOf(createSqliteStore(join(folder, "duet.db")))).toMatch(
      /duet\.db cannot be used: .*(EEXIST|ENOTDIR)/,
    );
  });

  test("its name is taken by a folder", async () => {
    const file = await storeFile();
    mkdirSync(file, { recursive: true });
    expect(await failureOf(createSqliteStore(file))).toContain("the file cannot be opened");
  });

  test("it is from a newer Duet: it stays as it is", async () => {
    const file = await storeFile();
    await fill(file);
    edit(file, "PRAGMA user_version = 99; ALTER TABLE turns ADD COLUMN mood TEXT");
    const before = [readFileSync(file), statSync(file).mtimeMs];
    expect(await failureOf(createSqliteStore(file))).toMatch(/duet\.db has version 99, from a newer Duet/);
    expect([readFileSync(file), statSync(file).mtimeMs]).toEqual(before);
  });
});

describe("a store that another process keeps locked", () => {
  test("is waited for while it may come free", async () => {
    const { store, lock } = await lockedStore({ patienceMs: 60_000 });
    const appended = store.append(finishedRun("a", "q", "a"));
    lock.exec("COMMIT");
    await appended;
    expect((await store.load("a"))?.turns).toHaveLength(1);
  });

  test("can be read, but in the end not written, and that is said", async () => {
    const { store, lock } = await lockedStore();
    const run = finishedRun("a", "q", "a");
    expect(await failureOf(store.append(run))).toContain("another process keeps it locked");
    expect(await store.latest()).toBe("before");
    lock.exec("COMMIT");
    await store.append(run);
    expect(await store.latest()).toBe("a");
  });

  test("still lets a run number its sources; they are kept with its turn, also where they have been stored after all", async () => {
    const { store, lock } = await lockedStore();
    const { sources } = await store.create("a");
    const found = ["https://1.example", "https://2.example"].map(page);
    expect(await sources.number(found)).toEqual([1, 2]);
    lock.exec("COMMIT");
    expect(await (await store.create("a")).sources.number(found.slice(0, 1))).toEqual([1]);
    await store.append(finishedRun("a", "q", "[2]"));
    expect((await store.load("a"))?.sources.all().map(({ source }) => source)).toEqual(found);
  });

  test("never gives two pages one number, when two calls find out at the same moment", async () => {
    const store = await openStore(await storeFile());
    const { sources } = await store.create("a");
    await store.close();
    const found = ["https://1.example", "https://2.example"].map((url) => sources.number([page(url)]));
    expect(await Promise.all(found)).toEqual([[1], [2]]);
    expect(sources.size).toBe(2);
  });

  test("a turn whose numbers another process has given away meanwhile is not kept", async () => {
    const { store, lock } = await lockedStore();
    const { sources } = await store.create("a");
    expect(await sources.number([page("https://mine.example")])).toEqual([1]);
    lock.exec("COMMIT");
    const other = await store.create("a");
    expect(await other.sources.number([page("https://theirs.example")])).toEqual([1]);
    expect(await failureOf(store.append(finishedRun("a", "q", "[1]")))).toContain("another process changed");
    expect((await store.load("a"))?.turns).toEqual([]);
    await store.append(finishedRun("a", "next", "a"));
    expect((await store.load("a"))?.turns).toHaveLength(1);
  });

  test("while it is being opened is no store for this process", async () => {
    const file = await storeFile();
    await fill(file);
    const gate = new DatabaseSync(`${file}-gate`);
    gate.exec("BEGIN EXCLUSIVE");
    expect(await failureOf(createSqliteStore(file, { patienceMs: 200 }))).toContain("another process keeps it locked");
    gate.close();
    await openStore(file);
  });
});

describe("a disk that is full", requires(mayMountDisks()), () => {
  test("refuses a turn and keeps what was there; once there is room again, all goes on", async () => {
    const folder = await smallDisk();
    const store = await openStore(join(folder, "duet.db"));
    await store.append(finishedRun("a", "before", "x"));
    fillUp(join(folder, "filler"));
    const large = finishedRun("a", "too large", "x".repeat(200_000));
    expect(await failureOf(store.append(large))).toContain("the disk is full");
    expect((await store.load("a"))?.turns.map(({ question }) => question)).toEqual(["before"]);
    rmSync(join(folder, "filler"));
    await store.append(large);
    expect((await store.load("a"))?.turns.map(({ question }) => question)).toEqual(["before", "too large"]);
  });

  test("or read-only cannot begin a store", async () => {
    const folder = await smallDisk();
    const file = join(folder, "state", "duet.db");
    await fill(file);
    fillUp(join(folder, "filler"));
    expect(await failureOf(createSqliteStore(join(folder, "new", "duet.db")))).toMatch(/cannot be used/);
    rmSync(join(folder, "filler"));
    execFileSync("mount", ["-o", "remount,ro", folder]);
    expect(await failureOf(createSqliteStore(file))).toMatch(/cannot be used: it is read-only/);
  });
});

/** A store whose lock is held by another connection until that commits. */
async function lockedStore({ patienceMs = 200 } = {}) {
  const file = await storeFile();
  const store = await openStore(file, { patienceMs });
  await store.append(finishedRun("before", "q", "a"));
  const lock = new DatabaseSync(file);
  onTestFinished(() => lock.close());
  lock.exec("BEGIN IMMEDIATE");
  return { store, lock };
}

/** The English text with which it fails, as a `DuetError`. */
async function failureOf(work: Promise<unknown>): Promise<string> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(DuetError);
  return thrown instanceof DuetError ? thrown.text.en : "";
}

/** A disk of two megabytes. */
async function smallDisk(): Promise<string> {
  const folder = await temporaryFolder();
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "none", folder]);
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  return folder;
}

function fillUp(file: string): void {
  for (const size of [65_536, 4_096])
    try {
      for (;;) writeFileSync(file, new Uint8Array(size), { flag: "a" });
    } catch {
      // Full, to this size.
    }
}
