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
      "dns-rebinding-protection",
      "server-sse-multiple-streams",
      "sep-2164-resource-not-found",
      "http-header-validation",
      "input-required-result-unsupported-methods",
    ]),
    // Duet lists the runs of a connection, and a client without a session has none yet; with the suite's resources it is shown above.
    caching: [
      "SKIPPED sep-2549-resources-read-caching-hints: resources/read was not exercised: resources/list failed or returned no resources.",
    ],
    // Six checks look for tools of the suite, which Duet has not; with them they are shown above. The suite has to say so.
    "server-stateless": [
      untestable(
        "server-rejects-undeclared-capability",
        "test_missing_capability",
        " and the probe call did not exercise it (required for the undeclared-capability rejection)",
      ),
      untestable(
        "missing-capability-http-400",
        "test_missing_capability",
        ", so the -32021 HTTP status could not be validated",
      ),
      untestable(
        "http-server-no-independent-requests-on-stream",
        "test_streaming_elicitation",
        ", so the response stream could not be exercised",
      ),
      untestable(
        "server-no-log-without-loglevel",
        "test_logging_tool",
        ", so the no-log-without-logLevel requirement could not be exercised",
      ),
      unchanged("prompt"),
      unchanged("tool"),
    ],
  },
};

function untestable(check: string, tool: string, why: string): string {
  return `FAILURE sep-2575-${check}: Not testable: server does not list the diagnostic tool '${tool}' in tools/list${why}`;
}

/** A list that the suite changes by a tool of its own, and so has not changed here. */
function unchanged(list: "prompt" | "tool"): string {
  const notification = `notifications/${list}s/list_changed`;
  return `WARNING sep-2575-server-sends-${list}s-list-changed-on-subscription: Mutated the ${list} list but no ${notification} arrived on the open subscription stream. This is a SHOULD requirement.`;
}

function all(scenarios: readonly string[]): Unshown {
  return Object.fromEntries(scenarios.map((scenario) => [scenario, []]));
}

type Found = ByRevision<Map<string, string[]>>;

let ofFixtures: Found;
let ofDuet: Found;
beforeAll(async () => {
  const fixtures = await serveFixtures();
  ofFixtures = await ofEach((revision) => checkServer(fixtures.url, revision));
  await fixtures.close();
  const duet = await serveDuet();
  ofDuet = await ofEach((revision) => checkServer(duet.url, revision));
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
