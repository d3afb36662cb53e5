import { expect, test } from "vitest";
import { childEnvironment } from "../../../src/core/processes/environment.ts";

test.each([
  [undefined, "1"],
  ["0", "1"],
  ["2", "3"],
  ["", "1"],
  ["many", "1"],
])("below a Duet whose DUET_DEPTH is %j it is %s", (depth, below) => {
  expect(childEnvironment({ DUET_DEPTH: depth }, {}).DUET_DEPTH).toBe(below);
});
