import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tool } from "../../../src/core/tools/tool.ts";
import { detectLanguage, type Locale } from "../../../src/kit/locale.ts";
import { createBuiltinTools } from "../../../src/tools/builtin/builtin-tools.ts";
import { converse, type Spoken } from "./turns.ts";

let folder: string;
let tools: Tool[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "duet-offline-"));
  await mkdir(join(folder, "data", "logs"), { recursive: true });
  await writeFile(
    join(folder, "data", "notes.md"),
    "the calculator adds 3 and 5\nnothing here\ncalculator list[0]: 10\n",
  );
  await writeFile(join(folder, "data", "logs", "app.log"), "2026-01-02T03:04:05Z ERROR disk full\n");
  tools = createBuiltinTools({ roots: [folder], locale: "zh", search: undefined });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function ask(question: string): Promise<Spoken> {
  const locale: Locale = detectLanguage(question, "zh");
  return converse(question, tools, async (name, args) => {
    const tool = tools.find((candidate) => candidate.name === name);
    const context = { signal: new AbortController().signal, locale, progress() {}, notice() {} };
    const result = await tool?.run(args, context);
    if (result?.ok !== true) throw new Error(`${name} failed: ${result?.text}`);
    return result.text;
  });
}

const noModel = "没有使用语言模型";

test("scene 1: echo hello", async () => {
  const { calls, answer } = await ask("echo hello");
  expect(calls).toEqual([["echo", { text: "hello" }]]);
  expect(answer).toMatch(/^hello\n\n\(Offline rule mode: no language model was used/);
});

test("scene 2: a search, then a calculation, in order and one a turn", async () => {
  const { calls, thoughts, answer, turns } = await ask("搜索包含 'calculator' 的文件，然后计算 [1,2,3,4,5] 的平均值");
  expect(calls).toEqual([
    ["file_search", { query: "calculator" }],
    ["calculator", { numbers: [1, 2, 3, 4, 5], operations: ["mean"] }],
  ]);
  expect(turns).toBe(3);
  expect(thoughts[1]).toBe("用 calculator 计算 [1,2,3,4,5] 的平均值。");
  expect(answer).toContain("- `data/notes.md:1: the calculator adds 3 and 5`");
  expect(answer).toContain("平均值是 3。");
  expect(answer).toContain(noModel);
});

test("scene 3: the right tool for a log file", async () => {
  const { calls, answer } = await ask("帮我分析一下 data/logs/app.log");
  expect(calls).toEqual([["log_transform", { path: "data/logs/app.log" }]]);
  expect(answer).toContain("disk full");
});

test("scene 4: a search without hits is told and not repeated", async () => {
  const { calls, answer } = await ask("搜索不存在的文件");
  expect(calls).toHaveLength(1);
  expect(answer).toContain("没有找到");
  expect(answer).toContain(noModel);
});

test("numbers come out of the files' text, not out of names, line numbers or counts", async () => {
  const { calls, answer } = await ask("搜索包含 'calculator' 的文件，然后计算文件中数字的平均值");
  expect(calls[1]).toEqual(["calculator", { numbers: [3, 5, 0, 10], operations: ["mean"] }]);
  expect(answer).toContain("平均值是 4.5。");
});

test("a result without numbers is said to have none", async () => {
  const { calls, answer } = await ask("搜索包含 'nothing' 的文件，然后计算文件中数字的平均值");
  expect(calls).toHaveLength(1);
  expect(answer).toContain("前面的结果里没有数字");
});

test.each([
  ["计算 [10,20,30] 的平均值、最大值和最小值", "平均值是 20，最大值是 30，最小值是 10。"],
  ["计算 2+3*4", "`2+3*4` = 14"],
  ["计算 2^70", "`2^70` = 1180591620717411303424"],
  ["求 [1,2,3] 的标准差", "标准差是 1（样本，n-1）或 0.81649658092773（总体，n）。"],
  ["what is the mean and max of [1, 2, 6]?", "The mean is 3 and the maximum is 6."],
  ["what is 12.5% of 80", "`12.5 / 100 * 80` = 10"],
  ["search files containing calculator", 'Found "calculator" in 2 places:'],
  ["what time is it in Tokyo", "time zone Asia/Tokyo"],
  ["analyse data/logs/app.log", "What data/logs/app.log holds:"],
])("the built-in tools' results in words: %s", async (question, said) => {
  const { answer } = await ask(question);
  expect(answer).toContain(said);
});
