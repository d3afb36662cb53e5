// The conformance suite's client side, through our own connector: https://github.com/modelcontextprotocol/conformance
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPlaces } from "../../src/core/places.ts";
import { bundleDriver, type Revision, runScenario, scoredScenarios } from "./run-scenario.ts";

/** A scenario is two processes; more at a time than cores only wait for one another. */
const places = createPlaces(2);
const revisions: Revision[] = ["2025-11-25", "2026-07-28"];
const scored = await Promise.all(
  revisions.map(async (revision) => ({ revision, scenarios: await scoredScenarios(revision) })),
);

let folder = "";
let command = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "duet-conformance-"));
  command = await bundleDriver(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the revisions require as many scenarios as we know of", () => {
  expect(scored.map(({ scenarios }) => scenarios.length)).toEqual([18, 32]);
});

describe.each(scored)("$revision requires", ({ revision, scenarios }) => {
  test.concurrent.each(scenarios)(
    "%s",
    async (scenario) => {
      await places.enter(AbortSignal.timeout(240_000));
      try {
        const checks = await runScenario(scenario, { revision, command, folder });
        const failed = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
        expect(failed).toEqual([]);
        // One that was skipped, or whose checks were never reached, has none that failed either.
        expect(checks.filter(({ status }) => status === "SUCCESS")).not.toEqual([]);
      } finally {
        places.leave();
      }
    },
    300_000,
  );
});
