// The conformance suite's client side, through our own connector: https://github.com/modelcontextprotocol/conformance
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { revisions, scoredScenarios } from "./checks.ts";
import { type ClientProxy, openClientProxy } from "./client-proxy.ts";
import { checksOf, runScenarios } from "./run-scenario.ts";

const scored = await Promise.all(
  revisions.map(async (revision) => ({ revision, scenarios: await scoredScenarios(revision, "client") })),
);

let folder = "";
let proxy: ClientProxy;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "duet-conformance-"));
  proxy = await openClientProxy(folder);
  await Promise.all(revisions.map((revision) => runScenarios({ revision, socket: proxy.socket, folder })));
}, 300_000);
afterAll(async () => {
  await proxy.close();
  await rm(folder, { recursive: true, force: true });
});

test("the revisions require as many scenarios as we know of", () => {
  expect(scored.map(({ scenarios }) => scenarios.length)).toEqual([18, 32]);
});

describe.each(scored)("$revision requires", ({ revision, scenarios }) => {
  test.each(scenarios)("%s", async (scenario) => {
    const checks = await checksOf(scenario, { revision, folder });
    const failed = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
    expect(failed).toEqual([]);
    // One that was skipped, or whose checks were never reached, has none that failed either.
    expect(checks.filter(({ status }) => status === "SUCCESS")).not.toEqual([]);
  });
});
