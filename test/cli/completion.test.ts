import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { CommandRow } from "../../bin/commands/command.ts";
import { commandTable } from "../../bin/commands/command-table.ts";
import { temporaryFolder } from "../fakes/program.ts";
import { runWarmProgram } from "../fakes/warm-program.ts";

const run = promisify(execFile);
const cases: [line: string[], offered: string][] = [
  [["to"], "tools tokens"],
  [["tools", ""], "list call docs approve"],
  [["ask", "--mode", ""], "chat agent plan"],
  [["--mode", "=", "pl"], "plan"],
  [["ask", "--output", "js"], "json jsonl"],
  [["tools", "--output", "js"], "json"],
  [["ask", "--mode", "agent", "--ou"], "--output"],
  [["tools", "--mode", "tools", "call", "x", "--ou"], "--output"],
  [["install", "claude"], "claude-desktop claude-code"],
  [["conversations", "pin", "a", "b", ""], "conv-one conv-two x-$(echo run) x-*"],
  [["ask", "--conversation", "conv-o"], "conv-one"],
  [["ask", "--conversation", "x"], "x-$(echo run) x-*"],
  [["login", ""], ""],
  [["conversations", "p"], "pin prune"],
];

test("bash completes commands, flags, their values, hosts, and conversation IDs", async () => {
  const script = join(await temporaryFolder(), "duet.bash");
  await writeFile(script, (await runWarmProgram(["completion", "bash"])).stdout);
  const ids = `[ "$*" = "completion conversations" ] && printf '%s\\tA b\\n' conv-one conv-two 'x-$(echo run)' 'x-*'`;
  const tries = cases.map(([words]) => {
    const line = ["duet", ...words].map((word) => `'${word}'`).join(" ");
    return `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _duet; echo "\${COMPREPLY[@]}"`;
  });
  const { stdout } = await run("bash", ["-c", `. ${script}\nduet() { ${ids}; }\n${tries.join("\n")}`]);
  expect(stdout.trimEnd().split("\n")).toEqual(cases.map(([, offered]) => offered));
});

test("each shell's script has every command and every flag, and its words are in the language of the interface", async () => {
  const names = commandTable.flatMap(listWords);
  for (const shell of ["bash", "zsh", "fish"]) {
    const { stdout, code } = await runWarmProgram(["completion", shell, "--locale", "zh"]);
    expect(code).toBe(0);
    const isThere = (name: string): boolean => stdout.includes(shell === "fish" ? name.replace(/^--/, "-l ") : name);
    expect(names.filter((name) => !isThere(name))).toEqual([]);
    if (shell !== "bash") expect(stdout).toContain("手动调用一个工具");
  }
});

function listWords({ name, commands = [], options = {} }: CommandRow): string[] {
  return [name, ...Object.keys(options).map((option) => `--${option}`), ...commands.flatMap(listWords)];
}

test("help and the version come on stdout with code 0, by their short forms too, and help in the language of the interface", async () => {
  const english = await runWarmProgram(["tools", "-h"]);
  expect(english).toMatchObject({ code: 0, stderr: "" });
  expect(english.stdout).toContain("calls a tool by hand");
  const chinese = await runWarmProgram(["--help"], { env: { LANG: "zh_CN.UTF-8" } });
  expect(chinese).toMatchObject({ code: 0, stderr: "" });
  expect(chinese.stdout).toMatch(/命令：[\s\S]*终端对话[\s\S]*选项：[\s\S]*配置文件/);
  const words = chinese.stdout.replaceAll(
    /"[^"]*"|duet[ \w<>[\]()]*|--?[\w-]+|\b(conversations|MCP|HTTP|JSON|token|git|AGENTS\.md|CLAUDE\.md|DUET\.md|stdio|shell|bash|completion|source|host|PostgreSQL)\b|conv-/g,
    "",
  );
  expect(words.match(/[a-z]{4,}/g) ?? []).toEqual([]);
  const version = await runWarmProgram(["-v"]);
  expect(version).toMatchObject({ code: 0, stderr: "", stdout: (await runWarmProgram(["--version"])).stdout });
});
