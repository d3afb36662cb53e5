import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../../src/kit/json.ts";
import { withValidation } from "../../../src/tools/schema/with-validation.ts";
import { loadSkills } from "../../../src/tools/skills/load-skills.ts";
import { allDead, processesIn } from "../../client/servers.ts";
import { temporaryFiles } from "../builtin/files.ts";
import { testContext } from "../context.ts";

const environment = { ...process.env, MY_API_KEY: "sk-CANARY", LANG: "en_US.UTF-8" };

/** The tool that runs the scripts of one skill named `kit`. */
async function kit(scripts: Record<string, string>, options: { timeoutMs?: number; locale?: "zh" | "en" } = {}) {
  const { timeoutMs, locale = "en" } = options;
  const files = Object.fromEntries(Object.entries(scripts).map(([name, text]) => [`kit/scripts/${name}`, text]));
  const folder = await temporaryFiles({ "kit/SKILL.md": "A kit.", ...files });
  const loaded = await loadSkills(folder.path, ["kit"], { environment, locale, timeoutMs });
  onTestFinished(async () => {
    loaded.close();
    await folder[Symbol.asyncDispose]();
  });
  const tool = loaded.tools.map(withValidation).find(({ name }) => name === "skill_script");
  if (tool === undefined) throw new Error("there is no skill_script");
  const run = (script: string, more: JsonObject = {}, signal?: AbortSignal) =>
    tool.run({ name: "kit", script, ...more }, testContext({ locale, ...(signal && { signal }) }));
  return { tool, run, path: join(folder.path, "kit"), loaded };
}

const tell = "console.log(process.argv.slice(2).join('|'), process.cwd(), Object.keys(process.env).sort().join());";

test("a script runs by its kind, in the skill's folder, with arguments, input and no secrets", async () => {
  const { run, tool, path } = await kit({
    "tell.mjs": tell,
    "typed.ts": "const text: string = 'typed'; console.log(text);",
    "read.py": "import sys\nprint(sys.stdin.read().upper(), sys.argv[1:])",
    "plain.sh": 'echo "$1"',
    "bashed.sh": '#!/usr/bin/env bash\n[[ "$1" == a* ]] && echo "yes, $0"',
    "deep/er.sh": "echo deep",
  });
  expect(tool.annotations).toEqual({ destructive: true, openWorld: true });
  const told = await run("scripts/tell.mjs", { args: ["a b", "$HOME", "`x`", "; rm -rf /", ""] });
  expect(told.text).toMatch(/^a b\|\$HOME\|`x`\|; rm -rf \/\| /);
  expect(told.text).toContain(` ${path} `);
  expect(told.text).toMatch(/ ((DUET_DEPTH|HOME|LANG|LOGNAME|PATH|SHELL|TERM|TMPDIR|USER),?)+$/);
  expect(await run("typed.ts")).toEqual({ ok: true, text: "typed" });
  expect(await run("./scripts/read.py", { stdin: "你好 abc", args: ["x"] })).toEqual({
    ok: true,
    text: "你好 ABC ['x']",
  });
  expect(await run("plain.sh", { args: ["one"] })).toEqual({ ok: true, text: "one" });
  expect(await run("bashed.sh", { args: ["abc"] })).toEqual({
    ok: true,
    text: expect.stringMatching(/^yes, .*bashed\.sh$/),
  });
  expect(await run("deep/er.sh")).toEqual({ ok: true, text: "deep" });
});

test("an executable runs as its first line says; what is neither executable nor known does not", async () => {
  const { run, path } = await kit({ run: "#!/bin/sh\necho ran $1", "data.txt": "text", "odd.sh": "echo by kind" });
  await chmod(join(path, "scripts/run"), 0o755);
  await chmod(join(path, "scripts/odd.sh"), 0o755);
  expect(await run("run", { args: ["well"] })).toEqual({ ok: true, text: "ran well" });
  expect(await run("odd.sh")).toEqual({ ok: true, text: "by kind" });
  expect((await run("data.txt")).text).toMatch(/^scripts\/data\.txt cannot be run: it is not executable, nor /);
});

test("a script that is none of the skill's is refused, whatever its path", async () => {
  const { run } = await kit({ "a.sh": "echo a" }, { locale: "zh" });
  for (const script of ["../SKILL.md", "/bin/ls", "scripts/../../x.sh", "b.sh"]) {
    const { ok, text, error } = await run(script);
    expect({ ok, code: error?.code }).toEqual({ ok: false, code: "invalid_arguments" });
    expect(text).toBe(
      `工具调用参数格式错误：\n- script: 必须是以下之一："scripts/a.sh"（当前值: ${JSON.stringify(script)}）\n\n请修正参数后重试。`,
    );
  }
});

test("the result tells the exit code, the output and the end of stderr", async () => {
  const { run } = await kit({
    "fail.sh": "echo partly; echo reason >&2; exit 3",
    "warn.sh": "echo done; echo careful >&2",
    "silent.sh": "exit 0",
    "killed.sh": "kill -KILL $$",
  });
  expect(await run("fail.sh")).toEqual({
    ok: false,
    text: "scripts/fail.sh failed: it exited with 3.\n\npartly\n\nstderr:\nreason",
    error: { code: "tool", message: "scripts/fail.sh failed: it exited with 3." },
  });
  expect(await run("warn.sh")).toEqual({ ok: true, text: "done\n\nstderr:\ncareful" });
  expect(await run("silent.sh")).toEqual({ ok: true, text: "(it succeeded without output)" });
  expect((await run("killed.sh")).text).toBe("scripts/killed.sh failed: it exited with SIGKILL.");
  expect(await run("silent.sh", { args: ["a\0b"] })).toMatchObject({ ok: false, error: { code: "tool" } });
});

test("a program that is not there is named", async () => {
  await using files = await temporaryFiles({ "kit/SKILL.md": "Kit.", "kit/scripts/a.rb": "puts 1" });
  const { tools } = await loadSkills(files.path, ["kit"], { environment: { PATH: files.path }, locale: "en" });
  const result = await tools[1]?.run({ name: "kit", script: "a.rb" }, testContext());
  expect(result?.text).toBe("scripts/a.rb could not be started: ruby: spawn ruby ENOENT");
});

test("much output is cut, endless output ends the script", async () => {
  const { run } = await kit({
    "much.mjs": "console.log('a'.repeat(1_000_000) + 'end');",
    "endless.sh": "yes 0123456789",
  });
  const much = await run("much.mjs");
  expect(much.ok).toBe(true);
  expect(much.text.length).toBeLessThan(201_000);
  expect(much.text).toMatch(/^a+\n…\[\d+ characters left out\]…\na+end$/);
  const endless = await run("endless.sh");
  expect(endless.text).toMatch(/^scripts\/endless\.sh produced too much output and was stopped\./);
});

/** Writes its own process and one that it starts to the journal, and then waits for ever; both ignore SIGTERM. */
const stubborn = `
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
process.on("SIGTERM", () => {});
const code = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
const { pid: grandchild } = spawn(process.execPath, ["-e", code], { stdio: "inherit" });
console.log("begun");
appendFileSync(process.argv[2], JSON.stringify({ pid: process.pid, grandchild }) + "\\n");
setInterval(() => {}, 1000);
`;

test("one that does not end in time is stopped with all that it started, and its words are told", async () => {
  const { run, path } = await kit({ "stubborn.mjs": stubborn }, { timeoutMs: 3000, locale: "zh" });
  const journal = join(path, "journal");
  const result = await run("stubborn.mjs", { args: [journal] });
  expect(result).toEqual({
    ok: false,
    text: "scripts/stubborn.mjs 超时（3 秒），已被终止。\n\nbegun",
    error: { code: "timeout", message: "scripts/stubborn.mjs 超时（3 秒），已被终止。" },
  });
  await allDead(await processesIn(journal, 2));
});

test("one whose caller leaves is stopped with all that it started", async () => {
  const { run, path } = await kit({ "stubborn.mjs": stubborn });
  const journal = join(path, "journal");
  const stop = new AbortController();
  const running = run("stubborn.mjs", { args: [journal] }, stop.signal);
  running.catch(() => {});
  const pids = await processesIn(journal, 2);
  stop.abort(new Error("the caller left"));
  await expect(running).rejects.toThrow("the caller left");
  await allDead(pids);
});

test("what still runs when Duet closes is ended", async () => {
  const { run, path, loaded } = await kit({ "stubborn.mjs": stubborn });
  const journal = join(path, "journal");
  const running = run("stubborn.mjs", { args: [journal] });
  const pids = await processesIn(journal, 2);
  loaded.close();
  await allDead(pids);
  expect((await running).ok).toBe(false);
});

test("one that closes its output goes on to its end", async () => {
  const { run } = await kit({ "quiet.sh": "exec >&-; sleep 1; exit 4" });
  expect((await run("quiet.sh")).text).toBe("scripts/quiet.sh failed: it exited with 4.");
});
