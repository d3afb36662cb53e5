import { describe, expect, test } from "vitest";
import { createFindTools } from "../../../src/agent/tools/find-tools.ts";
import { choosePreloaded } from "../../../src/agent/tools/preload.ts";
import type { Tool } from "../../../src/core/tools/tool.ts";
import { createBuiltinTools } from "../../../src/tools/builtin/builtin-tools.ts";
import { createToolIndex } from "../../../src/tools/find/tool-index.ts";
import { makeTool } from "../../fakes/events.ts";
import { realTools } from "../../fakes/real-tools.ts";
import { testContext } from "../../tools/context.ts";

/** The tools of the two reference servers that most people have, under the names of a usual configuration. */
const served = realTools().flatMap((tool): Tool[] => {
  if (tool.source === "memory") return [tool];
  return tool.source === "filesystem" ? [{ ...tool, source: "fs", name: tool.name.replace("filesystem", "fs") }] : [];
});
const own = createBuiltinTools({ roots: ["."], locale: "en", search: undefined });
const healthCheck: Tool = {
  ...makeTool("health_check", () => ({ ok: true, text: "" })),
  description:
    "Checks whether URLs answer and TCP ports are open: status, response time and days until certificates expire.",
  inputSchema: { type: "object", properties: { targets: { type: "array" }, timeout_s: { type: "number" } } },
};
const hidden = [...served, ...own.filter(({ name }) => name === "context"), healthCheck];
const index = createToolIndex(hidden);

function preload(question: string): string[] {
  return choosePreloaded({ questions: [question], own, index: () => index }).map(({ name }) => name);
}

const deletes = ["memory__delete_entities", "memory__delete_observations", "memory__delete_relations"];

describe("a question beside the file server and the memory server", () => {
  test.each<[question: string, ...tools: string[]]>([
    ["Create a folder named archive in it.", "fs__create_directory"],
    ["在这里新建一个名为 archive 的文件夹", "fs__create_directory"],
    ["What went wrong in app.log, when, and why? Use notes.md, and write both into incident.md.", "fs__write_file"],
    ["把结果写入 report.md", "fs__write_file"],
    ["总结 app.log 的错误并保存到 errors.md", "fs__write_file"],
    ["Rename notes.md to memo.md", "fs__move_file"],
    ["把 notes.md 改名为 memo.md", "fs__move_file"],
    ["Move all logs into archive/", "fs__move_file"],
    ["Fix the typo in README.md", "fs__edit_file"],
    ["Delete everything about u125 from your memory.", ...deletes, "memory__search_nodes"],
    ["删除你记忆里关于 u125 的所有内容", ...deletes, "memory__search_nodes"],
    ["How large are the files in this folder?", "fs__list_directory_with_sizes"],
    ["这个文件夹里的文件有多大？", "fs__list_directory_with_sizes"],
    ["List the files here", "fs__list_directory"],
  ])("is offered the tools that it asks for: %s", (question, ...tools) => {
    expect(preload(question)).toEqual(expect.arrayContaining(tools));
  });

  test.each([
    ["Create a folder named archive in it.", /list|nodes|entities|relations/],
    ["Use notes.md, and write both into incident.md.", /health_check|nodes|move/],
    ["notes.md 最后一次修改是什么时候？", /edit|write/],
    ["When was notes.md last changed?", /edit|write/],
  ])("is not offered what it did not ask for: %s", (question, unfit) => {
    expect(preload(question).filter((name) => unfit.test(name))).toEqual([]);
  });

  test.each([
    "What is new in Node.js 26?",
    "How many errors are in app.log, what time is it in Tokyo, what is 15% of 2480, who is on call, and show monthly.csv as a table?",
    "Which error is the most frequent one in app.log, and since when does it occur?",
    "app.log 里出现最多的错误是什么，从什么时候开始？",
    "Compare total sales of 2025 and 2026 by region",
    "哪个产品 2026 年卖得最好？",
    "What is the current weather in Berlin?",
    "今天天气怎么样？",
    "Write a haiku about the sea",
    "Write an email to Tom about the delay",
    "Summarise report-q3.md",
    "Thank you, that is all.",
    "翻译：good morning",
  ])("is offered nothing where no tool of theirs fits: %s", (question) => {
    expect(preload(question)).toEqual([]);
  });
});

describe("a search for tools", () => {
  async function search(query: string, language: "zh" | "en" = "en"): Promise<{ text: string; loaded: string[] }> {
    const loaded: string[] = [];
    const load = ({ name }: Tool) => loaded.push(name) > 0;
    const finder = createFindTools({ name: "find_tools", language, hidden, index: () => index, load, addUnfound() {} });
    const { text } = await finder.run({ query }, testContext({ locale: language }));
    return { text, loaded };
  }

  test.each([
    ["create folder", ["fs__create_directory"]],
    ["新建文件夹", ["fs__create_directory"]],
    ["write file", ["fs__write_file"]],
    ["写入文件", ["fs__write_file"]],
    ["rename file", ["fs__move_file"]],
    ["search memory", ["memory__search_nodes"]],
    ["fs__get_file_info", ["fs__get_file_info"]],
    ["check website", ["health_check"]],
  ])("loads only what comes close to the best: %s", async (query, tools) => {
    expect((await search(query)).loaded).toEqual(tools);
  });

  test.each([
    "current weather",
    "今天天气",
    "run shell command",
    "git commit",
    "image generation",
    "send email",
    "汇率",
  ])("loads nothing where a weak word is all that matches: %s", async (query) => {
    expect((await search(query)).loaded).toEqual([]);
  });

  test("finds the tools of a server by its name", async () => {
    expect((await search("memory")).loaded).toHaveLength(5);
  });

  test("that finds nothing invites no other one, where the names of all tools are known or in Chinese", async () => {
    expect((await search("weather")).text).toBe(
      'No tool fits "weather". Use the tools there are, or say that there is no such tool.',
    );
    expect((await search("天气", "zh")).text).toBe(
      "没有找到与“天气”相符的工具。请用已有的工具，或说明没有这样的工具。",
    );
  });

  test("names the hidden tools where they are few, and counts them by server where they are many", () => {
    const describeWith = (tools: readonly Tool[]) =>
      createFindTools({
        name: "f",
        language: "en",
        hidden: tools,
        index: () => index,
        load: () => true,
        addUnfound() {},
      }).description;
    expect(describeWith(hidden)).toContain("fs: read_file, read_text_file,");
    expect(describeWith(hidden)).toContain("; memory: create_entities,");
    expect(describeWith(hidden).length).toBeLessThan(850);
    expect(describeWith(realTools())).toContain("Tools by server: amap (12),");
  });
});
