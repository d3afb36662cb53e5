import { expect, test } from "vitest";
import { toWindowSeconds } from "../../../src/core/limits/call-window.ts";

test.each([
  [1, 0.5],
  [5, 4],
  [2.99, 1.5],
  [10, 8],
  [20, 16.5],
  [59, 49],
  [60, 50],
  [61, 51],
  [600, 590],
  [100_800, 3600],
])("a host that gives up after %d seconds is answered after %d", (timeout, window) => {
  expect(toWindowSeconds(timeout)).toBe(window);
});
