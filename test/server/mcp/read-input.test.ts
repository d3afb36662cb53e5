import { expect, test } from "vitest";
import * as z from "zod";
import { cancelInput } from "../../../src/runs/ask-schema.ts";
import { parseInput, readInput } from "../../../src/server/mcp/read-input.ts";

test("an argument that agent_cancel does not know is told with its name and the names that are allowed", () => {
  const given = { message: "hi", run_id: "r-1", "a\nb": 1 };
  expect(readInput(cancelInput, given, "en")).toBe(
    `The tool call's arguments are not valid:
- message: this field is not allowed (allowed: run_id)
- a b: this field is not allowed (allowed: run_id)

Correct the arguments and try again.`,
  );
  expect(readInput(cancelInput, given, "zh")).toContain("\n- message: 不是允许的字段（允许：run_id）\n");
});

test("an unknown field inside another one is told with its place", () => {
  const schema = z.strictObject({ list: z.array(z.strictObject({ a: z.date().optional(), b: z.int().optional() })) });
  expect(parseInput(schema, { list: [{}, { c: 1 }] }, "en")).toEqual({
    problems: [
      {
        path: "list.1.c",
        text: { zh: "不是允许的字段（允许：a, b）", en: "this field is not allowed (allowed: a, b)" },
      },
    ],
  });
});
