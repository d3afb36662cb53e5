import { describe, expect, test } from "vitest";
import { choosePreloaded, isTwin, isWriting, isWritingWanted } from "../../../src/agent/tools/preload.ts";
import { createToolSearch } from "../../../src/app/tools/tool-search.ts";
import { toPlainText } from "../../../src/core/model/message-content.ts";
import type { Tool, ToolAnnotations } from "../../../src/core/tools/tool.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { createToolIndex } from "../../../src/tools/find/tool-index.ts";
import { makeTool } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { realTools } from "../../fakes/real-tools.ts";
import { runAll } from "../../fakes/run.ts";

const names = ["calculator", "read_file", "file_search", "echo", "context", "health_check"];
const own = names.map((name) => makeTool(name, () => ({ ok: true, text: name })));
const tools = [...own, ...realTools()];

function choose(question: string): string[] {
  const index = createToolIndex(realTools());
  return choosePreloaded({ questions: [question], own, index: () => index }).map(({ name }) => name);
}

function ofServer(name: string, annotations: ToolAnnotations = {}): Tool {
  return { ...makeTool(`fs__${name}`, () => ({ ok: true, text: "" })), source: "fs", annotations };
}

async function openFinding(loaded = new Set<string>(), allowed?: string[]) {
  const rules = { allow: ["*"], deny: [], ask: [], searchAbove: 0.1 };
  const session = {
    reported: new Set<string>(),
    approved: new Set<string>(),
    refused: new Set<string>(),
    loaded,
    hooks: { source: "startup" } as const,
  };
  return createToolSearch({ tools: rules }).open(session, allowed);
}

function offers({ requests }: ReturnType<typeof scriptedModel>): string[][] {
  return requests.map((request) => request.tools.map(({ name }) => name));
}

describe("tools that are loaded before a model has asked for any", () => {
  test.each([
    "Read report-q3.md and summarise it",
    "Compare total sales",
    "Write a haiku about the sea",
    "读取 notes.md 里的预算",
  ])("hold no tool that writes and no twin of a built-in tool: %s", (question) => {
    const chosen = choose(question);
    expect(chosen.filter((name) => /write|edit|create|add|delete|move/.test(name))).toEqual([]);
    expect(chosen.filter((name) => /read.*file/.test(name))).toEqual([]);
  });

  test.each([
    ["Create a directory called archive", "filesystem__create_directory"],
    ["新建一个文件夹 archive", "filesystem__create_directory"],
  ])("hold a tool that writes where the question asks for it: %s", (question, name) => {
    expect(choose(question)).toContain(name);
  });

  test("hold what a Chinese question reaches by words of a like meaning", () => {
    expect(choose("从望京到北京站怎么走？两段共多少公里？")).toContain("amap__maps_direction_driving");
  });

  test("hold nothing for a question that no tool fits", () => {
    expect(choose("Hello!")).toEqual([]);
  });
});

test.each([
  ["read_text_file", true],
  ["readFiles", true],
  ["search_files", true],
  ["echo", true],
  ["echo_lines", false],
  ["list_directory", false],
])("a tool of a server is a twin when its name has every word of a built-in tool's name: %s", (name, expected) => {
  expect(isTwin(ofServer(name), own)).toBe(expected);
});

test("a tool writes by its annotation, and by its name where it has none", () => {
  expect(isWriting(ofServer("list_files", { readOnly: false }))).toBe(true);
  expect(isWriting(ofServer("write_log_summary", { readOnly: true }))).toBe(false);
  expect(isWriting(ofServer("delete_entities"))).toBe(true);
  expect(isWriting(ofServer("maps_weather"))).toBe(false);
});

test.each([
  ["把结果保存到 notes.md", true],
  ["记住：u125 的负责人是李娜", true],
  ["Please remember the owner", true],
  ["哪个月卖得最好？", false],
  ["What is the address of the office?", false],
])("a question asks for writing by its verbs, in Chinese and English: %s", (question, expected) => {
  expect(isWritingWanted(question)).toBe(expected);
});

describe("built-in tools that few questions need", () => {
  test("are not offered, and a call by name still runs", async () => {
    const model = scriptedModel([[{ id: "1", name: "echo", input: {} }], "Done."]);
    const models = { functionCall: model, answer: model };
    const events = await runAll({ question: "Hello!", tools, models, finding: await openFinding() });
    expect(offers(model)[0]).toEqual(["calculator", "read_file", "file_search", "find_tools"]);
    expect(events).toContainEqual(expect.objectContaining({ type: "tool-end", tool: "echo", ok: true }));
  });

  test("are offered where the caller or the question names them", async () => {
    const model = scriptedModel(["Done.", "Done."]);
    const models = { functionCall: model, answer: model };
    await runAll({ question: "Use echo", tools, models, finding: await openFinding() });
    await runAll({ question: "Hello!", tools, models, finding: await openFinding(new Set(), ["echo", "context"]) });
    expect(offers(model)[0]).toContain("echo");
    expect(offers(model)[1]).toEqual(expect.arrayContaining(["echo", "context"]));
  });
});

test("the offer of each question begins with the offer of the one before, byte for byte, in a new process too", async () => {
  const store = createMemoryStore();
  const { id: conversationId } = await store.create();
  const find = { id: "1", name: "find_tools", input: { query: "knowledge graph" } };
  const before = scriptedModel([[find], "Done."]);
  const first = { tools, store, conversationId };
  await runAll({
    ...first,
    question: "今天杭州会下雨吗？",
    models: { functionCall: before, answer: before },
    finding: await openFinding(),
  });
  const stored = await store.load(conversationId);
  const after = scriptedModel(["Done."]);
  await runAll({
    ...first,
    question: "这个目录里有哪些文件？",
    models: { functionCall: after, answer: after },
    finding: await openFinding(new Set(stored?.loadedTools)),
  });
  const [earlier, later] = [before.requests.at(-1)?.tools, after.requests[0]?.tools].map((each) =>
    JSON.stringify(each),
  );
  expect(stored?.loadedTools).toContain("amap__maps_weather");
  expect(later?.startsWith(earlier?.slice(0, -1) ?? "?")).toBe(true);
});

test("two searches in a run that find nothing give their advice once", async () => {
  const search = (query: string) => [{ id: query, name: "find_tools", input: { query } }];
  const model = scriptedModel([search("qqzzq"), search("zzqqz"), "Done."]);
  await runAll({
    question: "Hello!",
    tools,
    models: { functionCall: model, answer: model },
    finding: await openFinding(),
  });
  const told =
    model.requests
      .at(-1)
      ?.messages.filter(({ role }) => role === "tool")
      .map(({ content }) => toPlainText(content, "en")) ?? [];
  expect(told.filter((text) => text.includes("No tool fits"))).toHaveLength(2);
  expect(told.filter((text) => text.includes("Search in other words"))).toHaveLength(1);
});
