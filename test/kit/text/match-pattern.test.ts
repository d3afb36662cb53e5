import fc from "fast-check";
import { expect, test } from "vitest";
import { isMatch } from "../../../src/kit/text/match-pattern.ts";
import { startCpuClock } from "../../fakes/cpu-time.ts";

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
  expect(isMatch(name, pattern)).toBe(expected);
});

test("a pattern with many stars takes no time", () => {
  const cpuTime = startCpuClock();
  expect(isMatch("a".repeat(10_000), `${"*a".repeat(30)}*b`)).toBe(false);
  expect(cpuTime()).toBeLessThan(10_000);
});

test("a pattern means what the same regular expression would", () => {
  const text = (maxLength: number, ...letters: string[]) => fc.string({ unit: fc.constantFrom(...letters), maxLength });
  fc.assert(
    fc.property(text(12, "a", "b"), text(6, "a", "b", "*"), (name, pattern) => {
      expect(isMatch(name, pattern)).toBe(new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name));
    }),
  );
});
