// The conformance suite's server side, against our HTTP side: https://github.com/modelcontextprotocol/conformance
import { beforeAll, describe, expect, test } from "vitest";
import { type Revision, revisions, scoredScenarios } from "./checks.ts";
import { checkServer, type Unshown } from "./run-server.ts";
import { serveDuet } from "./serve-duet.ts";
import { serveFixtures } from "./serve-fixtures.ts";

type ByRevision<T> = Record<Revision, T>;

async function ofEach<T>(find: (revision: Revision) => Promise<T> | T): Promise<ByRevision<T>> {
  const [older, newer] = revisions;
  // The suite waits more than it works.
  const [ofOlder, ofNewer] = await Promise.all([find(older), find(newer)]);
  return { [older]: ofOlder, [newer]: ofNewer };
}

/** All that a revision requires is shown, and no less than all of it. */
const required = await ofEach(async (revision) => all(await scoredScenarios(revision, "server")));

/** The scenarios that need no tool, prompt or resource of the suite's own. */
const applicable: ByRevision<Unshown> = {
  "2025-11-25": all([
    "server-initialize",
    "ping",
    "logging-set-level",
    "completion-complete",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
    "server-session-lifecycle",
  ]),
  "2026-07-28": {
    ...all([
      "completion-complete",
      "tools-list",
      "resources-list",
      "prompts-list",
      "caching",
      "dns-rebinding-protection",
      "server-sse-multiple-streams",
      "sep-2164-resource-not-found",
      "http-header-validation",
      "input-required-result-unsupported-methods",
    ]),
    // The other 24 of its checks need no tool either.
    "server-stateless": [
      "FAILURE sep-2575-server-rejects-undeclared-capability",
      "FAILURE sep-2575-missing-capability-http-400",
      "FAILURE sep-2575-http-server-no-independent-requests-on-stream",
      "FAILURE sep-2575-server-no-log-without-loglevel",
      "WARNING sep-2575-server-sends-prompts-list-changed-on-subscription",
      "WARNING sep-2575-server-sends-tools-list-changed-on-subscription",
    ],
  },
};

function all(scenarios: readonly string[]): Unshown {
  return Object.fromEntries(scenarios.map((scenario) => [scenario, []]));
}

type Found = ByRevision<Map<string, string[]>>;

let ofFixtures: Found;
let ofDuet: Found;
beforeAll(async () => {
  const fixtures = await serveFixtures();
  ofFixtures = await ofEach((revision) => checkServer(fixtures.url, revision, required[revision]));
  await fixtures.close();
  const duet = await serveDuet();
  ofDuet = await ofEach((revision) => checkServer(duet.url, revision, applicable[revision]));
  await duet.close();
}, 240_000);

test("the revisions require as many scenarios as we know of", () => {
  expect(revisions.map((revision) => Object.keys(required[revision]).length)).toEqual([30, 37]);
});

describe.each(revisions)("%s, with the suite's own tools:", (revision) => {
  test.each(Object.entries(required[revision]))("%s is required", (scenario, expected) => {
    expect(ofFixtures[revision].get(scenario)).toEqual(expected);
  });

  test("of what is not required only tasks are missing, and streams that can be taken up again", () => {
    const found = [...ofFixtures[revision]].filter(([, missing]) => missing.length > 0).map(([scenario]) => scenario);
    const failing = found.filter((scenario) => !scenario.startsWith("tasks-"));
    expect(failing).toEqual(revision === "2025-11-25" ? ["server-sse-polling"] : []);
  });
});

describe.each(revisions)("%s, Duet as it is:", (revision) => {
  test.each(Object.entries(applicable[revision]))("%s applies", (scenario, expected) => {
    expect(ofDuet[revision].get(scenario)).toEqual(expected);
  });
});
