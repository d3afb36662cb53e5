import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runExample } from "./run-example.ts";

test("the last lines of a run say how many tests were skipped, why, and what makes them run", async () => {
  const { failed, output } = await runExample("skipped");
  expect(failed).toBe(false);
  expect(output.trimEnd().split("\n").slice(-2)).toEqual([
    "3 tests skipped: there is no moon; wait for the night",
    "1 test skipped: there is no sun; wait for the day",
  ]);
});

test("tests that a pattern leaves out are not told of", async () => {
  const { output } = await runExample("skipped", {}, ["-t", "^runs$"]);
  expect(output).toContain("1 passed");
  expect(output).not.toContain("wait for");
});

test("no test is skipped in another way, and none is left alone to run", () => {
  const others = /\b(?:test|it|describe|context)\.(?:skip|skipIf|runIf|todo|only)\b|\bskip: true\b|\{ retry: /;
  const strays = globSync("test/**/*.ts").filter((file) => others.test(readFileSync(file, "utf8")));
  expect(strays.toSorted()).toEqual(["test/runner/report-skips.test.ts", "test/runner/requirements.ts"]);
});
