import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../../src/app/conversations/open-store.ts";
import { createTypedHistory } from "../../../src/app/conversations/typed-history.ts";
import { openHistory } from "../../../src/cli/terminal/editor/input-history.ts";
import type { Notice } from "../../../src/core/run/events.ts";
import type { TypedHistory } from "../../../src/core/store/typed-history.ts";
import { createOnce } from "../../../src/kit/async/once.ts";
import { startCpuClock } from "../../fakes/cpu-time.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { ordinaryUser, requires } from "../../runner/requirements.ts";

test("what was typed is there for the next chat, for the user alone", async () => {
  const home = join(await temporaryFolder(), "home");
  const first = open(home);
  const history = await openHistory(first.typed);
  for (const text of ["第一行\nsecond line", "two", "two", "  "]) history.add(text);
  await first.close();
  expect(await open(home).typed.list()).toEqual(["第一行\nsecond line", "two"]);
  expect((await stat(join(home, "duet.db"))).mode & 0o777).toBe(0o600);
  expect((await stat(home)).mode & 0o777).toBe(0o700);
});

test("the last 1,000 texts are kept, and one of more than 50,000 characters only in its own chat", async () => {
  const home = await temporaryFolder();
  const { typed } = open(home);
  await typed.add(Array.from({ length: 700 }, (_, index) => `entry ${index}`));
  await typed.add(Array.from({ length: 700 }, (_, index) => `entry ${index + 700}`));
  const history = await openHistory(typed);
  history.add("long".repeat(20_000));
  expect(history.entries.at(-1)).toHaveLength(80_000);
  expect(await typed.list()).toEqual(Array.from({ length: 1_000 }, (_, index) => `entry ${index + 400}`));
  const database = new DatabaseSync(join(home, "duet.db"), { readOnly: true });
  expect(database.prepare("SELECT count(*) AS n FROM typed_texts").get()).toEqual({ n: 1_000 });
  database.close();
});

test("whatever can be typed comes back", async () => {
  const home = await temporaryFolder();
  const texts = ['"quoted" \\ /', "\t\n\r\b\f\u0000\u001f\u007f\u2028", "\ud800 alone", "👩‍👩‍👧"];
  await open(home).typed.add(texts);
  expect(await open(home).typed.list()).toEqual(texts);
});

test("several chats type at the same time, take an old file over once, and nothing is lost", async () => {
  const home = await temporaryFolder();
  await writeFile(join(home, "history"), ["old 1", "old 2"].map(toLine).join(""), { mode: 0o644 });
  const children = await Promise.all(["a", "b", "c"].map((name) => startTyping(home, name, 100)));
  for (const child of children) child.stdin.write("go\n");
  await Promise.all(children.map((child) => once(child, "close")));
  const kept = await open(home).typed.list();
  for (const name of ["a", "b", "c"])
    expect(kept.filter((text) => text.startsWith(name))).toEqual(
      Array.from({ length: 100 }, (_, index) => `${name}${index}`),
    );
  expect(kept.filter((text) => text.startsWith("old"))).toEqual(["old 1", "old 2"]);
  expect(kept).toHaveLength(302);
  expect((await stat(join(home, "history.imported"))).mode & 0o777).toBe(0o600);
  expect(await readdir(home)).not.toContain("history");
});

test("a file that an older Duet writes later is taken over, too", async () => {
  const home = await temporaryFolder();
  const { typed } = open(home);
  await writeFile(join(home, "history"), toLine("one"));
  expect(await typed.list()).toEqual(["one"]);
  await typed.add(["two"]);
  await writeFile(join(home, "history"), toLine("three"));
  expect(await typed.list()).toEqual(["one", "two", "three"]);
  expect(await typed.list()).toEqual(["one", "two", "three"]);
});

test("damaged lines of an old file are left out, cost no time, and stay in the renamed file", async () => {
  const home = await temporaryFolder();
  const damaged = `${'{"text":"broken\\x"}\nx\n'.repeat(45_000)}{"text":7}\n[]\n\n${'{"text":\n'.repeat(50_000)}${toLine("good")}{"text":"brok`;
  await writeFile(join(home, "history"), damaged);
  const cpuTime = startCpuClock();
  expect(await open(home).typed.list()).toEqual(["good"]);
  expect(cpuTime()).toBeLessThan(10_000);
  expect(await readFile(join(home, "history.imported"), "utf8")).toBe(damaged);
});

test("of a large old file the end is taken over, from its first whole line on", async () => {
  const home = await temporaryFolder();
  const long = "长".repeat(40_000);
  await writeFile(
    join(home, "history"),
    Array.from({ length: 100 }, (_, index) => toLine(`${index} ${long}`)).join(""),
  );
  const texts = await open(home).typed.list();
  expect(texts).toHaveLength(16);
  expect(texts.at(-1)).toBe(`99 ${long}`);
});

test("a chat in which nothing is typed leaves no store behind", async () => {
  const home = await temporaryFolder();
  await mkdir(join(home, "history"));
  expect(await open(home).typed.list()).toEqual([]);
  expect(await readdir(home)).toEqual(["history"]);
});

test("a store in memory keeps nothing, and does not touch an old file", async () => {
  const home = await temporaryFolder();
  await writeFile(join(home, "history"), toLine("old"));
  const { typed } = open(home, "memory");
  const history = await openHistory(typed);
  history.add("new");
  expect(history.entries).toEqual(["new"]);
  expect(await readdir(home)).toEqual(["history"]);
});

test("with an unusable store the chat goes on with what the old file holds, which stays as it is", async () => {
  const home = await temporaryFolder();
  await mkdir(join(home, "duet.db"));
  await appendFile(join(home, "history"), toLine("old"));
  const history = await openHistory(open(home).typed);
  expect(history.entries).toEqual(["old"]);
  history.add("new");
  expect(history.entries).toEqual(["old", "new"]);
  expect(await readFile(join(home, "history"), "utf8")).toBe(toLine("old"));
});

test("a failed write leaves the old file where it was, and its texts are there nevertheless", async () => {
  const home = await temporaryFolder();
  await writeFile(join(home, "history"), toLine("old"));
  const add: TypedHistory["add"] = async (texts) => {
    if (typeof texts === "function") texts();
    throw new Error("the disk is full");
  };
  const config = { home, conversations: settings("disk") };
  const { store, credentials } = await openStore({ home: await temporaryFolder(), conversations: settings("memory") });
  const opened = {
    store,
    credentials,
    typedHistory: { list: async () => [], add },
    takeNotices: () => [],
    addNotice() {},
  };
  expect(await createTypedHistory(config, async () => opened).list()).toEqual(["old"]);
  expect(await readdir(home)).toEqual(["history"]);
});

test("an old file of which no line is a text stays where it is, which is reported once, and the stored texts are listed", async () => {
  const home = await temporaryFolder();
  const { typed, takeNotices } = open(home);
  await typed.add(["stored"]);
  await writeFile(join(home, "history"), '"one"\n"two"\n');
  expect(await typed.list()).toEqual(["stored"]);
  expect(await typed.list()).toEqual(["stored"]);
  expect(await readFile(join(home, "history"), "utf8")).toBe('"one"\n"two"\n');
  expect(await readdir(home)).not.toContain("history.imported");
  const message = expect.stringMatching(/history of an earlier version was not imported.*no line can be read/);
  expect(await takeNotices()).toMatchObject([{ code: "history-unread", message }]);
});

test(
  "an old file that another user alone may read stays where it is, which is reported, and the stored texts are listed",
  requires(ordinaryUser),
  async () => {
    const home = await temporaryFolder();
    const { typed, takeNotices } = open(home);
    await typed.add(["stored"]);
    await writeFile(join(home, "history"), toLine("old"), { mode: 0o000 });
    expect(await typed.list()).toEqual(["stored"]);
    expect(await readdir(home)).toContain("history");
    expect(await readdir(home)).not.toContain("history.imported");
    expect(await takeNotices()).toMatchObject([{ code: "history-unread", message: expect.stringContaining("EACCES") }]);
  },
);

test("what was typed is there also where the store cannot be opened for writing", async () => {
  const home = await temporaryFolder();
  const first = open(home);
  await first.typed.add(["one", "two"]);
  await first.close();
  await rm(join(home, "duet.db-gate"));
  await mkdir(join(home, "duet.db-gate"));
  const history = await openHistory(open(home).typed);
  expect(history.entries).toEqual(["one", "two"]);
});

function settings(store: "disk" | "memory") {
  return { store };
}

function toLine(text: string): string {
  return `${JSON.stringify({ text })}\n`;
}

/** The history of a chat of its own; the store is closed when the test ends. */
function open(home: string, kind: "disk" | "memory" = "disk") {
  const config = { home, conversations: settings(kind) };
  const store = createOnce(() => openStore(config));
  const close = async (): Promise<void> => store.current?.then((opened) => opened.store.close());
  onTestFinished(close);
  const takeNotices = async (): Promise<Notice[]> => (await store.get()).takeNotices("en");
  return { typed: createTypedHistory(config, store.get), close, takeNotices };
}

/** Starts `typed-history-process.ts`; it waits for a line on stdin. */
async function startTyping(home: string, name: string, count: number) {
  const file = fileURLToPath(new URL("typed-history-process.ts", import.meta.url));
  const child = spawn(process.execPath, [file, home, name, String(count)], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}
