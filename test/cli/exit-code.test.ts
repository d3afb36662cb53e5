import { expect, test } from "vitest";
import { createJointExitCode } from "../../src/cli/exit-code.ts";
import type { Outcome } from "../../src/core/run/outcome.ts";

test.each<[number, (Outcome["status"] | "unbegun")[], boolean[]]>([
  [0, [], []],
  [3, ["partial", "complete"], []],
  [1, ["partial", "failed", "complete"], []],
  [0, ["partial", "complete"], [false, true]],
  [1, ["failed", "partial", "complete"], [false, false, true]],
  [0, ["needs_confirmation", "complete"], []],
  [3, ["complete", "needs_confirmation"], []],
  [1, ["complete", "unbegun"], []],
])("the exit code is %i after %j, of which %j went on with the one before", (code, statuses, goOn) => {
  const joint = createJointExitCode();
  for (const [index, status] of statuses.entries())
    joint.add(status === "unbegun" ? undefined : ({ status } as Outcome), goOn[index] === true);
  expect(joint.code).toBe(code);
});
