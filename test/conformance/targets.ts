import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHttpDuet } from "../fakes/http-duet.ts";
import { type Revision, revisions } from "./checks.ts";
import { asOfOlderEra, type OpenRelay, openRelay, stripPrefix } from "./relay.ts";
import { serveFixtures } from "./serve-fixtures.ts";
import { serveProgram } from "./serve-program.ts";
import { serveTasks } from "./serve-tasks.ts";
import type { SuiteRun } from "./suite.ts";

/** What the suite is run against, by its heading in the page of results. */
export interface Target {
  name: string;
  revision: Revision;
  url: string;
  /** Which of the suite's scenarios are run. */
  runs(scenario: string): boolean;
  atOnce?: SuiteRun["atOnce"];
  patience?: SuiteRun["patience"];
}

export interface Targets {
  all: readonly Target[];
  close(): Promise<void>;
}

export async function openTargets(): Promise<Targets> {
  const fixtures = await serveFixtures();
  const older = await openRelay(fixtures.url, asOfOlderEra);
  const [agent, tasks, ...gateways] = await Promise.all([
    serveProgram({}),
    serveTasks(),
    // One for each revision, because a server's requests for texts are counted.
    ...revisions.flatMap(() => [serveGateway(fixtures.url), serveGateway(older.url)]),
  ]);
  const all = revisions.flatMap((revision, index): Target[] => {
    const [gateway, gatewayOfOlder] = gateways.slice(2 * index);
    const common = { revision, runs: isNoTask };
    return [
      { ...common, name: "Through the HTTP side", url: fixtures.url },
      // Its lists do not change, and the suite waits for that.
      { ...common, name: "Duet as it is", url: agent.url, patience: 4 },
      { ...common, name: "Through the gateway", url: gateway?.url ?? "" },
      // A server of that era does not say which call its question belongs to, so only few can ask at once.
      { ...common, name: "Through the gateway, from an older server", url: gatewayOfOlder?.url ?? "", atOnce: 1 },
      // Of two questions at once, which the suite waits for, a run asks one.
      { ...common, name: "Tasks", url: tasks.url, runs: (scenario) => !isNoTask(scenario), patience: 4 },
    ];
  });
  return {
    all,
    async close() {
      const open = [...gateways, tasks, agent, older, fixtures];
      await Promise.all(open.map((each) => each.close()));
    },
  };
}

function isNoTask(scenario: string): boolean {
  return !scenario.startsWith("tasks-");
}

/** Duet with the fixtures below, whose names are given back as they are; in this process, because four programs take longer to start. */
async function serveGateway(url: string): Promise<OpenRelay> {
  const folder = await mkdtemp(join(tmpdir(), "duet-conformance-"));
  const conf = { url, sampling: true, roots: [import.meta.dirname] };
  const duet = await openHttpDuet({
    settings: { mcpServers: { conf } },
    environment: { DUET_HOME: folder },
    exposing: { expose: "tools", listLimit: 1_000_000 },
  });
  const relay = await openRelay(`${duet.origin}/mcp`, stripPrefix("conf__"));
  return {
    url: relay.url,
    async close() {
      await relay.close();
      await duet.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
