import { expect, test } from "vitest";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { startCollector } from "../fakes/collector.ts";
import { outcomeOf } from "../fakes/events.ts";
import { scriptedModel } from "../fakes/model.ts";
import { temporaryFolder } from "../fakes/program.ts";
import { patienceMs } from "../runner/patience.ts";

test("a run that ends before the OpenTelemetry packages are loaded has its spans sent all the same", async () => {
  const collector = await startCollector();
  const home = await temporaryFolder();
  const environment = { HOME: home, DUET_HOME: home, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const settings = { conversations: { store: "memory" as const } };
  const config = await loadConfig({}, environment, home, { name: "code", settings });
  const model = scriptedModel(["It is noon."]);
  const duet = await openDuet(config, { models: { functionCall: model, answer: model } });
  const events = await Array.fromAsync(duet.ask({ question: "What time is it?", mode: "chat" }));
  // A busy machine may need longer than the usual two seconds to load the packages.
  await duet.close({ totalMs: patienceMs });
  expect(outcomeOf(events).status).toBe("complete");
  expect(collector.spans().map(({ name }) => name)).toContain("invoke_agent duet");
});
