import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { getValue } from "../../../src/config/sources/setting-path.ts";
import { listLeaves, mergeTrees } from "../../../src/config/sources/source.ts";

describe("merging", () => {
  test("joins objects, replaces lists and values", () => {
    expect(mergeTrees([{ a: { b: 1, c: [1, 2] } }, { a: { c: [3], d: 4 } }])).toEqual({ a: { b: 1, c: [3], d: 4 } });
  });

  test("does not join two models", () => {
    const below = { models: { functionCall: { provider: "a", temperature: 0 }, answer: { provider: "c" } } };
    expect(mergeTrees([below, { models: { functionCall: { provider: "b" } } }])).toEqual({
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
      const merged = mergeTrees([below, above]);
      for (const path of listLeaves(above)) {
        const value = getValue(above, path);
        if (JSON.stringify(value) !== "{}") expect(getValue(merged, path)).toEqual(value);
      }
    }),
  );
});

test("merging with nothing changes nothing, and merging twice is merging once", () => {
  fc.assert(
    fc.property(tree, (value) => {
      expect(mergeTrees([value, {}])).toEqual(mergeTrees([value]));
      expect(mergeTrees([{}, value])).toEqual(value);
      expect(mergeTrees([value, value])).toEqual(value);
    }),
  );
});

test("it does not matter in what steps trees are merged", () => {
  const flat = fc.dictionary(key, leaf);
  fc.assert(
    fc.property(flat, flat, flat, (a, b, c) => {
      expect(mergeTrees([mergeTrees([a, b]), c])).toEqual(mergeTrees([a, mergeTrees([b, c])]));
    }),
  );
});

test("a key named __proto__ stays a key", () => {
  const hostile: unknown = JSON.parse('{"__proto__":{"polluted":true}}');
  mergeTrees([{}, hostile, { a: 1 }]);
  expect(Object.hasOwn({}, "polluted")).toBe(false);
  expect("polluted" in {}).toBe(false);
});
