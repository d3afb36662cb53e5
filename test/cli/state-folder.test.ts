import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFolder } from "../../src/kit/private-file.ts";
import { schemaVersion } from "../../src/store/sqlite/schema.ts";
import { configFile, runProgram, temporaryFolder } from "../fakes/program.ts";
import { runWarmProgram as run } from "../fakes/warm-program.ts";
import { linux, requires } from "../runner/requirements.ts";
import { damage, edit } from "../store/damage.ts";

const commands = [
  ["ask", "hi"],
  ["chat"],
  ["serve"],
  ["serve", "--http", "0"],
  ["conversations"],
  ["trace"],
  ["config", "trust"],
  ["login", "docs"],
  ["tools", "approve"],
  ["tools", "list"],
];

describe("a DUET_HOME that cannot be created", () => {
  test.for(commands)("stops duet %s %s with exit code 2 and one line that says why", async (args) => {
    const file = join(await temporaryFolder(), "file");
    writeFileSync(file, "");
    const { code, stdout, stderr } = await run(args, { env: { DUET_HOME: join(file, "home") } });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      `duet: DUET_HOME: ${JSON.stringify(join(file, "home"))} cannot be created: ${file} is not a folder (allowed: a folder that exists, or a path where one can be created)\n`,
    );
  });

  test("is said in Chinese to whoever reads Chinese", async () => {
    const { code, stderr } = await run(["ask", "hi", "--locale", "zh"], { env: { DUET_HOME: "/dev/null/x" } });
    expect([code, stderr]).toEqual([2, expect.stringContaining("无法创建：/dev/null 不是文件夹")]);
  });

  test("is a failed line of duet doctor, which goes on", async () => {
    const { code, stdout } = await run(["doctor"], { env: { DUET_HOME: "/dev/null/x" } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ .*"\/dev\/null\/x" cannot be created: \/dev\/null is not a folder/m);
    expect(stdout).toMatch(/model offline/);
  });

  test("does not stop what needs no state", async () => {
    const { code, stderr } = await run(["config", "path"], { env: { DUET_HOME: "/dev/null/x" } });
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("ends the process also below /proc", requires(linux), async () => {
    const { code, stderr } = await runProgram(["serve"], { env: { DUET_HOME: "/proc/nope/x" }, stdin: null });
    expect(code).toBe(2);
    expect(stderr).toContain("no folder can be created in /proc");
  });
});

describe("a store that a newer Duet wrote", () => {
  test.for([["ask", "hi"], ["chat"], ["serve"], ["serve", "--http", "0"], ["conversations"], ["trace"]])(
    "stops duet %s %s with exit code 2 and one line, and stays as it is",
    async (args) => {
      const file = await newerStore();
      const before = readFileSync(file);
      const { code, stdout, stderr } = await run(args, { env: { DUET_HOME: dirname(file) } });
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toBe(
        `duet: the conversation store ${file} has version 99, from a newer Duet (this one supports up to ${schemaVersion}). Update Duet, or choose another folder with DUET_HOME.\n`,
      );
      expect(readFileSync(file).equals(before)).toBe(true);
    },
  );

  test("is said in Chinese, and does not matter where conversations are not stored", async () => {
    const env = { DUET_HOME: dirname(await newerStore()) };
    const refused = await run(["ask", "hi", "--locale", "zh"], { env });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/的版本是 99，来自更新的 Duet.*请升级/)]);
    const config = join(env.DUET_HOME, "memory.json");
    writeFileSync(config, JSON.stringify({ conversations: { store: "memory" } }));
    expect((await run(["conversations", "--config", config], { env })).code).toBe(0);
  });

  test("is a failed line of duet doctor", async () => {
    const { code, stdout } = await run(["doctor"], { env: { DUET_HOME: dirname(await newerStore()) } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ .*has version 99, from a newer Duet/m);
  });

  async function newerStore(): Promise<string> {
    const file = join(await temporaryFolder(), "duet.db");
    edit(file, `CREATE TABLE x (y); PRAGMA user_version = 99`);
    return file;
  }
});

describe("the default state folder", () => {
  test("may be impossible to create, as in a read-only container: the answer comes with a notice", async () => {
    const file = join(await temporaryFolder(), "file");
    writeFileSync(file, "");
    const { code, stdout, stderr } = await run(["ask", "echo hello"], { env: { XDG_STATE_HOME: file } });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^hello\n/)]);
    expect(stderr).toContain("Conversations are kept only until this process ends");
  });

  test("ends in the same notice below /proc", requires(linux), async () => {
    const { code, stdout, stderr } = await runProgram(["ask", "echo hello"], { env: { XDG_STATE_HOME: "/proc" } });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^hello\n/)]);
    expect(stderr).toContain("Conversations are kept only until this process ends");
  });
});

describe("createFolder", () => {
  test("creates what is missing above, for the user alone, and leaves what exists as it is", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "a", "b");
    createFolder(path);
    expect([join(folder, "a"), path].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
    const open = join(folder, "open");
    mkdirSync(open, 0o755);
    createFolder(open);
    expect(statSync(open).mode & 0o777).toBe(0o755);
  });
});

test("198 the command line tells of a damaged store on stderr and in the result", async () => {
  const home = await temporaryFolder();
  await damage["no database"]?.(join(home, "duet.db"));
  const config = await configFile({ models: { functionCall: { provider: "offline", model: "rules" } }, locale: "en" });
  const args = ["ask", "echo hello", "--output", "json", "--config", config];
  const { code, stdout, stderr } = await run(args, { env: { DUET_HOME: home } });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ status: "complete", notices: [{ code: "store-damaged" }] });
  expect(stderr).toMatch(/⚠ The conversation store was damaged; its file is kept as .*duet\.db\.damaged-/);
});
