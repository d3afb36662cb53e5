import { expect, test } from "vitest";
import * as z from "zod";
import { mostKeys } from "../../../src/kit/json.ts";
import { cancelInput } from "../../../src/runs/ask-schema.ts";
import { readFields } from "../../../src/server/api/read-fields.ts";
import type { HttpRefusal } from "../../../src/server/http/response/dialects.ts";
import { HttpRefusalError } from "../../../src/server/http/response/refusal.ts";
import { parseInput, readInput } from "../../../src/server/mcp/read-input.ts";
import { readInputQuery } from "../../../src/server/responses/read-query.ts";

test("an argument that agent_cancel does not know is told with its name and the names that are allowed", () => {
  const given = { message: "hi", run_id: "r-1", "a\nb": 1 };
  expect(readInput(cancelInput, given, "en")).toBe(
    `The tool call's arguments are not valid:
- message: this field is not allowed (allowed: run_id)
- ["a b"]: this field is not allowed (allowed: run_id)

Correct the arguments and try again.`,
  );
  expect(readInput(cancelInput, given, "zh")).toContain("\n- message: 不是允许的字段（允许：run_id）\n");
});

test("a value that may be null is refused with what is allowed beside null", () => {
  const told = (schema: z.ZodType, value: unknown) => {
    const read = parseInput(z.object({ it: schema }), { it: value });
    return "problems" in read ? read.problems[0]?.text.en : undefined;
  };
  expect(told(z.boolean().nullish(), "yes")).toBe('"yes" is not allowed (allowed: true or false)');
  expect(told(z.string().nullish(), 5)).toBe("5 is not allowed (allowed: a string)");
  expect(told(z.null(), 5)).toBe("5 is not allowed (allowed: null)");
  expect(() => readInputQuery(new Request("http://duet.test/?limit=101"))).toThrow("an integer from 1 to 100");
});

test("many and long keys are refused in a text of less than 4 kB that names the first ones, or the limit", () => {
  const keysOf = (count: number, length: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, key) => [`k${key}${"键".repeat(length)}`, "v".repeat(length)]),
    );
  for (const locale of ["zh", "en"] as const) {
    const long = readInput(cancelInput, { run_id: "r-1", ...keysOf(80, 50_000) }, locale);
    expect(long).toContain("k0键");
    expect(Buffer.byteLength(String(long))).toBeLessThan(4096);
    const many = readInput(cancelInput, { run_id: "r-1", ...keysOf(mostKeys, 1) }, locale);
    expect(many).toContain(String(mostKeys));
    expect(many).not.toContain("k1");
  }
  const known = Array.from({ length: 20 }, (_, key) => [`${key}${"键".repeat(70)}`, z.string().optional()] as const);
  const wide = z.strictObject(Object.fromEntries(known));
  const fields = thrownBy(() => readFields(wide, keysOf(80, 50_000)));
  expect(fields.text.en).toContain("k0键");
  expect(fields.text.en).toContain("... and 75 more");
  for (const text of [fields.text.zh, fields.text.en]) expect(Buffer.byteLength(text)).toBeLessThan(4096);
});

function thrownBy(work: () => unknown): HttpRefusal {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof HttpRefusalError) return thrown.refusal;
  }
  throw new Error("nothing was refused");
}

test("an unknown field inside another one is told with its place", () => {
  const schema = z.strictObject({ list: z.array(z.strictObject({ a: z.date().optional(), b: z.int().optional() })) });
  expect(parseInput(schema, { list: [{}, { c: 1 }] })).toEqual({
    problems: [
      {
        path: "list[1].c",
        text: { zh: "不是允许的字段（允许：a, b）", en: "this field is not allowed (allowed: a, b)" },
      },
    ],
  });
});

const refused: [field: z.ZodType, value: unknown, zh: string, en: string][] = [
  [
    z.string().min(1).max(9),
    5,
    "不能是 5（允许：1 到 9 个字符的文本）",
    "5 is not allowed (allowed: a string of 1 to 9 characters)",
  ],
  [z.string(), undefined, "缺少（需要：文本）", "is missing (a string)"],
  [
    z.int().min(1).max(10),
    2.5,
    "不能是 2.5（允许：1 到 10 的整数）",
    "2.5 is not allowed (allowed: an integer from 1 to 10)",
  ],
  [z.int().min(1).max(1).nullish(), 2, "不能是 2（允许：1）", "2 is not allowed (allowed: 1)"],
  [
    z.number().gt(0).max(1),
    0,
    "不能是 0（允许：数字，0 < a <= 1）",
    "0 is not allowed (allowed: a number, 0 < a <= 1)",
  ],
  [z.enum(["x", "y"]), "z", '不能是 "z"（允许：x, y）', '"z" is not allowed (allowed: x, y)'],
  [
    z.union([z.enum(["x", "y"]), z.strictObject({ b: z.string() })]),
    [1],
    "不能是 […]（允许：x, y，或 对象）",
    "[…] is not allowed (allowed: x, y, or an object)",
  ],
];

test.each(refused)(
  "what does not fit is told with its value and what is allowed, in both languages: %#",
  (a, value, zh, en) => {
    expect(parseInput(z.strictObject({ a }), { a: value })).toEqual({ problems: [{ path: "a", text: { zh, en } }] });
  },
);

test("a long value is shortened, and a secret is not shown", () => {
  const read = parseInput(z.strictObject({ api_key: z.int(), text: z.int() }), {
    api_key: "short",
    text: `sk-abcdefgh12345678 ${"x".repeat(500)}`,
  });
  const lines = "problems" in read ? read.problems.map(({ text }) => text.en) : [];
  expect(lines[0]).toBe('"…" is not allowed (allowed: an integer)');
  expect(lines[1]).toMatch(/^"sk-…5678 x{10,80}…" is not allowed \(allowed: an integer\)$/);
});
