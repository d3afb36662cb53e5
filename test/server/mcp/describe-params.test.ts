import { expect, test } from "vitest";
import * as z from "zod";
import { describeParams } from "../../../src/server/mcp/describe-params.ts";

/** The message of the error with which a schema refuses a request. */
function refuse(params: z.ZodType, request: object): string {
  return String(z.object({ params }).safeParse(request).error);
}

test("a message that is not a list of issues, and issues that are not about the params, are left as they are", () => {
  const ofServer = String(z.object({ city: z.string() }).safeParse({}).error);
  for (const message of ["Tool nope not found", "[]", "[5]", "[{}]", '["params"]', ofServer])
    expect(describeParams(message, {})).toBeUndefined();
});

test("a value that may have several forms is told with all that it may be", () => {
  const request = { params: { token: {} } };
  const message = refuse(z.object({ token: z.union([z.string(), z.int()]) }), request);
  expect(describeParams(message, request)?.en).toBe("token: {} is not allowed (allowed: a string, or a number)");
});

test("params that are missing, and a long or dangerous value, stand on one line", () => {
  const schema = z.object({ name: z.number() });
  expect(describeParams(refuse(schema, {}), {})?.en).toBe("params is missing (allowed: an object)");
  const request = { params: { name: `a\u001b[2J\n${"x".repeat(1000)}` } };
  const text = describeParams(refuse(schema, request), request);
  expect(text?.en).toMatch(/^name: "a\S+ is not allowed \(allowed: a number\)$/);
  expect(text?.zh).toMatch(/^name: "a\S+ 不可用（允许：数字）$/);
  expect(text?.en).not.toContain("\u001b");
  expect(text?.en.length).toBeLessThan(150);
});

test.each([
  [z.string().min(2).max(5), "x", 'value: "x" is not allowed (allowed: a string of at least 2 characters)'],
  [z.string().max(5), "too long", 'value: "too long" is not allowed (allowed: a string of at most 5 characters)'],
  [z.array(z.string()).max(1), ["a", "b"], 'value: ["a","b"] is not allowed (allowed: a list of at most 1 entries)'],
  [z.number().min(0), -1, "value: -1 is not allowed (allowed: a number, 0 <= value)"],
  [z.number().lt(5), 5, "value: 5 is not allowed (allowed: a number, value < 5)"],
  [
    z.union([z.number().max(5), z.number().max(7)]),
    9,
    "value: 9 is not allowed (allowed: a number, value <= 5, or a number, value <= 7)",
  ],
  [
    z.strictObject({ a: z.string() }),
    { a: "a", "b\n": 5 },
    "value.b: 5 is not allowed (allowed: no field of this name)",
  ],
])("the limits of a value are told, %#", (schema, value, line) => {
  const request = { params: { value } };
  expect(describeParams(refuse(z.object({ value: schema }), request), request)?.en).toBe(line);
});

test("each of several unknown fields is told by its value, and not the whole params", () => {
  const request = { params: { a: 1, b: "two", known: "x".repeat(500) } };
  const message = refuse(z.strictObject({ known: z.string() }), request);
  expect(describeParams(message, request)).toEqual({
    en: 'a: 1 is not allowed (allowed: no field of this name); b: "two" is not allowed (allowed: no field of this name)',
    zh: 'a: 1 不可用（允许：没有这个字段）；b: "two" 不可用（允许：没有这个字段）',
  });
});

test("of many wrong fields the first five are told, and how many more there are", () => {
  const names = Array.from({ length: 9 }, (_, index) => `field${index}`);
  const schema = z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
  const request = { params: {} };
  const text = describeParams(refuse(schema, request), request);
  expect(text?.en.split("; ")).toEqual([
    ...names.slice(0, 5).map((name) => `${name} is missing (allowed: a string)`),
    "and 4 more",
  ]);
  expect(text?.zh).toMatch(/；还有 4 处$/);
});
