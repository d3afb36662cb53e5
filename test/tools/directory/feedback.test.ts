import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/kit/json.ts";
import { loadFiles } from "./loading.ts";

const files = {
  "json.mjs": `export default {
    name: "json_schema",
    description: "d",
    inputSchema: {
      type: "object",
      properties: { query: { type: "string" }, limit: { type: "integer" }, order: { enum: ["new", "old"] } },
      required: ["query"],
      additionalProperties: false,
    },
    run: () => "ran",
  };`,
  "zod.ts": `import { defineTool } from "duet-mcp";
    import { z } from "zod";
    export default defineTool({
      name: "zod",
      description: "d",
      inputSchema: z.strictObject({
        query: z.string(),
        limit: z.int().optional(),
        order: z.enum(["new", "old"]).optional(),
      }),
      run: () => "ran",
    });`,
};

const zh = (...lines: string[]): string => `工具调用参数格式错误：\n${lines.join("\n")}\n\n请修正参数后重试。`;
const en = (...lines: string[]): string =>
  `The tool call's arguments are not valid:\n${lines.join("\n")}\n\nCorrect the arguments and try again.`;

const cases: { args: JsonObject; zh: string; en: string }[] = [
  {
    args: { limit: 1 },
    zh: zh("- query: 字段是必需的（缺失）"),
    en: en("- query: this field is required (missing)"),
  },
  {
    args: { query: "a", limit: "20" },
    zh: zh('- limit: 必须是整数（当前值: "20"）'),
    en: en('- limit: must be an integer (current value: "20")'),
  },
  {
    args: { query: "a", order: "newest" },
    zh: zh('- order: 必须是以下之一："new", "old"（当前值: "newest"）'),
    en: en('- order: must be one of: "new", "old" (current value: "newest")'),
  },
  {
    args: { query: "a", limits: 1 },
    zh: zh("- limits: 不是允许的字段（允许：query, limit, order）"),
    en: en("- limits: this field is not allowed (allowed: query, limit, order)"),
  },
  {
    args: { limit: "20" },
    zh: zh("- query: 字段是必需的（缺失）", '- limit: 必须是整数（当前值: "20"）'),
    en: en("- query: this field is required (missing)", '- limit: must be an integer (current value: "20")'),
  },
];

test.each(["json_schema", "zod"])(
  "a tool by %s explains a missing field, a wrong type, a wrong choice and an extra field in both languages",
  async (tool) => {
    const calls = cases.flatMap(({ args }) => [
      { tool, args, locale: "zh" as const },
      { tool, args, locale: "en" as const },
    ]);
    const { results, dropped } = await loadFiles(files, {
      calls: [...calls, { tool, args: { query: "a", order: "old" } }],
    });
    expect(dropped).toEqual([]);
    expect(results.map((result) => ("text" in result ? result.text : result.thrown))).toEqual([
      ...cases.flatMap((each) => [each.zh, each.en]),
      "ran",
    ]);
    for (const result of results.slice(0, -1))
      expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
  },
);

test("a rule that only Zod can say comes back in the same form", async () => {
  const module = `import { z } from "zod";
    const inputSchema = z.object({ from: z.number(), to: z.number() }).refine(({ from, to }) => from <= to, { path: ["to"], message: "before from" });
    export default { name: "range", description: "d", inputSchema, run: () => "ran" };`;
  const { results } = await loadFiles(
    { "range.mjs": module },
    { calls: [{ tool: "range", args: { from: 2, to: 1 } }] },
  );
  expect(results).toMatchObject([{ ok: false, text: en("- to: before from") }]);
});
