import { type } from "arktype";
import { expect, test } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import type { StandardSchema } from "../../../src/tools/schema/standard-schema.ts";
import { readToolSchema } from "../../../src/tools/schema/tool-schema.ts";

/** As Zod 4.0 and 4.1, whose schemas cannot say what they are. */
function withoutJsonSchema(schema: z.ZodObject): StandardSchema {
  const { jsonSchema: _, ...standard } = schema["~standard"];
  return Object.defineProperty(schema, "~standard", { value: standard });
}

test.each([
  [
    "ArkType, whose schemas are functions",
    type({ n: "number > 2", "note?": "string" }),
    "n must be more than 2 (was 1)",
  ],
  ["Zod", z.object({ n: z.number().gt(2), note: z.string().optional() }), "Too small: expected number to be >2"],
  [
    "Zod Mini",
    mini.object({ n: mini.number().check(mini.gt(2, "more!")), note: mini.optional(mini.string()) }),
    "more!",
  ],
  [
    "an early Zod 4",
    withoutJsonSchema(z.object({ n: z.number().gt(2), note: z.string().optional() })),
    "Too small: expected number to be >2",
  ],
])("a schema of %s describes the arguments and checks them", async (_, given, message) => {
  const { schema, parse } = await readToolSchema(given, "half");
  expect(schema).toMatchObject({
    type: "object",
    properties: { n: { type: "number", exclusiveMinimum: 2 }, note: { type: "string" } },
    required: ["n"],
  });
  expect(await parse({ n: 3 })).toEqual({ args: { n: 3 } });
  expect(await parse({ n: 1 })).toEqual({ problems: [{ path: "n", text: { zh: message, en: message } }] });
});

test("a transform and a default of the schema are applied, and a path into lists is written as in code", async () => {
  const inputSchema = z.object({
    list: z.array(z.object({ n: z.number().positive() })),
    at: z.iso.date().default("2026-01-01"),
  });
  const { parse } = await readToolSchema(
    inputSchema.transform(({ list, at }) => [list.length, at]),
    "count",
  );
  expect(await parse({ list: [{ n: 1 }] })).toEqual({ args: [1, "2026-01-01"] });
  expect(await parse({ list: [{ n: 1 }, { n: 0 }] })).toMatchObject({ problems: [{ path: "list[1].n" }] });
});

const allowed = "JSON Schema, Zod 4 object, Standard Schema with JSON Schema";
const withoutDescription: StandardSchema = {
  "~standard": { version: 1, vendor: "valibot", validate: (value) => ({ value }) },
};

test.each([
  [
    "a Standard Schema that cannot say what it is",
    withoutDescription,
    `inputSchema: valibot is not allowed (allowed: ${allowed})`,
  ],
  ["a schema of a text", z.string(), "inputSchema.type: string is not allowed (allowed: object)"],
  ["a schema of a list", type("number[]"), "inputSchema.type: array is not allowed (allowed: object)"],
  ["a function that is no schema", () => ({}), `inputSchema: () => ({}) is not allowed (allowed: ${allowed})`],
  ["a text", "{}", `inputSchema: {} is not allowed (allowed: ${allowed})`],
  ["Zod 3", { _def: {} }, `inputSchema: Zod 3 is not allowed (allowed: ${allowed})`],
])("%s is refused", async (_, given, line) => {
  await expect(readToolSchema(given, "half")).rejects.toMatchObject({ code: "config", message: `half: ${line}` });
});
