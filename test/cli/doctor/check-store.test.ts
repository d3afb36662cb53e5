import { execFileSync } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../fakes/program.ts";
import { runWarmProgram } from "../../fakes/warm-program.ts";
import { mayMountDisks, requires } from "../../runner/requirements.ts";

/** What `duet doctor` says of the store in this folder. */
async function findingOn(home: string, ...args: string[]) {
  const { code, stdout, stderr } = await runWarmProgram(["doctor", ...args], { env: { DUET_HOME: home } });
  const lines = stdout.split("\n").filter((line) => /conversation store|对话存储/.test(line));
  return { code, lines, stderr };
}

test("a store that can be used is no line", async () => {
  expect(await findingOn(await temporaryFolder())).toMatchObject({ code: 0, lines: [] });
});

test("a store that cannot be opened is a finding, and nothing is said of it a second time", async () => {
  const home = await temporaryFolder();
  await mkdir(join(home, "duet.db"));
  const { code, lines, stderr } = await findingOn(home);
  expect([code, lines.length, stderr]).toEqual([1, 1, ""]);
  expect(lines[0]).toMatch(/^✗ conversation store: the conversation store .*duet\.db cannot be used: .*DUET_HOME\.$/);
  expect((await findingOn(home, "--locale", "zh")).lines[0]).toMatch(/^✗ 对话存储：对话存储 .*duet\.db 无法使用：/);
});

test("a store that was damaged is a finding with the name under which it is kept, and the next look is well", async () => {
  const home = await temporaryFolder();
  await writeFile(join(home, "duet.db"), "garbage ".repeat(1_000));
  const { code, lines, stderr } = await findingOn(home);
  const kept = (await readdir(home)).find((name) => name.includes(".damaged-"));
  expect([code, lines, stderr]).toEqual([1, [expect.stringContaining(join(home, kept ?? ""))], ""]);
  expect(lines[0]).toMatch(/^✗ conversation store: The conversation store was damaged; its file is kept as /);
  expect(await findingOn(home)).toMatchObject({ code: 0, lines: [] });
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
