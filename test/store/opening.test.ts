import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/app/conversations/open-store.ts";
import { temporaryFolder } from "../fakes/program.ts";
import { damage, edit } from "./damage.ts";
import { finishedRun } from "./runs.ts";

const disk = { store: "disk" } as const;

async function open(home: string) {
  const opened = await openStore({ home, conversations: disk });
  onTestFinished(() => opened.store.close());
  return opened;
}

test("conversations are kept in duet.db under the home, and there is nothing to tell", async () => {
  const home = join(await temporaryFolder(), "duet");
  const { store, problem, takeNotices } = await open(home);
  await store.append(finishedRun("a", "q", "a"));
  expect(existsSync(join(home, "duet.db"))).toBe(true);
  expect([problem, takeNotices("en")]).toEqual([undefined, []]);
});

test("in memory, where the configuration says so, nothing is written", async () => {
  const home = join(await temporaryFolder(), "duet");
  const { store, takeNotices } = await openStore({ home, conversations: { store: "memory" } });
  await store.append(finishedRun("a", "q", "a"));
  expect(await store.latest()).toBe("a");
  expect(takeNotices("en")).toEqual([]);
  expect(existsSync(home)).toBe(false);
});

test("a damaged store is told once, with the name of its file, in the reader's language", async () => {
  const home = await temporaryFolder();
  await damage["no database"]?.(join(home, "duet.db"));
  const { store, problem, takeNotices } = await open(home);
  const [notice, ...more] = takeNotices("zh");
  expect(notice).toMatchObject({ type: "notice", level: "warning", code: "store-damaged" });
  expect(notice?.message).toMatch(/已损坏.*duet\.db\.damaged-\d{8}T\d{6}Z/);
  expect([more, takeNotices("zh"), problem]).toEqual([[], [], undefined]);
  await store.append(finishedRun("a", "q", "a"));
});

test("a store that cannot be used: conversations in memory, told once, and why", async () => {
  const home = join(await temporaryFolder(), "home");
  await writeFile(home, "a file, not a folder");
  const { store, problem, takeNotices } = await open(home);
  expect(takeNotices("en")).toMatchObject([{ code: "store-unavailable", message: expect.stringContaining("EEXIST") }]);
  expect(takeNotices("en")).toEqual([]);
  expect(problem?.text.en).toContain(home);
  await expect(store.latest()).rejects.toBe(problem);
  await store.append(finishedRun("a", "q", "a"));
  expect(await store.latest()).toBe("a");
  expect((await store.load("a"))?.turns).toHaveLength(1);
});

test("a store of a newer Duet: conversations in memory, and the notice names the version", async () => {
  const home = await temporaryFolder();
  edit(join(home, "duet.db"), "PRAGMA user_version = 99");
  const { takeNotices } = await open(home);
  expect(takeNotices("en")).toMatchObject([
    { code: "store-unavailable", message: expect.stringMatching(/version 99, from a newer Duet.*DUET_HOME/) },
  ]);
});
