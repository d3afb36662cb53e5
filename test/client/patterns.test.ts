import { expect, test } from "vitest";
import { isWanted, matches } from "../../src/client/patterns.ts";

test.each([
  ["search*", "search_web", true],
  ["search*", "search", true],
  ["search*", "research", false],
  ["*", "", true],
  ["*_web", "search_web", true],
  ["a*b*c", "a-b-b-c", true],
  ["a*b*c", "acb", false],
  ["ab*ba", "aba", false],
  ["a.c", "abc", false],
  ["exact", "exact", true],
])("the pattern %s against %s: %s", (pattern, name, expected) => {
  expect(matches(pattern, name)).toBe(expected);
});

test("a pattern with many stars takes no time", () => {
  const start = performance.now();
  expect(matches(`${"*a".repeat(30)}*b`, "a".repeat(10_000))).toBe(false);
  expect(performance.now() - start).toBeLessThan(100);
});

test("without patterns every tool is wanted, and exclusion wins over inclusion", () => {
  expect(isWanted({}, "any")).toBe(true);
  expect(isWanted({ includeTools: ["a*"] }, "b")).toBe(false);
  expect(isWanted({ includeTools: ["a*"], excludeTools: ["ab"] }, "ab")).toBe(false);
  expect(isWanted({ includeTools: ["a*"], excludeTools: ["ab"] }, "ac")).toBe(true);
});
