import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { leaves, merge } from "../../../src/config/sources/merge.ts";
import { valueAt } from "../../../src/config/sources/setting-path.ts";

describe("merging", () => {
  test("joins objects, replaces lists and values", () => {
    expect(merge([{ a: { b: 1, c: [1, 2] } }, { a: { c: [3], d: 4 } }])).toEqual({ a: { b: 1, c: [3], d: 4 } });
  });

  test("does not join two models", () => {
    const below = { models: { functionCall: { provider: "a", temperature: 0 }, answer: { provider: "c" } } };
    expect(merge([below, { models: { functionCall: { provider: "b" } } }])).toEqual({
      models: { functionCall: { provider: "b" }, answer: { provider: "c" } },
    });
  });
});

const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }));
const key = fc.constantFrom("a", "b", "c", "models", "functionCall");
const { tree } = fc.letrec((tie) => ({
  tree: fc.dictionary(key, fc.oneof({ depthSize: "small" }, leaf, tie("tree")), { maxKeys: 4 }),
}));

test("the last tree always keeps every value it has", () => {
  fc.assert(
    fc.property(tree, tree, (below, above) => {
      const merged = merge([below, above]);
      for (const path of leaves(above)) {
        const value = valueAt(above, path);
        if (JSON.stringify(value) !== "{}") expect(valueAt(merged, path)).toEqual(value);
      }
    }),
  );
});

test("merging with nothing changes nothing, and merging twice is merging once", () => {
  fc.assert(
    fc.property(tree, (value) => {
      expect(merge([value, {}])).toEqual(merge([value]));
      expect(merge([{}, value])).toEqual(value);
      expect(merge([value, value])).toEqual(value);
    }),
  );
});

test("it does not matter in what steps trees are merged", () => {
  const flat = fc.dictionary(key, leaf);
  fc.assert(
    fc.property(flat, flat, flat, (a, b, c) => {
      expect(merge([merge([a, b]), c])).toEqual(merge([a, merge([b, c])]));
    }),
  );
});

test("a key named __proto__ stays a key", () => {
  const hostile: unknown = JSON.parse('{"__proto__":{"polluted":true}}');
  merge([{}, hostile, { a: 1 }]);
  expect(Object.hasOwn({}, "polluted")).toBe(false);
  expect("polluted" in {}).toBe(false);
});
