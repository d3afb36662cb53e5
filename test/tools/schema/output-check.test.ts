import { beforeAll, describe, expect, test } from "vitest";
import { createOutputCheck } from "../../../src/tools/schema/output-check.ts";
import { startCpuClock } from "../../fakes/cpu-time.ts";

const check = createOutputCheck();

/** A field that does not fit stands last, so that a check of all that comes before would find it. */
function withFault(properties: object, more: object = {}): Record<string, unknown> {
  return { type: "object", properties: { ...properties, fault: { type: "number" } }, ...more };
}

// The first check loads the compiler.
beforeAll(async () => void (await check({ type: "object" }, {})));

test("the first field that does not fit is named, and a schema that two fields share is no circle", async () => {
  const place = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const schema = {
    $defs: { place },
    type: "object",
    properties: { from: { $ref: "#/$defs/place" }, to: { $ref: "#/$defs/place" } },
  };
  expect(await check(schema, { from: { city: "Oslo" }, to: { city: "Rome" } })).toBeUndefined();
  expect(await check(schema, { from: { city: 1 }, to: {} })).toMatchObject({
    path: "from.city",
    text: { en: expect.stringContaining("must be a string"), zh: expect.any(String) },
  });
});

test("formats and patterns are left to the host, also where leaving them out would turn the result around", async () => {
  const format = { type: "string", format: "date", pattern: "^2" };
  expect(await check({ type: "object", properties: { on: format } }, { on: "never" })).toBeUndefined();
  const either = { oneOf: [format, { type: "string", pattern: "^n" }] };
  expect(await check({ type: "object", properties: { on: either } }, { on: "never" })).toBeUndefined();
});

describe("what could take long is left unchecked, at once:", () => {
  const again = { properties: { a: { $ref: "#" } } };
  const anchored = { properties: { a: { $ref: "#here" } } };
  const dynamic = { properties: { a: { $dynamicRef: "#here" } } };
  const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
  const numbers = Array.from({ length: 3000 }, (_, index) => index);
  const same = numbers.map((number) => ({ not: { const: -number - 1 } }));

  test.each<[string, Record<string, unknown>, object]>([
    ["a schema that refers to itself", withFault({}, { anyOf: [again, again] }), deep(40)],
    ["by an anchor", withFault({}, { $anchor: "here", anyOf: [anchored, anchored] }), deep(40)],
    ["by a dynamic anchor", withFault({}, { $dynamicAnchor: "here", anyOf: [dynamic, dynamic] }), deep(40)],
    ["many schemas for many values", withFault({ list: { items: { allOf: same } } }), { list: numbers }],
    ["fewer for many values", withFault({ list: { items: { allOf: same.slice(0, 150) } } }), { list: numbers }],
    [
      "many comparisons of a long text",
      withFault({}, { allOf: numbers.slice(0, 100).map(() => ({ properties: { list: { uniqueItems: true } } })) }),
      { list: ["x".repeat(3_000_000)] },
    ],
    ["a value of too many levels", withFault({}), deep(70)],
  ])("%s", async (_, schema, structured) => {
    const clock = startCpuClock();
    expect(await check(schema, { ...structured, fault: "text" })).toBeUndefined();
    expect(await check(schema, { ...structured, fault: "text" })).toBeUndefined();
    expect(clock()).toBeLessThan(2000);
  });
});
