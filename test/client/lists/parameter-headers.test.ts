import { describe, expect, test } from "vitest";
import { dropInvalidHeaders, findHeaderProblem } from "../../../src/client/lists/parameter-headers.ts";

const marked = (header: unknown, type: unknown = "string") => ({ type, "x-mcp-header": header });
const withProperties = (properties: Record<string, unknown>) => ({ type: "object", properties });

describe("138 a tool is left out for a header that", () => {
  test.each([
    ["is empty", marked("")],
    ["is no text", marked(7)],
    ["holds a line end", marked("A\r\nX-Evil: 1")],
    ["holds a blank", marked("My Header")],
    ["holds a colon", marked("My:Header")],
    ["is not ASCII", marked("Région")],
    ["is on a number", marked("A", "number")],
    ["is on an object", marked("A", "object")],
    ["is on several types", marked("A", ["string", "null"])],
    ["is in a list", { type: "array", items: marked("A") }],
    ["is in a choice", { oneOf: [marked("A")] }],
  ])("%s", (_, schema) => {
    expect(findHeaderProblem(withProperties({ one: schema }))?.en).toMatch(/^its x-mcp-header /);
  });

  test("comes twice, whatever its case", () => {
    expect(findHeaderProblem(withProperties({ one: marked("Region"), two: marked("region") }))?.en).toMatch(/twice/);
  });

  test("is on the arguments as a whole, or in a definition", () => {
    expect(findHeaderProblem({ type: "object", "x-mcp-header": "A" })?.en).toMatch(/property/);
    expect(findHeaderProblem({ type: "object", $defs: { a: marked("A") } })?.en).toMatch(/property/);
  });
});

test("right headers, at any depth, and words that only look like one are let through", () => {
  const schema = withProperties({
    region: marked("Region"),
    count: marked("Count", "integer"),
    flag: marked("Flag", "boolean"),
    inner: withProperties({ deep: marked("Deep") }),
    "x-mcp-header": { type: "number" },
    sample: { type: "object", default: { "x-mcp-header": "" }, examples: [{ "x-mcp-header": 1 }] },
  });
  expect(findHeaderProblem(schema)).toBeUndefined();
});

test("a schema with an invalid header is passed on without any, and otherwise as it is", () => {
  const properties = {
    region: marked("My Header"),
    list: { type: "array", items: { oneOf: [marked("A")] } },
    "x-mcp-header": { type: "string", default: { "x-mcp-header": "" } },
  };
  expect(dropInvalidHeaders(withProperties(properties))).toEqual(
    withProperties({
      region: { type: "string" },
      list: { type: "array", items: { oneOf: [{ type: "string" }] } },
      "x-mcp-header": { type: "string", default: { "x-mcp-header": "" } },
    }),
  );
  const valid = withProperties({ region: marked("Region") });
  expect(dropInvalidHeaders(valid)).toBe(valid);
});
