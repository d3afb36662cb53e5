import { expect, test } from "vitest";
import type { Message } from "../../../src/core/model/messages.ts";
import { allTools, converse, takeTurn } from "./turns.ts";

const found =
  "[4] MCP released\nhttps://a.example/1\nA new version [1] is out.\n\n[5] More\nhttps://b.example/2\nDetails.";

test("web results become one line each, with the numbers that they came with", async () => {
  const { answer } = await converse("搜索 MCP 的最新消息", allTools, () => found);
  expect(answer).toContain("关于“MCP 的最新消息”找到 2 条结果：");
  expect(answer).toContain("- MCP released：`A new version [1] is out.` [4]\n- More：`Details.` [5]");
});

test("the answer is in the language of the question", async () => {
  const { thoughts, answer } = await converse("search the web for MCP", allTools, () => found);
  expect(thoughts).toEqual(['Using web_search to search the web for "MCP".']);
  expect(answer).toContain('2 results for "MCP":');
  expect(answer).toMatch(/\(Offline rule mode: no language model was used; .*README\.\)$/);
});

test("a forecast is told by day", async () => {
  const forecasts = [{ date: "2026-11-20", dayweather: "晴", nightweather: "多云", daytemp: "8", nighttemp: "-2" }];
  const { answer } = await converse("北京天气", allTools, () => JSON.stringify({ city: "北京市", forecasts }));
  expect(answer).toContain("北京市的天气：\n\n- 2026-11-20：晴转多云，-2～8℃");
});

test("a page is quoted, never interpreted, and cited when it has a number", async () => {
  const page = "[2] Title\nhttps://example.com/\nline\n```\n# not a heading";
  const { answer } = await converse("fetch https://example.com/", allTools, () => page);
  expect(answer).toContain("The content of Title [2]:\n\n```\nline\n'''\n# not a heading\n```");
});

test("a failed tool is told with its reason, and not called again", async () => {
  const { calls, answer } = await converse("搜索包含 'x' 的文件，然后计算 1+1", allTools, (tool) =>
    tool === "file_search" ? { failed: "目录不存在" } : "1+1 = 2",
  );
  expect(calls.map(([tool]) => tool)).toEqual(["file_search", "calculator"]);
  expect(answer).toContain("没能搜索包含“x”的文件：目录不存在");
  expect(answer).toContain("`1+1` = 2");
});

test("the same request twice is one call and told once", async () => {
  const { calls, answer } = await converse("计算 1+1，然后计算 1+1，再计算 2+2", allTools, (_tool, args) =>
    args.expression === "1+1" ? "1+1 = 2" : "2+2 = 4",
  );
  expect(calls).toEqual([
    ["calculator", { expression: "1+1" }],
    ["calculator", { expression: "2+2" }],
  ]);
  expect(answer).toContain("`1+1` = 2\n\n`2+2` = 4\n\n（");
});

test("what is not recognised is named beside what was done", async () => {
  const { answer } = await converse("计算 1+1，然后写一首诗", allTools, () => "1+1 = 2");
  expect(answer).toContain("`1+1` = 2");
  expect(answer).toContain("没有做“写一首诗”");
});

test.each([
  ["14", "结果是 14。"],
  ['{"result":14}', "结果是 14。"],
  ["something else", "something else"],
  ["", ""],
])("a calculator that answers %j", async (result, said) => {
  const { answer } = await converse("求 [14] 的最大值", allTools, () => result);
  expect(answer).toContain(said);
});

test.each([
  ["search files containing a and calculate 2*3", ["file_search", "calculator"]],
  ["先 echo a，再 echo b，接着计算 1+1", ["echo", "echo", "calculator"]],
  ["fetch https://example.com/x, then calculate 1+1; what time is it?", ["fetch", "calculator", "current_time"]],
  ["搜索包含 'x，然后 y' 的文件。现在几点？", ["file_search", "current_time"]],
  ["echo a then b", ["echo"]],
  ["average of 1, 2 and 3", ["calculator"]],
])("several requests in one sentence: %s", async (question, tools) => {
  const { calls } = await converse(question, allTools, () => "");
  expect(calls.map(([tool]) => tool)).toEqual(tools);
});

test("of many requests five are done and the others are said to be left out", async () => {
  const question = ["1", "2", "3", "4", "5", "6", "7"].map((n) => `计算 ${n}+1`).join("，然后");
  const { calls, answer } = await converse(question, allTools, (_tool, args) => `${args.expression} = 0`);
  expect(calls).toHaveLength(5);
  expect(answer).toContain("没有计算 6+1：已达到次数或时间上限。");
});

test.each(["你能做什么？", "help", "What can you do?", "有哪些工具"])(
  "%s lists the tools on offer",
  async (question) => {
    const { message, finish } = await takeTurn([{ role: "user", content: question }]);
    expect(finish).toBe("stop");
    expect(message.content).toContain("`amap__maps_weather`");
    expect(message.content).toMatch(/不是语言模型|not a language model/);
  },
);

test("what nothing recognises gets examples of the tools on offer and how to configure a model", async () => {
  const calculator = allTools.filter(({ name }) => name === "calculator");
  const { message } = await takeTurn([{ role: "user", content: "tell me a story" }], calculator);
  expect(message.content).toContain("not a language model");
  expect(message.content).toContain("- `calculate the mean of [1,2,3,4,5]`");
  expect(message.content).not.toContain("echo hello");
  expect(message.content).toContain("DEEPSEEK_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY");
  expect(message.content).toContain("Ollama");
});

test("without tools it says that Agent mode gives it some", async () => {
  const { message } = await takeTurn([{ role: "user", content: "计算 1+1" }], []);
  expect(message.content).toContain("不是语言模型");
  expect(message.content).toContain("`/mode agent`");
});

test("a text too long for a plain request is not read as one", async () => {
  const { message } = await takeTurn([{ role: "user", content: `echo ${"a".repeat(30_000)}` }]);
  expect(message.toolCalls).toEqual([]);
});

test("an answer turn gets question and results as one text, and tells what was not done", async () => {
  const content = [
    "计算 1+1，然后计算 2+2",
    "工具结果：",
    '### calculator {"expression":"1+1"}\n<<<result ab12\n1+1 = 2\nresult ab12>>>',
  ].join("\n\n");
  const { message, finish } = await takeTurn([{ role: "user", content }], []);
  expect(finish).toBe("stop");
  expect(message.content).toContain("`1+1` = 2\n\n没有计算 2+2：已达到次数或时间上限。");
});

test("results of calls that another model made are told too", async () => {
  const messages: Message[] = [
    { role: "user", content: "What about it?" },
    {
      role: "assistant",
      content: "",
      toolCalls: [
        { id: "a", name: "memory__read_graph", argumentsText: "{}", arguments: {} },
        { id: "b", name: "web_search", argumentsText: "{broken", arguments: undefined },
        { id: "c", name: "echo", argumentsText: '{"text":"x"}', arguments: { text: "x" } },
      ],
    },
    { role: "tool", callId: "b", tool: "web_search", content: found, ok: true },
    { role: "tool", callId: "a", tool: "memory__read_graph", content: "a graph", ok: true },
  ];
  const { message } = await takeTurn(messages, []);
  expect(message.content).toContain("The result of memory__read_graph:\n\n```\na graph\n```");
  expect(message.content).toContain("- More: `Details.` [5]");
  expect(message.content).toContain('Could not say "x" back.');
});

test("only the last question counts", async () => {
  const { message } = await takeTurn([
    { role: "user", content: "echo old" },
    { role: "assistant", content: "old", toolCalls: [] },
    { role: "user", content: "echo new" },
  ]);
  expect(message.toolCalls.map((call) => call.arguments)).toEqual([{ text: "new" }]);
});
