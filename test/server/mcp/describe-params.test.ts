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

test("of many wrong fields the first five are told", () => {
  const names = Array.from({ length: 9 }, (_, index) => `field${index}`);
  const schema = z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
  const request = { params: {} };
  expect(describeParams(refuse(schema, request), request)?.en.split("; ")).toHaveLength(5);
});
