import { expect, test } from "vitest";
import { builtinTools, createBuiltinTools } from "../../../src/tools/builtin/builtin-tools.ts";
import { collectTools } from "../../../src/tools/collect-tools.ts";
import { searchOptionsAt } from "../../fakes/search.ts";
import { testContext } from "../context.ts";
import { temporaryFiles } from "./files.ts";

const search = searchOptionsAt("http://127.0.0.1:9");

test("the built-in tools come in the order of their table, without those that need more configuration", () => {
  const tools = createBuiltinTools({ roots: ["."], locale: "zh", search });
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(Object.keys(builtinTools).filter((name) => names.includes(name)));
  const always = [
    "echo",
    "calculator",
    "file_search",
    "read_file",
    "table_query",
    "log_transform",
    "current_time",
    "format_data",
    "context",
  ];
  expect(names).toEqual(expect.arrayContaining([...always, "web_search"]));
  for (const name of ["send_email", "read_page", "health_check", "http_request"]) expect(names).not.toContain(name);
  expect(collectTools([tools]).dropped).toEqual([]);
  for (const tool of tools) expect(tool).toMatchObject({ source: "builtin", annotations: { readOnly: true } });
});

test("without search there is no web_search", () => {
  const tools = createBuiltinTools({ roots: ["."], locale: "zh", search: undefined });
  expect(tools.map(({ name }) => name)).not.toContain("web_search");
});

test("descriptions are Chinese or English", () => {
  const words = (locale: "zh" | "en") =>
    createBuiltinTools({ roots: ["."], locale, search }).map(
      ({ description, inputSchema }) => description + JSON.stringify(inputSchema),
    );
  for (const text of words("en")) expect(text).not.toMatch(/\p{Script=Han}/u);
  for (const text of words("zh")) expect(text).toMatch(/\p{Script=Han}/u);
});

test("echo gives a text back exactly", async () => {
  const [echo] = createBuiltinTools({ roots: [], locale: "zh", search: undefined });
  const text = "  hello\u0000\n你好 😀 ";
  expect(await echo?.run({ text }, testContext())).toEqual({ ok: true, text });
});

test("every built-in checks its arguments before it runs", async () => {
  await using files = await temporaryFiles({ "a.txt": "x" });
  for (const tool of createBuiltinTools({ roots: [files.path], locale: "zh", search })) {
    const result = await tool.run({ nonsense: 1 }, testContext({ locale: "zh" }));
    expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
    expect(result.text).toMatch(/^工具调用参数格式错误：\n/);
    expect(result.text).toMatch(/^- nonsense: 不是允许的字段/m);
    expect(result.text).toMatch(/\n\n请修正参数后重试。$/);
  }
});

test("the requirement's example: file_search explains both faults at once", async () => {
  const tool = createBuiltinTools({ roots: [], locale: "zh", search: undefined }).find(
    ({ name }) => name === "file_search",
  );
  const result = await tool?.run({ limit: "20" }, testContext({ locale: "zh" }));
  expect(result?.text).toBe(
    '工具调用参数格式错误：\n- query: 字段是必需的（缺失）\n- limit: 必须是整数（当前值: "20"）\n\n请修正参数后重试。',
  );
});
