import { spawn } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Outcome } from "../../../src/core/run/outcome.ts";
import { type CollectedSpan, startCollector } from "../../fakes/collector.ts";
import {
  collect,
  compileCache,
  configFile,
  type Finished,
  program,
  programEnvironment,
  runProgram as runInOwnProcess,
  startProgram,
  temporaryFolder,
} from "../../fakes/program.ts";
import { type FakeProvider, type Reply, startFakeProvider } from "../../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
});
afterEach(() => fake.close());

const echo = { name: "echo", arguments: { text: "a secret word" } };
const usage = { input: 100, output: 7 };
const agent: Reply[] = [
  { text: "I will ask the tool.", toolCalls: [echo], usage },
  { text: "Enough.", usage: { input: 150, output: 3 } },
];

interface Asked extends Finished {
  outcome: Outcome;
}

/** Asks the built program one question; the function-call model replies as scripted, the answer model says "It spoke." */
async function ask(
  env: Record<string, string>,
  decide: Reply[] = agent,
  more: object = {},
  run = runProgram,
): Promise<Asked> {
  const config = await configFile({
    models: {
      functionCall: { provider: "openai", model: "cheap" },
      answer: { provider: "gemini", model: "strong" },
    },
    providers: {
      openai: { baseUrl: fake.openaiUrl, prices: { cheap: { input: 1000, output: 1000 } } },
      gemini: { baseUrl: fake.openaiUrl },
    },
    ...more,
  });
  fake.script("cheap", ...decide);
  fake.script("strong", { text: "It spoke.", usage: { input: 50, output: 5 } });
  const finished = await run(["ask", "Say it", "--output", "json", "--config", config], {
    env: { OPENAI_API_KEY: "a", GEMINI_API_KEY: "b", ...env },
  });
  return { ...finished, outcome: JSON.parse(finished.stdout) };
}

const named = (spans: CollectedSpan[], name: string): CollectedSpan => {
  const found = spans.find((span) => span.name === name);
  if (!found) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(", ")}`);
  return found;
};

test("a run arrives at the collector as one span with its model turns and tool calls below it", async () => {
  const collector = await startCollector();
  const { code, stderr, outcome } = await ask(
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    agent,
    {},
    runInOwnProcess,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const spans = collector.spans();
  expect(spans.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    "chat cheap 3",
    "execute_tool echo 1",
    "chat cheap 3",
    "chat strong 3",
    "invoke_agent duet 1",
  ]);
  const root = named(spans, "invoke_agent duet");
  expect(root.parentSpanId).toBe("");
  expect(spans.filter((span) => span !== root).map(({ parentSpanId }) => parentSpanId)).toEqual(
    Array(4).fill(root.spanId),
  );
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([outcome.trace_id]));
  expect(root.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "duet",
    "gen_ai.provider.name": "gcp.gemini",
    "gen_ai.conversation.id": outcome.conversation_id,
    "duet.run.id": outcome.run_id,
    "duet.status": "complete",
    "duet.stop_reason": "answered",
    "duet.total_tokens": 315,
  });
  expect(root.events).toEqual(["duet.evaluation", "duet.evaluation"]);
  expect(root.status).toBe(0);
  expect(root.resource).toMatchObject({ "service.name": "duet", "telemetry.sdk.language": "nodejs" });
});

test("a model turn says what it used, a tool call what it was", async () => {
  const collector = await startCollector();
  const { outcome } = await ask({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const spans = collector.spans();
  expect(named(spans, "chat cheap").attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "cheap",
    "gen_ai.request.stream": true,
    "gen_ai.conversation.id": outcome.conversation_id,
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.output_tokens": 7,
    "gen_ai.response.finish_reasons": ["tool_calls"],
    "gen_ai.response.time_to_first_chunk": expect.any(Number),
    "duet.phase": "decide",
    "duet.cost_usd": 0.107,
  });
  expect(named(spans, "chat strong").attributes).toMatchObject({
    "gen_ai.usage.input_tokens": 50,
    "gen_ai.response.finish_reasons": ["stop"],
    "duet.phase": "answer",
  });
  expect(named(spans, "execute_tool echo").attributes).toMatchObject({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "echo",
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": expect.any(String),
    "duet.cached": false,
  });
  for (const { startMs, endMs } of spans) expect(endMs).toBeGreaterThanOrEqual(startMs);
});

test("no word of a question, thought, argument, result or answer is in a span unless it is asked for", async () => {
  const words = ["Say it", "I will ask the tool.", "a secret word", "It spoke."];
  const [silent, open] = [await startCollector(), await startCollector()];
  await ask({ OTEL_EXPORTER_OTLP_ENDPOINT: silent.url });
  for (const word of words) expect(silent.text()).not.toContain(word);

  const content = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" };
  await ask({ OTEL_EXPORTER_OTLP_ENDPOINT: open.url, ...content });
  const spans = open.spans();
  expect(named(spans, "invoke_agent duet").attributes).toMatchObject({
    "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Say it"}]}]',
    "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"It spoke."}]}]',
  });
  expect(named(spans, "execute_tool echo").attributes).toMatchObject({
    "gen_ai.tool.call.arguments": '{"text":"a secret word"}',
    "gen_ai.tool.call.result": "a secret word",
  });
  expect(JSON.parse(String(named(spans, "chat cheap").attributes["gen_ai.output.messages"]))).toEqual([
    {
      role: "assistant",
      parts: [
        { type: "text", content: "I will ask the tool." },
        { type: "tool_call", id: expect.any(String), ...echo },
      ],
      finish_reason: "tool_calls",
    },
  ]);
});

test("a run that fails, and the turn by which it fails, have the error's kind and status", async () => {
  const collector = await startCollector();
  const refusal = { status: 401, body: JSON.stringify({ error: { message: "no such key", type: "auth" } }) };
  const { code } = await ask({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, [refusal]);
  expect(code).toBe(1);
  const spans = collector.spans();
  expect(spans.map(({ name, status }) => [name, status])).toEqual([
    ["chat cheap", 2],
    ["invoke_agent duet", 2],
  ]);
  for (const { attributes } of spans) expect(attributes["error.type"]).toBe("auth");
});

test("a run that is interrupted still arrives, and says so", async () => {
  const collector = await startCollector();
  const model = JSON.stringify({ provider: "openai", model: "cheap", base_url: fake.openaiUrl });
  fake.script("cheap", { text: "Well", hang: "after-text" });
  const child = await startProgram(["ask", "Hi"], {
    env: { OPENAI_API_KEY: "a", AGENT_FUNCTION_CALL_MODEL: model, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  child.stdin.end();
  const finished = collect(child);
  await expect.poll(() => fake.journal.length).toBe(1);
  child.kill("SIGINT");
  expect((await finished).code).toBe(130);
  const spans = collector.spans();
  expect(spans.map(({ name }) => name)).toEqual(["chat cheap", "invoke_agent duet"]);
  for (const { attributes } of spans) expect(attributes["error.type"]).toBe("cancelled");
  expect(named(spans, "invoke_agent duet")).toMatchObject({ status: 0, attributes: { "duet.status": "cancelled" } });
});

test("a tool that fails has an error of its own; the run it belongs to has none", async () => {
  const collector = await startCollector();
  const wrong = { name: "calculator", arguments: { expression: "1 / 0" } };
  const { outcome } = await ask({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, [
    { toolCalls: [wrong, { name: "missing", arguments: {} }] },
    { text: "Enough." },
  ]);
  expect(outcome.tool_calls.map(({ ok }) => ok)).toEqual([false, false]);
  const spans = collector.spans();
  expect(named(spans, "execute_tool calculator")).toMatchObject({ status: 2 });
  expect(named(spans, "execute_tool missing")).toMatchObject({
    status: 2,
    attributes: { "error.type": "unknown_tool" },
  });
  expect(named(spans, "invoke_agent duet").status).toBe(0);
});

test("a call to a downstream server carries what the MCP conventions ask for", async () => {
  const collector = await startCollector();
  const server = { command: process.execPath, args: [resolve("test/fakes/mcp.ts")], env: compileCache() };
  const { outcome } = await ask(
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    [{ toolCalls: [{ name: "far__echo", arguments: { text: "x" } }] }, { text: "Enough." }],
    { mcpServers: { far: server } },
  );
  expect(outcome.tool_calls).toMatchObject([{ ok: true }]);
  expect(named(collector.spans(), "execute_tool far__echo").attributes).toMatchObject({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "far__echo",
    "gen_ai.tool.type": "extension",
    "mcp.method.name": "tools/call",
    "mcp.protocol.version": expect.stringMatching(/^20\d\d-/),
    "network.transport": "pipe",
    "duet.mcp.server": "far",
  });
});

test("OpenTelemetry's own variables name the service, the path and the headers", async () => {
  const collector = await startCollector();
  await ask({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/my/path`,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc,x-team=blue",
    OTEL_SERVICE_NAME: "my-agent",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  });
  expect(collector.requests).toMatchObject([
    { path: "/my/path", headers: { authorization: "Bearer abc", "x-team": "blue" } },
  ]);
  expect(collector.spans()[0]?.resource).toMatchObject({
    "service.name": "my-agent",
    "deployment.environment.name": "test",
  });
});

test("a .env file may say all that, too", async () => {
  const collector = await startCollector();
  const folder = await temporaryFolder();
  const lines = [`OTEL_EXPORTER_OTLP_ENDPOINT=${collector.url}/`, "OTEL_EXPORTER_OTLP_HEADERS=x-team=green"];
  await writeFile(join(folder, ".env"), lines.join("\n"));
  const model = JSON.stringify({ provider: "openai", model: "cheap", base_url: fake.openaiUrl });
  fake.script("cheap", { text: "Hello." });
  const env = { OPENAI_API_KEY: "a", AGENT_FUNCTION_CALL_MODEL: model };
  expect((await runProgram(["ask", "Hi"], { env, cwd: folder })).code).toBe(0);
  const sent = collector.requests.map(({ path, headers }) => [path, headers["x-team"]]);
  expect(sent.toSorted()).toEqual([
    ["/v1/metrics", "green"],
    ["/v1/traces", "green"],
  ]);
});

test("nobody is called and no OpenTelemetry package is loaded unless an endpoint is set, or when it is switched off", async () => {
  const collector = await startCollector();
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ resolve(name, context, next) {
      if (name.startsWith("@opentelemetry/")) process.stderr.write("loaded " + name + "\\n");
      return next(name, context);
    } });`;
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(hook)}`;
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const none = { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" };
  for (const env of [{}, { ...endpoint, OTEL_SDK_DISABLED: "True" }, { ...endpoint, ...none }]) {
    const { code, stderr, outcome } = await ask({ ...env, NODE_OPTIONS }, agent, {}, runInOwnProcess);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(outcome.trace_id).toMatch(/^[0-9a-f]{32}$/);
  }
  expect(collector.connections()).toBe(0);
  const { stderr } = await ask({ ...endpoint, NODE_OPTIONS }, agent, {}, runInOwnProcess);
  expect(stderr).toContain("loaded @opentelemetry/api");
});

test("without its package beside it the program says what to install and goes on", async () => {
  const collector = await startCollector();
  const folder = await temporaryFolder();
  await mkdir(join(folder, "dist"));
  await cp(dirname(program), join(folder, "dist"), { recursive: true });
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  const elsewhere = join(folder, "dist", "duet.js");
  fake.script("cheap", { text: "Hello." });
  const env = {
    OPENAI_API_KEY: "a",
    AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", model: "cheap", base_url: fake.openaiUrl }),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  };
  const child = spawn(process.execPath, [elsewhere, "ask", "Hi", "--output", "json"], {
    cwd: folder,
    env: await programEnvironment(env),
  });
  child.stdin.end();
  const { code, stdout, stderr } = await collect(child);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).response).toBe("Hello.");
  expect(stderr.trim().split("\n")).toEqual([
    expect.stringMatching(/: OTEL_EXPORTER_OTLP_ENDPOINT is set.* npm install @opentelemetry\/api@1/),
  ]);
  expect(collector.spans()).toEqual([]);
});

test.each([
  ["localhost:4318", {}, "OTEL_EXPORTER_OTLP_ENDPOINT: localhost:4318 is not an http(s) address"],
  ["http://127.0.0.1:4317", { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not"],
  ["http://127.0.0.1:4317", { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "grpc" }, "OTLP_TRACES_PROTOCOL: grpc is not"],
])("an endpoint that cannot be used (%s) is told and costs no answer", async (endpoint, more, line) => {
  const { code, stderr } = await ask({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...more });
  expect(code).toBe(0);
  expect(stderr.trim().split("\n")).toEqual([expect.stringContaining(line)]);
});

test("a collector that takes Protobuf alone gets it where the protocol is set, and the line about its refusal says so", async () => {
  const onlyProtobuf = await startCollector({ status: 415 });
  const refused = await ask({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${onlyProtobuf.url}/v1/traces` });
  expect(refused.stderr).toContain("Unsupported Media Type (set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf)");
  const collector = await startCollector();
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` };
  const { stderr } = await ask({ ...env, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" });
  expect(stderr).toBe("");
  expect(collector.requests.map(({ headers }) => headers["content-type"])).toEqual(["application/x-protobuf"]);
  // The first byte is the tag of the first field; what follows holds random ids, which may have any byte.
  expect(collector.text()).toMatch(/^\n.*invoke_agent duet/s);
});

test.each([
  [
    "is not there",
    async () => "http://user:sesame@127.0.0.1:9",
    /could not be sent to http:\/\/…@127\.0\.0\.1:9\/v1\/traces/,
  ],
  ["refuses", async () => (await startCollector({ status: 400 })).url, /could not be sent to http:\S+: Bad Request/],
  [
    "never answers",
    async () => (await startCollector({ hangs: true })).url,
    /could not be sent to http:\S+ within 2 s/,
  ],
])("a collector that %s costs no answer, no exit code and one line", async (_, start, line) => {
  const { code, stderr, outcome } = await ask({ OTEL_EXPORTER_OTLP_ENDPOINT: await start() });
  expect({ code, response: outcome.response }).toEqual({ code: 0, response: "It spoke." });
  expect(stderr).toMatch(line);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});
