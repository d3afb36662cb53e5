import { expect, test } from "vitest";
import { openDuet } from "../../../src/app/open-duet.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { readTelemetry } from "../../../src/config/telemetry.ts";
import { createLog } from "../../../src/server/operations/log.ts";
import { countedTool } from "../../fakes/callers.ts";
import { type Collector, startCollector } from "../../fakes/collector.ts";
import { outcomeOf } from "../../fakes/events.ts";
import { startHttpDuet } from "../../fakes/http-duet.ts";
import { type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { patienceMs } from "../../runner/patience.ts";
import { readMetrics, total } from "../../server/operations/read-metrics.ts";

const lookup: ScriptedTurn = [{ id: "1", name: "lookup", input: { text: "canary-argument" } }];

/** Asks one question with a tool call in this process, and gives the lines that the operator was told. */
async function ask(environment: Record<string, string>, question = "canary-question") {
  const home = await temporaryFolder();
  const settings = { conversations: { store: "memory" as const }, locale: "en" };
  const full = { HOME: home, DUET_HOME: home, ...environment };
  const config = await loadConfig({}, full, home, { name: "code", settings });
  const model = scriptedModel([lookup, "canary-answer"]);
  const lines: string[] = [];
  const duet = await openDuet(config, {
    models: { functionCall: model, answer: model },
    tools: [countedTool("lookup")],
    warn: ({ en }) => lines.push(en),
  });
  const events = await Array.fromAsync(duet.ask({ question, mode: "agent" }));
  await duet.close({ totalMs: patienceMs });
  return { outcome: outcomeOf(events), lines };
}

const point = (collector: Collector, name: string, attributes: Record<string, unknown>) =>
  collector
    .points()
    .findLast(
      (each) =>
        each.name === name && Object.entries(attributes).every(([key, value]) => each.attributes[key] === value),
    );

test("the metrics of a run reach the collector by the GenAI conventions and under our own names, with no word of it", async () => {
  const collector = await startCollector();
  const { outcome, lines } = await ask({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_EXPORTER: "none" });
  expect([outcome.status, lines]).toEqual(["complete", []]);
  const chat = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "fake", "gen_ai.request.model": "scripted" };
  expect(point(collector, "gen_ai.client.operation.duration", chat)).toMatchObject({ unit: "s", value: 2 });
  expect(point(collector, "gen_ai.client.operation.time_to_first_chunk", chat)?.value).toBe(1);
  const input = point(collector, "gen_ai.client.token.usage", { ...chat, "gen_ai.token.type": "input" });
  const own = point(collector, "duet.tokens", { model: "fake/scripted", role: "function_call", direction: "input" });
  expect(input?.sum).toBeGreaterThan(0);
  expect(own?.value).toBe(input?.sum);
  expect(point(collector, "gen_ai.execute_tool.duration", { "gen_ai.tool.name": "lookup" })?.value).toBe(1);
  expect(point(collector, "gen_ai.invoke_agent.duration", { "gen_ai.agent.name": "duet" })?.value).toBe(1);
  expect(point(collector, "duet.runs", { mode: "agent", status: "complete" })?.value).toBe(1);
  expect(point(collector, "process.resident_memory", {})?.value).toBeGreaterThan(10_000_000);
  expect(new Set(collector.requests.map(({ path }) => path))).toEqual(new Set(["/v1/metrics"]));
  expect(collector.text()).not.toContain("canary");
});

test("/metrics shows the same instruments as the collector gets", async () => {
  const collector = await startCollector();
  const { origin, close } = await startHttpDuet({
    turns: [lookup, "an answer"],
    tools: [countedTool("lookup")],
    environment: { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/v1/metrics` },
  });
  const headers = { "content-type": "application/json" };
  await (await fetch(`${origin}/agent/chat`, { method: "POST", headers, body: '{"message":"a"}' })).json();
  const samples = readMetrics(await (await fetch(`${origin}/metrics`)).text());
  await close();
  const chat = { gen_ai_operation_name: "chat", gen_ai_request_model: "scripted" };
  expect(total(samples, "gen_ai_client_operation_duration_seconds_count", chat)).toBe(2);
  expect(total(samples, "duet_runs_total", { mode: "agent", status: "complete" })).toBe(1);
  expect(total(samples, "process_start_time_seconds")).toBeGreaterThan(1_700_000_000);
  const families = samples.map(({ name }) => name.replace(/_(bucket|sum|count)$/, ""));
  const sent = collector.points().map(({ name, unit }) => {
    const suffix = unit === "s" ? "_seconds" : unit === "By" ? "_bytes" : "";
    return name.replace(/\W/g, "_") + suffix;
  });
  expect(families.filter((name) => !sent.includes(name.replace(/_total$/, "")))).toEqual([]);
});

test("spans of models show what was asked and written once that is wanted", async () => {
  const collector = await startCollector();
  await ask({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
  });
  const [first, second] = collector.spans().filter(({ name }) => name === "chat scripted");
  const read = (span: typeof first, name: string) => JSON.parse(String(span?.attributes[name]));
  expect(read(first, "gen_ai.system_instructions")).toEqual([{ type: "text", content: expect.any(String) }]);
  expect(read(first, "gen_ai.tool.definitions")).toContainEqual(
    expect.objectContaining({ type: "function", name: "lookup", parameters: expect.any(Object) }),
  );
  expect(JSON.stringify(read(first, "gen_ai.input.messages"))).toContain("canary-question");
  expect(read(first, "gen_ai.output.messages")).toEqual([
    {
      role: "assistant",
      finish_reason: "tool_calls",
      parts: [
        expect.objectContaining({ type: "tool_call", id: "1", name: "lookup", arguments: { text: "canary-argument" } }),
      ],
    },
  ]);
  const asked = read(second, "gen_ai.input.messages");
  expect(asked.map(({ role }: { role: string }) => role)).toEqual(
    expect.arrayContaining(["user", "assistant", "tool"]),
  );
  expect(asked).toContainEqual(
    expect.objectContaining({
      role: "tool",
      parts: [expect.objectContaining({ type: "tool_call_response", id: "1" })],
    }),
  );
});

test("a key that a question quotes is in no span", async () => {
  const collector = await startCollector();
  const key = "sk-quoted-0123456789";
  const content = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" };
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...content, OPENAI_API_KEY: key };
  await ask(environment, `Is ${key} valid?`);
  for (const name of ["invoke_agent duet", "chat scripted"]) {
    const span = collector.spans().find((each) => each.name === name);
    expect(span?.attributes["gen_ai.input.messages"]).toContain("Is [redacted OPENAI_API_KEY] valid?");
  }
  expect(collector.text()).not.toContain(key);
});

test("the log is sent with the trace and the span of its run, without debug lines and secrets", async () => {
  const collector = await startCollector();
  const home = await temporaryFolder();
  const environment = { HOME: home, DUET_HOME: home, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const settings = { conversations: { store: "memory" as const } };
  const config = await loadConfig({}, environment, home, { name: "code", settings });
  const model = scriptedModel(["Hello."]);
  const duet = await openDuet(config, { models: { functionCall: model, answer: model } });
  const { trace_id } = outcomeOf(await Array.fromAsync(duet.ask({ question: "Hi", mode: "chat" })));
  const written: string[] = [];
  const log = createLog({
    format: "text",
    write: (line) => written.push(line),
    hide: (text) => text.replaceAll("sesame", "…"),
    send: duet.logs.send,
  });
  log("run ended with sesame", "error", { trace_id, tokens: 7 });
  log("a whole result", "debug");
  log("another line", "warn");
  await duet.close({ totalMs: patienceMs });
  const root = collector.spans().find(({ name }) => name === "invoke_agent duet");
  expect(collector.logs()).toEqual([
    {
      severity: "ERROR",
      body: "run ended with …",
      traceId: trace_id,
      spanId: root?.spanId,
      attributes: { trace_id, tokens: 7 },
    },
    { severity: "WARN", body: "another line", traceId: "", spanId: "", attributes: {} },
  ]);
  expect(written).toHaveLength(3);
});

test("a collector for spans alone is told once, with the way to turn the rest off, and gets the spans", async () => {
  const collector = await startCollector({ status: (path) => (path === "/v1/traces" ? 200 : 404) });
  const { lines } = await ask({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  expect(lines).toEqual([
    expect.stringMatching(
      /^metrics could not be sent to \S+\/v1\/metrics: .+ \(OTEL_METRICS_EXPORTER=none turns them off\)$/,
    ),
  ]);
  expect(collector.spans().map(({ name }) => name)).toContain("invoke_agent duet");
});

test.each([
  [{ OTEL_SDK_DISABLED: "true" }, []],
  [{ OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" }, ["traces"]],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "", OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "http://c/logs" }, ["logs"]],
  [{}, ["traces", "metrics", "logs"]],
])("OpenTelemetry's variables choose what is sent: %o", (more, sent) => {
  const { signals } = readTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector", ...more });
  expect(Object.entries(signals).flatMap(([name, { address }]) => (address ? [name] : []))).toEqual(sent);
});

test("a metric interval that is none is the usual minute", () => {
  const read = (OTEL_METRIC_EXPORT_INTERVAL: string) => readTelemetry({ OTEL_METRIC_EXPORT_INTERVAL }).metricIntervalMs;
  expect(["5000", "soon", "-1", ""].map(read)).toEqual([5000, 60_000, 60_000, 60_000]);
});
