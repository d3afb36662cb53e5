// The conformance suite's server side: https://github.com/modelcontextprotocol/conformance. What fails by design stands in
// docs/development/conformance.md with its reason; a check that fails and does not stand there fails its test, and one that
// stands there and passes, too.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMatch } from "../../src/kit/text/match-pattern.ts";
import { type Check, type Revision, revisions, scoredScenarios, unscoredScenarios } from "./checks.ts";
import { compareFailures, readExpectedFailures } from "./expected-failures.ts";
import { openSuite, type Suite } from "./suite.ts";
import { openTargets, type Targets } from "./targets.ts";

const scenarios = await Promise.all(
  revisions.map(async (revision) => ({
    revision,
    scored: await scoredScenarios(revision, "server"),
    all: [...(await scoredScenarios(revision, "server")), ...(await unscoredScenarios(revision))],
  })),
);

const expected = readExpectedFailures();
const names = [
  "Through the HTTP side",
  "Duet as it is",
  "Through the gateway",
  "Through the gateway, from an older server",
  "Tasks",
];
const found = new Map<string, Map<string, Check[]>>();
let targets: Targets | undefined;
let suite: Suite | undefined;

beforeAll(async () => {
  [targets, suite] = await Promise.all([openTargets(), openSuite()]);
  const { all } = targets;
  const { run } = suite;
  const runs = all.map(async ({ name, revision, runs: isRun, ...target }) => {
    const chosen = scenarios.find((each) => each.revision === revision)?.all.filter(isRun) ?? [];
    found.set(keyOf(name, revision), await run({ ...target, revision, scenarios: chosen }));
  });
  await Promise.all(runs);
}, 240_000);
afterAll(async () => {
  suite?.close();
  await targets?.close();
});

function keyOf(name: string, revision: Revision): string {
  return `${revision} ${name}`;
}

test("the revisions require as many scenarios as we know of", () => {
  expect(scenarios.map(({ scored }) => scored.length)).toEqual([30, 37]);
  expect(scenarios.map(({ all }) => all.length)).toEqual([33, 50]);
});

test("the page of results speaks of what is run", () => {
  expect(targets?.all.map(({ name }) => name)).toEqual([...names, ...names]);
  const unknown = expected.filter(({ target, revision, scenario }) => {
    const ran = found.get(keyOf(target, revision))?.keys() ?? [];
    return ![...ran].some((name) => isMatch(name, scenario));
  });
  expect(unknown).toEqual([]);
});

describe.each(revisions)("%s", (revision) => {
  test.each(names)("%s: exactly what the page says fails", (name) => {
    const rows = expected.filter((row) => row.target === name && row.revision === revision);
    const ran = found.get(keyOf(name, revision)) ?? new Map<string, Check[]>();
    const differences = [...ran].flatMap(([scenario, checks]) =>
      compareFailures(scenario, checks, rows).map((line) => `${scenario}: ${line}`),
    );
    expect(differences).toEqual([]);
    expect(ran.size > 0).toBe(name !== "Tasks" || revision === "2026-07-28");
  });
});
