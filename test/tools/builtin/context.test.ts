import { mkdir } from "node:fs/promises";
import { userInfo } from "node:os";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createContext } from "../../../src/tools/builtin/context.ts";
import { withTimeout } from "../../../src/tools/tool-limits.ts";
import { testContext } from "../context.ts";
import { temporaryFiles } from "./files.ts";

const facts = () => ({
  tools: ["echo", "context"],
  toolCallsLeft: 3,
  maxToolCalls: 5,
  maxIterations: 4,
  leftMs: 42_500,
  tokensLeft: 9000,
});
const at = () => Date.parse("2026-11-21T15:04:05Z");

test("tells the time, the language, the directory, and of a run its tools and what is left", async () => {
  await using files = await temporaryFiles();
  const tool = withTimeout(createContext([files.path], "en", at), 5000);
  const { text } = await tool.run({}, { ...testContext(), facts });
  const lines = text.split("\n");
  expect(lines[0]).toMatch(/^Time: 2026-11-2\d \d\d:\d\d:05, \w+day, time zone .+ \(UTC[+-]\d\d:\d\d\)$/);
  expect(lines.slice(1, 5)).toEqual([
    "Language: English (en)",
    `Readable directory: ${basename(files.path)} (paths are relative to it)`,
    "Tools: echo, context",
    "Left: 3 of 5 tool calls, 42 s, about 9000 tokens; at most 4 rounds",
  ]);
  expect(lines[5]).toMatch(/^Program: Duet \d+\.\d+\.\d+/);
});

test("outside of a run there are no limits to tell, and it speaks Chinese", async () => {
  const { text } = await createContext([], "zh", at).run({}, testContext({ locale: "zh" }));
  expect(text.split("\n").slice(1)).toEqual(["语言：中文 (zh)", "可读目录：无", expect.stringMatching(/^程序：Duet/)]);
});

test("several directories are told as the file tools take them, those that are missing not", async () => {
  await using files = await temporaryFiles();
  const roots = ["a", "b", "missing"].map((name) => join(files.path, name));
  for (const root of roots.slice(0, 2)) await mkdir(root);
  const { text } = await createContext(roots, "en", at).run({}, testContext());
  expect(text).toContain(`Readable directories: ${roots.slice(0, 2).join(", ")}\n`);
});

test("holds neither secrets of the environment nor the name of a user or a machine", async () => {
  process.env.DUET_TEST_CANARY = "sk-CANARY-context-0001";
  onTestFinished(() => void delete process.env.DUET_TEST_CANARY);
  await using files = await temporaryFiles();
  const tool = createContext([files.path], "en", at);
  const { text } = await tool.run({}, { ...testContext(), facts });
  expect(text).not.toContain("CANARY");
  expect(text).not.toMatch(new RegExp(`\\b${userInfo().username}\\b`));
  expect(text).not.toContain(files.path);
  expect(text.length + tool.description.length + JSON.stringify(tool.inputSchema).length).toBeLessThan(600);
});
