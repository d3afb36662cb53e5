import { expect, test } from "vitest";
import { formatCount } from "../../../src/kit/text/format-count.ts";

test("a count of one has its noun in the singular, any other in the plural", () => {
  expect([0, 1, 2].map((count) => formatCount(count, "defect"))).toEqual(["0 defects", "1 defect", "2 defects"]);
  expect([1, 2].map((count) => formatCount(count, "match", "matches"))).toEqual(["1 match", "2 matches"]);
});
