import { describe, expect, test } from "vitest";
import type { ApprovalRequest } from "../../../src/core/tools/tool.ts";
import type { JsonObject, JsonSchema } from "../../../src/kit/json.ts";
import { createBuiltinTool } from "../../../src/tools/create-tool.ts";
import { createPermissionCheck, withPermission } from "../../../src/tools/permission-rules.ts";
import { withValidation } from "../../../src/tools/schema/with-validation.ts";
import { startCpuClock } from "../../fakes/cpu-time.ts";
import { testContext } from "../context.ts";

function validated(inputSchema: JsonSchema) {
  const calls: JsonObject[] = [];
  const tool = withValidation(
    createBuiltinTool({
      name: "probe",
      description: "",
      inputSchema,
      async run(args) {
        calls.push(args);
        return { ok: true, text: "ran" };
      },
    }),
  );
  return { tool, calls };
}

async function feedback(inputSchema: JsonSchema, args: JsonObject, locale: "zh" | "en" = "en"): Promise<string[]> {
  const result = await validated(inputSchema).tool.run(args, testContext({ locale }));
  expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments", message: result.text } });
  return result.text
    .split("\n")
    .filter((line) => line.startsWith("- ") || line.startsWith("…") || line.startsWith("..."));
}

const properties = (table: Record<string, unknown>, required: string[] = []) => ({
  type: "object",
  properties: table,
  required,
});

const fileSearch = properties({ query: { type: "string" }, limit: { type: "integer" } }, ["query"]);

describe("the feedback", () => {
  test("is the requirement's, to the letter, in Chinese", async () => {
    const result = await validated(fileSearch).tool.run({ limit: "20" }, testContext({ locale: "zh" }));
    expect(result.text).toBe(
      '工具调用参数格式错误：\n- query: 字段是必需的（缺失）\n- limit: 必须是整数（当前值: "20"）\n\n请修正参数后重试。',
    );
  });

  test("says the same in English", async () => {
    const result = await validated(fileSearch).tool.run({ limit: "20" }, testContext({ locale: "en" }));
    expect(result.text).toBe(
      'The tool call\'s arguments are not valid:\n- query: this field is required (missing)\n- limit: must be an integer (current value: "20")\n\nCorrect the arguments and try again.',
    );
  });

  test("is not given for valid arguments, which reach the tool untouched", async () => {
    const { tool, calls } = validated(properties({ a: { type: "integer", default: 5 }, b: { type: "string" } }));
    expect(await tool.run({ b: "x" }, testContext())).toEqual({ ok: true, text: "ran" });
    expect(calls).toEqual([{ b: "x" }]);
  });

  test("does not let the tool run", async () => {
    const { tool, calls } = validated(fileSearch);
    await tool.run({}, testContext());
    expect(calls).toEqual([]);
  });

  const cases: [string, unknown, unknown, string, string][] = [
    ["string", { type: "string" }, 5, "必须是字符串（当前值: 5）", "must be a string (current value: 5)"],
    ["number", { type: "number" }, "5", '必须是数字（当前值: "5"）', 'must be a number (current value: "5")'],
    [
      "boolean",
      { type: "boolean" },
      "yes",
      '必须是布尔值 (true/false)（当前值: "yes"）',
      'must be true or false (current value: "yes")',
    ],
    ["array", { type: "array" }, "a,b", '必须是数组（当前值: "a,b"）', 'must be an array (current value: "a,b")'],
    ["object", { type: "object" }, [], "必须是对象（当前值: []）", "must be an object (current value: [])"],
    [
      "union",
      { type: ["string", "null"] },
      1,
      "必须是字符串或 null（当前值: 1）",
      "must be a string or null (current value: 1)",
    ],
    [
      "enum",
      { enum: ["a", "b"] },
      "c",
      '必须是以下之一："a", "b"（当前值: "c"）',
      'must be one of: "a", "b" (current value: "c")',
    ],
    ["const", { const: 1 }, 2, "必须等于 1（当前值: 2）", "must be 1 (current value: 2)"],
    ["minimum", { minimum: 1 }, 0, "必须 >= 1（当前值: 0）", "must be >= 1 (current value: 0)"],
    ["maximum", { maximum: 9 }, 10, "必须 <= 9（当前值: 10）", "must be <= 9 (current value: 10)"],
    ["exclusive", { exclusiveMinimum: 0 }, 0, "必须 > 0（当前值: 0）", "must be > 0 (current value: 0)"],
    ["multiple", { multipleOf: 5 }, 7, "必须是 5 的倍数（当前值: 7）", "must be a multiple of 5 (current value: 7)"],
    [
      "short",
      { minLength: 2 },
      "a",
      '长度不能少于 2 个字符（当前值: "a"）',
      'must have at least 2 characters (current value: "a")',
    ],
    [
      "long",
      { maxLength: 2 },
      "abc",
      '长度不能超过 2 个字符（当前值: "abc"）',
      'must have at most 2 characters (current value: "abc")',
    ],
    ["few", { minItems: 1 }, [], "至少要有 1 项（当前值: []）", "must have at least 1 items (current value: [])"],
    [
      "many",
      { maxItems: 1 },
      [1, 2],
      "最多只能有 1 项（当前值: [1,2]）",
      "must have at most 1 items (current value: [1,2])",
    ],
    [
      "pattern",
      { pattern: "^a+$" },
      "b",
      '必须匹配模式 "^a+$"（当前值: "b"）',
      'must match the pattern "^a+$" (current value: "b")',
    ],
    [
      "format",
      { format: "date" },
      "1.2.",
      '必须是 date 格式（当前值: "1.2."）',
      'must be in the format date (current value: "1.2.")',
    ],
    [
      "anyOf",
      { anyOf: [{ type: "string" }, { type: "object", properties: { id: { type: "integer" } }, required: ["id"] }] },
      5,
      "必须是字符串或含字段 id 的对象（当前值: 5）",
      "must be a string or an object with id (current value: 5)",
    ],
    [
      "oneOf constants",
      { oneOf: [{ const: "on" }, { const: "off" }] },
      "x",
      '必须是以下之一："on", "off"（当前值: "x"）',
      'must be one of: "on", "off" (current value: "x")',
    ],
    [
      "oneOf twice",
      { oneOf: [{ type: "number" }, { type: "integer" }] },
      1,
      "同时符合多种形式，只能符合一种（当前值: 1）",
      "matches more than one schema, but must match exactly one (current value: 1)",
    ],
  ];
  test.each(cases)("%s", async (_, schema, value, zh, en) => {
    const args = { field: value } as JsonObject;
    expect(await feedback(properties({ field: schema }), args, "zh")).toEqual([`- field: ${zh}`]);
    expect(await feedback(properties({ field: schema }), args, "en")).toEqual([`- field: ${en}`]);
  });

  test("names the place inside lists and objects", async () => {
    const labels = { type: "array", items: { type: "string" } };
    const schema = properties({ filters: properties({ labels }, ["name"]) });
    expect(await feedback(schema, { filters: { labels: ["a", "b", 3] } })).toEqual([
      "- filters.name: this field is required (missing)",
      "- filters.labels[2]: must be a string (current value: 3)",
    ]);
  });

  test("names a field that is not allowed, and those that are", async () => {
    const schema = { ...fileSearch, additionalProperties: false };
    expect(await feedback(schema, { query: "x", limits: 1 })).toEqual([
      "- limits: this field is not allowed (allowed: query, limit)",
    ]);
  });

  test("sums up a choice in one line although its branches are behind references", async () => {
    const schema = {
      ...properties({ name: { type: "string" }, to: { anyOf: [{ $ref: "#/$defs/id" }, { $ref: "#/$defs/person" }] } }, [
        "name",
      ]),
      $defs: { id: { type: "integer" }, person: properties({ mail: { type: "string" } }, ["mail"]) },
    };
    const lines = await feedback(schema, { to: { mail: 5 } });
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe("- name: this field is required (missing)");
    expect(lines[1]).toMatch(/^- to: must be .*\(current value: \{"mail":5\}\)$/);
  });

  test("111: stops after ten lines and says how many more there are", async () => {
    const schema = properties({ list: { type: "array", items: { type: "string" } } });
    const lines = await feedback(schema, { list: Array.from({ length: 100_000 }, () => 1) }, "zh");
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe("…还有 99990 处");
  });

  test("shows values short and printable", async () => {
    const [line = ""] = await feedback(properties({ field: { type: "integer" } }), {
      field: `\u001b[2J\u202e${"x".repeat(5000)}`,
    });
    expect(line.length).toBeLessThan(140);
    expect(line).not.toMatch(/[\u001b\u202e]/);
  });
});

describe("a hostile schema", () => {
  test("108: cannot freeze the process with a regular expression", async () => {
    const cpuTime = startCpuClock();
    const lines = await feedback(properties({ field: { type: "string", pattern: "^(a|a)*$" } }), {
      field: `${"a".repeat(2000)}!`,
    });
    expect(lines).toHaveLength(1);
    expect(cpuTime()).toBeLessThan(10_000);
  });

  test("with a pattern that RE2 cannot express leaves that pattern to the tool", async () => {
    const { tool } = validated(properties({ mail: { type: "string", pattern: "^(?!\\.).+@.+$" } }));
    expect(await tool.run({ mail: "a@b" }, testContext())).toMatchObject({ ok: true });
  });

  const deep = (levels: number): JsonSchema =>
    levels === 0 ? {} : { type: "object", properties: { x: deep(levels - 1) } };
  const doubling = Object.fromEntries(
    Array.from({ length: 25 }, (_, n) => [
      `d${n}`,
      { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  );
  test.each<[string, JsonSchema, RegExp]>([
    ["too deep", deep(5000), /nested deeper/],
    ["too long", { type: "object", description: "x".repeat(300_000) }, /characters/],
    ["exponential references", { $ref: "#/$defs/d0", $defs: { ...doubling, d25: {} } }, /references/],
  ])("109: %s: every call is refused with the reason", async (_, schema, reason) => {
    const { tool, calls } = validated(schema);
    const result = await tool.run({}, testContext());
    expect(result).toMatchObject({ ok: false, error: { code: "tool" } });
    expect(result.text).toMatch(reason);
    expect(calls).toEqual([]);
  });

  test("110: with another tool's $id is checked on its own", async () => {
    const a = validated({ $id: "https://x/same", ...properties({ a: { type: "string" } }, ["a"]) });
    const b = validated({ $id: "https://x/same", ...properties({ b: { type: "string" } }, ["b"]) });
    expect(await a.tool.run({ a: "x" }, testContext())).toMatchObject({ ok: true });
    expect(await b.tool.run({ b: "x" }, testContext())).toMatchObject({ ok: true });
  });

  test("112: does not find inherited properties in the arguments", async () => {
    expect(await feedback(properties({}, ["constructor", "__proto__"]), {})).toHaveLength(2);
  });
});

describe("what of a schema cannot be checked is left to the tool", () => {
  const size = { type: "integer", maximum: 9 };
  test.each<[string, JsonSchema]>([
    ["a reference to a remote address", { $ref: "http://127.0.0.1:9/schema.json", ...properties({ size }) }],
    ["a field that refers to nowhere", properties({ size, other: { $ref: "#/$defs/none" } })],
    ["a field that is no schema", properties({ size, other: { type: "strnig" } })],
    ["draft-04", properties({ size, other: { type: "number", minimum: 0, exclusiveMinimum: true } })],
    ["a keyword of the root that is none", { ...properties({ size }), minProperties: "two" }],
    [
      "a reference to nowhere behind another",
      { ...properties({ size, other: { $ref: "#/$defs/a" } }), $defs: { a: { items: { $ref: "#/$defs/none" } } } },
    ],
  ])("%s: the rest is checked", async (_, schema) => {
    const { tool, calls } = validated(schema);
    expect(await tool.run({ size: 3, other: ["x"] }, testContext())).toEqual({ ok: true, text: "ran" });
    expect(calls).toEqual([{ size: 3, other: ["x"] }]);
    expect(await tool.run({ size: 10 }, testContext())).toMatchObject({ error: { code: "invalid_arguments" } });
  });
});

describe("a required field with a default that is missing", () => {
  const scale = { type: "string", enum: ["css", "device"], default: "css" };

  test("is filled in before the check, also in nested objects and lists, and through references", async () => {
    const shot = properties({ scale, name: { type: "string" } }, ["scale"]);
    const { tool, calls } = validated({
      ...properties({ scale, one: { $ref: "#/$defs/shot" }, all: { type: "array", items: shot } }, ["scale"]),
      allOf: [properties({ kind: { const: "png", default: "png" } }, ["kind"])],
      $defs: { shot },
    });
    const args: JsonObject = { one: { name: "a" }, all: [{ name: "b" }, { scale: "device" }] };
    expect(await tool.run(args, testContext())).toEqual({ ok: true, text: "ran" });
    expect(calls).toEqual([
      {
        ...{ scale: "css", kind: "png" },
        one: { name: "a", scale: "css" },
        all: [{ name: "b", scale: "css" }, { scale: "device" }],
      },
    ]);
    expect(args).toEqual({ one: { name: "a" }, all: [{ name: "b" }, { scale: "device" }] });
  });

  test("is not filled in where the defaults of a schema have no end", async () => {
    const again = { $ref: "#", default: {} };
    const { tool, calls } = validated(properties({ left: again, right: again }, ["left", "right"]));
    expect(await tool.check?.({})).toMatchObject([{ path: "left" }, { path: "right" }]);
    expect(calls).toEqual([]);
  });

  test("is judged by rules and shown to the person who is asked", async () => {
    const { tool, calls } = validated(properties({ force: { type: "boolean", default: true } }, ["force"]));
    const asked: unknown[] = [];
    const approve = async (request: ApprovalRequest) => {
      asked.push(request.arguments);
      return "once" as const;
    };
    const denied = withPermission(tool, createPermissionCheck({ deny: ["probe(force=true)"] }));
    expect(await denied.run({}, { ...testContext(), approve })).toMatchObject({ ok: false, error: { code: "denied" } });
    const questioned = withPermission(tool, createPermissionCheck({ ask: ["probe(force=true)"] }));
    expect(await questioned.run({}, { ...testContext(), approve })).toMatchObject({ ok: true });
    expect([asked, calls]).toEqual([[{ force: true }], [{ force: true }]]);
  });
});

describe("schemas as servers write them", () => {
  test("a recursive schema is fine", async () => {
    const { tool } = validated({ type: "object", properties: { left: { $ref: "#" }, value: { type: "integer" } } });
    expect(await tool.run({ left: { left: { value: 1 } } }, testContext())).toMatchObject({ ok: true });
    expect(await tool.run({ left: { left: { value: "1" } } }, testContext())).toMatchObject({ ok: false });
  });

  test("draft-07 with its tuples is understood", async () => {
    const pair = { type: "array", items: [{ type: "string" }, { type: "integer" }] };
    const { tool } = validated({ $schema: "http://json-schema.org/draft-07/schema#", ...properties({ pair }) });
    expect(await tool.run({ pair: ["a", 1] }, testContext())).toMatchObject({ ok: true });
    expect((await tool.run({ pair: [1, 1] }, testContext())).text).toContain("pair[0]: must be a string");
  });

  test("2020-12 with its own $schema, unknown formats and unknown keywords is understood", async () => {
    const { tool } = validated({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      "x-order": 1,
      ...properties({
        a: { type: "string", format: "hologram", nullable: true },
        b: { prefixItems: [{ type: "string" }] },
      }),
    });
    expect(await tool.run({ a: "x", b: ["y"] }, testContext())).toMatchObject({ ok: true });
  });
});
