import { expect, test } from "vitest";
import { isWanted } from "../../../src/client/lists/tool-list.ts";

test("without patterns every tool is wanted, and exclusion wins over inclusion", () => {
  expect(isWanted({}, "any")).toBe(true);
  expect(isWanted({ includeTools: ["a*"] }, "b")).toBe(false);
  expect(isWanted({ includeTools: ["a*"], excludeTools: ["ab"] }, "ab")).toBe(false);
  expect(isWanted({ includeTools: ["a*"], excludeTools: ["ab"] }, "ac")).toBe(true);
});
