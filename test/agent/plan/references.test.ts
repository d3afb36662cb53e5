import { describe, expect, test } from "vitest";
import { fillReferences, findUnresolvedValues } from "../../../src/agent/plan/references.ts";

const results = new Map([
  [1, '{"items":[{"name":"Ada","age":36}],"total":2,"a b":"spaced","none":null}'],
  [2, "just text"],
  [3, "42"],
]);

describe("a reference", () => {
  test.each([
    ["a whole result that is JSON", "{{step_3}}", 42],
    ["a whole result that is text", "{{step_2}}", "just text"],
    ["a field", "{{step_1.total}}", 2],
    ["a field of an item", "{{step_1.items.0.name}}", "Ada"],
    ["the same with brackets and blanks", "{{ step_1.items[0].name }}", "Ada"],
    ["an object", "{{step_1.items[0]}}", { name: "Ada", age: 36 }],
    ["a name with a blank", "{{step_1.a b}}", "spaced"],
    ["null", "{{step_1.none}}", null],
    ["within other text", "Dear {{step_1.items.0.name}}, it is {{step_3}}.", "Dear Ada, it is 42."],
    ["an object within other text", "see {{step_1.items}}", 'see [{"name":"Ada","age":36}]'],
  ])("becomes %s", (_, text, value) => {
    expect(fillReferences({ a: { b: [text] } }, results, "json")).toEqual({
      parameters: { a: { b: [value] } },
      missing: [],
    });
  });

  test("stays text where a text is wanted", () => {
    expect(fillReferences({ a: "{{step_3}}" }, results, "text").parameters).toEqual({ a: "42" });
  });

  test.each([
    ["a field that is not there", "{{step_1.items.1.name}}"],
    ["a field of a text", "{{step_2.name}}"],
    ["what every object inherits", "{{step_1.constructor}}"],
    ["a step without a result", "{{step_9}}"],
    ["a question mark", " ? "],
  ])("is missing for %s", (_, text) => {
    expect(fillReferences({ a: { b: [text] } }, results, "json").missing).toMatchObject([{ path: "a.b[0]" }]);
  });

  test("in a result is text, not a reference", () => {
    const tricky = new Map([[1, "{{step_2}} $& $1"]]);
    expect(fillReferences({ a: "x {{step_1}}" }, tricky, "json").parameters).toEqual({ a: "x {{step_2}} $& $1" });
  });

  test("that is lost in blanks without end does no harm", () => {
    const text = `{{step_1.a${" ".repeat(300_000)}x`;
    expect(findUnresolvedValues({ a: text })).toEqual([]);
    expect(findUnresolvedValues({ a: `${text}}}` })).toMatchObject([{ steps: [1] }]);
  });

  test("is found with its place and the steps it needs", () => {
    expect(
      findUnresolvedValues({ a: "plain {{name}}", b: { c: ["{{step_1}} {{step_2.x}}"] }, d: "?", e: "{{step one}}" }),
    ).toEqual([
      { path: "b.c[0]", steps: [1, 2], unreadable: [] },
      { path: "d", steps: [], unreadable: [] },
      { path: "e", steps: [], unreadable: ["{{step one}}"] },
    ]);
  });
});
