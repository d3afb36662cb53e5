import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createStoreMonitor } from "../../../src/app/conversations/store-monitor.ts";
import { openDuet } from "../../../src/app/open-duet.ts";
import { checkStore } from "../../../src/cli/doctor/check-store.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { loadSqlite } from "../../../src/store/sqlite/connection.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { runWarmProgram } from "../../fakes/warm-program.ts";
import { mayMountDisks, requires } from "../../runner/requirements.ts";

/** What `duet doctor` says of the store in this folder. */
async function findingOn(home: string, ...args: string[]) {
  const { code, stdout, stderr } = await runWarmProgram(["doctor", ...args], { env: { DUET_HOME: home } });
  const lines = stdout.split("\n").filter((line) => /conversation store|对话存储/.test(line));
  return { code, lines, stderr };
}

test("a store that can be used is no line, and one that is not there is not made", async () => {
  const home = await temporaryFolder();
  expect(await findingOn(home)).toMatchObject({ code: 0, lines: [] });
  expect(await listStore(home)).toEqual([]);
});

test("a folder that is not there is no line either, and is not made", async () => {
  const place = await temporaryFolder();
  const config = await loadConfig({ locale: "en" }, { HOME: place }, place);
  const duet = await openDuet(config);
  onTestFinished(() => duet.close());
  expect(await checkStore(duet.storeHealth, config)).toEqual([]);
  expect(existsSync(config.home)).toBe(false);
  expect(await readdir(place)).toEqual([]);
});

test("a store of a newer Duet is a finding", async () => {
  const home = await temporaryFolder();
  const store = new (loadSqlite().DatabaseSync)(join(home, "duet.db"));
  store.exec("PRAGMA user_version = 999");
  store.close();
  const { code, lines } = await findingOn(home);
  expect([code, lines]).toEqual([1, [expect.stringContaining("has version 999, from a newer Duet")]]);
});

test("a store whose settings have an error is not looked at", async () => {
  const home = await temporaryFolder();
  await mkdir(join(home, "duet.db"));
  await writeFile(join(home, "duet.json"), JSON.stringify({ conversations: { store: "disc" } }));
  expect(await findingOn(home, "--config", join(home, "duet.json"))).toMatchObject({ code: 1, lines: [] });
});

test("of a store that is open, what its monitor knows is told, and its file is not looked at", async () => {
  const home = await temporaryFolder();
  const config = await loadConfig({ locale: "en" }, { DUET_HOME: home }, home);
  await writeFile(join(home, "duet.db"), "garbage ".repeat(1_000));
  const storeMonitor = createStoreMonitor();
  const open = Object.assign(storeMonitor, { isInUse: true, check: async () => storeMonitor.status.state });
  expect(await checkStore(open, config)).toEqual([]);
  storeMonitor.recordSetAside("/x/duet.db.damaged-1");
  const text = {
    en: expect.stringContaining("kept as /x/duet.db.damaged-1"),
    zh: expect.stringContaining("保留为 /x/"),
  };
  expect(await checkStore(open, config)).toMatchObject([{ state: "failed", text }]);
  expect(storeMonitor.takeNotices("en")).toHaveLength(1);
});

async function listStore(home: string): Promise<string[]> {
  return (await readdir(home)).filter((name) => name.startsWith("duet.db")).sort();
}

test("a store that cannot be opened is a finding, and nothing is said of it a second time", async () => {
  const home = await temporaryFolder();
  await mkdir(join(home, "duet.db"));
  const { code, lines, stderr } = await findingOn(home);
  expect([code, lines.length, stderr]).toEqual([1, 1, ""]);
  expect(lines[0]).toMatch(/^✗ conversation store: the conversation store .*duet\.db cannot be used: .*DUET_HOME\.$/);
  expect((await findingOn(home, "--locale", "zh")).lines[0]).toMatch(/^✗ 对话存储：对话存储 .*duet\.db 无法使用：/);
});

test("a store that is damaged is a finding, and stays where it is", async () => {
  const home = await temporaryFolder();
  await writeFile(join(home, "duet.db"), "garbage ".repeat(1_000));
  for (const _ of ["first", "second"]) {
    const { code, lines, stderr } = await findingOn(home);
    expect([code, lines.length, stderr]).toEqual([1, 1, ""]);
    expect(lines[0]).toMatch(
      /^✗ conversation store: the conversation store .*duet\.db cannot be used: the file is not a database\. .*duet\.db\.damaged-TIME/,
    );
  }
  expect(await listStore(home)).toEqual(["duet.db"]);
  expect((await findingOn(home, "--locale", "zh")).lines[0]).toMatch(/文件不是数据库。下次打开时/);
});

describe("a disk", requires(mayMountDisks()), () => {
  test.each([
    ["full", /cannot be used: the disk (is full|could not be read or written)\. .*free space/],
    ["read-only", /cannot be used: it is read-only\./],
  ])("that is %s is a finding", async (state, told) => {
    const home = await temporaryFolder();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "none", home]);
    onTestFinished(() => void execFileSync("umount", ["-l", home]));
    expect(await findingOn(home)).toMatchObject({ code: 0, lines: [] });
    if (state === "full") await fillUp(join(home, "filler"));
    else execFileSync("mount", ["-o", "remount,ro", home]);
    const { code, lines } = await findingOn(home);
    expect([code, lines]).toEqual([1, [expect.stringMatching(told)]]);
  });
});

async function fillUp(file: string): Promise<void> {
  for (const size of [65_536, 4_096])
    try {
      for (;;) await writeFile(file, new Uint8Array(size), { flag: "a" });
    } catch {
      // Full, to this size.
    }
}
