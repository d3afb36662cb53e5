import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ToolDialect } from "../../../src/core/model/model-settings.ts";
import { isRecord, type JsonSchema } from "../../../src/kit/json.ts";
import { toToolSchema } from "../../../src/providers/schema/tool-schema.ts";

const dialects: ToolDialect[] = ["standard", "inlined", "openapi"];

/** What one field of the arguments becomes. */
function field(schema: unknown, dialect: ToolDialect, more: JsonSchema = {}): unknown {
  const adapted = toToolSchema({ type: "object", properties: { x: schema }, ...more }, dialect);
  return isRecord(adapted.properties) ? adapted.properties.x : undefined;
}

describe("every vendor", () => {
  test.each(dialects)("gets an object with fields, and nothing that only weighs (%s)", (dialect) => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: "https://x.example/s.json",
      title: "Arguments",
      type: "object",
      properties: { title: { type: "string", title: "Title", examples: ["a"], description: "What it is called." } },
      required: ["title"],
    };
    expect(toToolSchema(schema, dialect)).toEqual({
      type: "object",
      properties: { title: { type: "string", description: "What it is called." } },
      required: ["title"],
    });
    expect(toToolSchema({}, dialect)).toEqual({ type: "object", properties: {} });
    expect(toToolSchema({ type: ["object", "null"] }, dialect)).toMatchObject({ type: "object", properties: {} });
  });

  test.each(dialects)("gets the fields of all forms side by side where the whole is a union (%s)", (dialect) => {
    const schema = {
      oneOf: [
        { type: "object", properties: { id: { type: "string" }, deep: { type: "boolean" } }, required: ["id"] },
        { $ref: "#/$defs/named" },
      ],
      $defs: {
        named: { properties: { name: { type: "string" }, deep: { type: "boolean" } }, required: ["name"] },
      },
    };
    expect(toToolSchema(schema, dialect)).toEqual({
      type: "object",
      description: "Give one of: (id) or (name).",
      properties: { id: { type: "string" }, deep: { type: "boolean" }, name: { type: "string" } },
      ...(dialect === "openapi" ? {} : { required: [] }),
    });
  });

  test.each(dialects)("gets one object for `allOf` (%s)", (dialect) => {
    const schema = {
      allOf: [
        { $ref: "#/definitions/base" },
        { type: "object", properties: { b: { type: "string" } }, required: ["b"] },
      ],
      definitions: { base: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } },
    };
    const { properties, required } = toToolSchema(schema, dialect);
    expect(properties).toEqual({ a: { type: "string" }, b: { type: "string" } });
    expect([required].flat().sort()).toEqual(["a", "b"]);
  });

  test("gets older drafts in the present one's words", () => {
    expect(field({ type: "number", minimum: 0, exclusiveMinimum: true }, "standard")).toEqual({
      type: "number",
      exclusiveMinimum: 0,
    });
    expect(field({ type: "array", items: [{ type: "string" }, { type: "number" }] }, "standard")).toEqual({
      type: "array",
      prefixItems: [{ type: "string" }, { type: "number" }],
      items: {},
    });
    expect(field({ type: "array" }, "standard")).toEqual({ type: "array", items: {} });
    expect(field({ type: "object" }, "standard")).toEqual({ type: "object", properties: {} });
    expect(field({ type: "any", required: true }, "standard")).toEqual({});
    expect(field(true, "standard")).toEqual({});
  });

  test("gets references as they are when it takes them, and never one to elsewhere", () => {
    const more = { $defs: { point: { type: "object", properties: { next: { $ref: "#/$defs/point" } } } } };
    expect(toToolSchema({ properties: { x: { $ref: "#/$defs/point" } }, ...more })).toMatchObject({
      properties: { x: { $ref: "#/$defs/point" } },
      $defs: more.$defs,
    });
    const foreign = { $ref: "https://sink.example/s.json?d=1", description: "elsewhere" };
    for (const dialect of dialects) expect(JSON.stringify(field(foreign, dialect))).not.toContain("sink.example");
  });
});

describe("where references are not taken", () => {
  test("they are replaced by what they point to, and a schema inside itself is cut", () => {
    const more = {
      $defs: {
        node: {
          type: "object",
          description: "A node.",
          properties: { label: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
        },
      },
    };
    expect(field({ $ref: "#/$defs/node", description: "The root." }, "inlined", more)).toEqual({
      type: "object",
      description: "The root.",
      properties: {
        label: { type: "string" },
        children: { type: "array", items: { type: "object", description: "A node.", properties: {} } },
      },
    });
  });

  test("their paths are read as JSON pointers", () => {
    const more = { $defs: { "a/b c": { type: "integer" } } };
    expect(field({ $ref: "#/$defs/a~1b%20c" }, "inlined", more)).toEqual({ type: "integer" });
    expect(field({ $ref: "#/$defs/constructor" }, "inlined", more)).toEqual({});
  });

  test("unions are `anyOf` without a type beside it, and a constant is a list of one", () => {
    expect(field({ type: "string", oneOf: [{ const: "a" }, { minLength: 5 }] }, "inlined")).toEqual({
      anyOf: [
        { type: "string", enum: ["a"] },
        { type: "string", minLength: 5 },
      ],
    });
  });

  test.each(dialects)("what multiplies is cut off, and what is endless too (%s)", (dialect) => {
    const $defs: JsonSchema = { d0: { type: "string", description: "x".repeat(50) } };
    for (let level = 1; level <= 30; level++) {
      const inner = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = { type: "object", properties: { a: inner, b: inner } };
    }
    const schema = { type: "object", properties: { x: { $ref: "#/$defs/d30" } }, $defs };
    expect(JSON.stringify(toToolSchema(schema, dialect)).length).toBeLessThan(300_000);

    const endless: JsonSchema = { type: "object", properties: {} };
    endless.properties = { a: endless, b: endless };
    expect(toToolSchema(endless, dialect)).toEqual({ type: "object", properties: {} });
  });
});

describe("for Gemini", () => {
  test.each<[unknown, unknown]>([
    [{ type: ["string", "null"] }, { type: "string", nullable: true }],
    [{ type: ["string", "integer"] }, { anyOf: [{ type: "string" }, { type: "integer" }] }],
    [
      { anyOf: [{ type: "string" }, { type: "null" }], description: "D." },
      { type: "string", nullable: true, description: "D." },
    ],
    [{ oneOf: [{ type: "string" }, { type: "number" }] }, { anyOf: [{ type: "string" }, { type: "number" }] }],
    [{ const: "a" }, { type: "string", enum: ["a"] }],
    [{ enum: ["a", "", "b", null] }, { type: "string", enum: ["a", "b"], nullable: true }],
    [
      { type: "integer", enum: [1, 2] },
      { type: "integer", description: "(one of: [1,2])" },
    ],
    [
      { const: true, description: "Yes." },
      { type: "boolean", description: "Yes. (one of: [true])" },
    ],
    [
      { type: "string", format: "date-time" },
      { type: "string", format: "date-time" },
    ],
    [
      { type: "string", format: "uri" },
      { type: "string", description: '(format: "uri")' },
    ],
    [
      { type: "integer", minimum: 1, exclusiveMaximum: 9, default: 3 },
      { type: "integer", minimum: 1, description: "(exclusiveMaximum: 9; default: 3)" },
    ],
    [{ type: "array" }, { type: "array", items: { type: "string" } }],
    [
      {
        type: "array",
        items: { type: "object", additionalProperties: false, properties: { a: {} }, required: ["a", "b"] },
      },
      { type: "array", items: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } },
    ],
    [
      { type: "object", additionalProperties: { type: "number" } },
      { type: "object", properties: {}, description: '(additionalProperties: {"type":"number"})' },
    ],
    [
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
    ],
  ])("%j becomes %j", (schema, expected) => {
    expect(field(schema, "openapi")).toEqual(expected);
  });
});

const leaf: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.constantFrom<JsonSchema>(
    {},
    { type: "string", format: "uri", minLength: 1 },
    { type: ["string", "null"] },
    { type: "integer", exclusiveMinimum: 0 },
    { const: 5 },
    { enum: ["a", 1, null] },
    { $ref: "#/$defs/a" },
    { $ref: "#/$defs/b", description: "beside" },
    { type: "array" },
    { type: "object", title: "t" },
  ),
);
const { schema: anySchema } = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const properties = fc.dictionary(fc.constantFrom("a", "b", "$ref", "type", "__proto__"), tie("schema"), {
    maxKeys: 3,
  });
  const forms = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.record({ type: fc.constant("object"), properties, required: fc.constant(["a"]) }),
      fc.record({ type: fc.constant("array"), items: tie("schema") }),
      fc.record({ anyOf: forms, description: fc.constant("union") }),
      fc.record({ oneOf: forms, type: fc.constantFrom("object", "string") }),
      fc.record({ allOf: forms }),
      fc.record({ type: fc.constant(["object", "array"]), properties, items: tie("schema") }),
      fc.record({ not: tie("schema"), additionalProperties: tie("schema") }),
    ),
  };
});
const anyRoot = fc
  .tuple(anySchema, anySchema, anySchema)
  .map(([root, a, b]): JsonSchema => ({ ...root, $defs: { a, b } }));

describe("of any schema", () => {
  test("the result is an object with fields, and the original is as it was", () => {
    fc.assert(
      fc.property(anyRoot, fc.constantFrom(...dialects), (schema, dialect) => {
        const before = JSON.stringify(schema);
        const adapted = toToolSchema(schema, dialect);
        expect(adapted).toMatchObject({ type: "object", properties: expect.any(Object) });
        expect(toToolSchema(schema, dialect)).toEqual(adapted);
        expect(JSON.stringify(schema)).toBe(before);
      }),
      { numRuns: 150 },
    );
  });

  test("no reference, no `oneOf` and no `allOf` of the root is left where they are not taken", () => {
    fc.assert(
      fc.property(anyRoot, (schema) => {
        const adapted = toToolSchema(schema, "inlined");
        expect(keywordsIn(adapted)).not.toContain("$ref");
        expect(keywordsIn(adapted)).not.toContain("oneOf");
        for (const union of ["anyOf", "oneOf", "allOf"]) expect(adapted).not.toHaveProperty(union);
      }),
      { numRuns: 150 },
    );
  });

  test("Gemini gets only words it knows, one type each, and only fields that exist are required", () => {
    fc.assert(
      fc.property(anyRoot, (schema) => checkOpenApi(toToolSchema(schema, "openapi"))),
      { numRuns: 200 },
    );
  });

  // Of a union as the whole, a field keeps the schema of the forms that name it.
  test("that is an object, the standard form takes whatever the original takes", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    const value = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom("a", 1, 5, null, ""),
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom("a", "b", "type"), tie("value"), { maxKeys: 3 }),
      ),
    })).value;
    let taken = 0;
    const args = fc.dictionary(fc.constantFrom("a", "b", "type"), value, { maxKeys: 3 });
    fc.assert(
      fc.property(anyRoot, fc.array(args, { minLength: 5, maxLength: 10 }), ({ $defs: _, ...part }, calls) => {
        const $defs = { a: { type: "string" }, b: { type: "object", properties: { a: { $ref: "#/$defs/b" } } } };
        const schema = { type: "object", properties: { a: part, b: part }, $defs };
        const [original, adapted] = [ajv.compile(schema), ajv.compile(toToolSchema(schema))];
        for (const call of calls.filter((each) => original(each))) {
          taken++;
          expect(adapted(call)).toBe(true);
        }
      }),
      // Ajv compiles two schemas each time, which is nearly all of what this test takes.
      { numRuns: 100 },
    );
    expect(taken).toBeGreaterThan(30);
  }, 120_000);
});

/** Every keyword of a schema and of the schemas inside it; the names of fields are none. */
function keywordsIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(keywordsIn);
  if (!isRecord(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === "enum" || key === "const") return [key];
    const inside = key === "properties" && isRecord(value) ? Object.values(value) : value;
    return [key, ...keywordsIn(inside)];
  });
}

const known = ["type", "description", "nullable", "enum", "format", "items", "properties", "required", "anyOf"];
const limits = ["minimum", "maximum", "minItems", "maxItems"];

function checkOpenApi(schema: unknown): void {
  if (!isRecord(schema)) throw new Error(`${JSON.stringify(schema)} is no schema`);
  for (const key of Object.keys(schema)) expect([...known, ...limits]).toContain(key);
  if (Array.isArray(schema.anyOf)) {
    expect(schema).not.toHaveProperty("type");
    expect(schema.anyOf.length).toBeGreaterThan(1);
    for (const form of schema.anyOf) checkOpenApi(form);
    return;
  }
  expect(["object", "array", "string", "number", "integer", "boolean"]).toContain(schema.type);
  if (schema.type === "array") checkOpenApi(schema.items);
  const properties = isRecord(schema.properties) ? schema.properties : {};
  for (const part of Object.values(properties)) checkOpenApi(part);
  for (const name of [schema.required ?? []].flat()) expect(Object.keys(properties)).toContain(name);
  for (const word of [schema.enum ?? []].flat()) expect(word).toMatch(/./);
}
