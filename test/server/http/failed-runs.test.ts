// How the clients of model APIs are told of a run that failed, and how an operator finds it.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as immediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { DuetError } from "../../../src/kit/errors.ts";
import { countedTool } from "../../fakes/callers.ts";
import { startHttpDuet } from "../../fakes/http-duet.ts";
import { startFakeProvider } from "../../fakes/provider.ts";
import { readMetrics, total } from "../operations/read-metrics.ts";

function post(origin: string, path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

const messages = [{ role: "user", content: "Look it up." }];
const names = ["x-should-retry", "retry-after"];

test("a rate limit says when it ends, also after a tool was called, and only before that is the request to be sent again", async () => {
  const text = { zh: "请求过于频繁", en: "too many requests" };
  const limited = () => ({ error: new DuetError({ code: "rate_limit", text, retryAfterMs: 40_000 }) });
  const call = [{ id: "1", name: "lookup", input: {} }];
  const { origin } = await startHttpDuet({
    turns: [limited(), call, limited(), limited(), limited()],
    tools: [countedTool("lookup")],
  });
  // An answer of this form is never made of the results alone.
  const format = { response_format: { type: "json_object" } };
  const ask = () => post(origin, "/v1/chat/completions", { model: "duet-agent", messages, ...format });
  const before = await ask();
  expect([before.status, ...names.map((name) => before.headers.get(name))]).toEqual([429, "true", "40"]);
  const after = await ask();
  expect([after.status, ...names.map((name) => after.headers.get(name))]).toEqual([424, "false", "40"]);
  expect(await after.json()).toMatchObject({ error: { code: "rate_limit_exceeded", retry_after_s: 40 } });
});

test("every run of a client that keeps its conversation has a trace under the id of its answer, a failed one too", async () => {
  const text = { zh: "坏了", en: "it broke" };
  const { origin } = await startHttpDuet({
    turns: [
      "Found.",
      { error: new DuetError({ code: "server", text }) },
      { error: new DuetError({ code: "server", text }) },
    ],
  });
  for (const [status, ended] of [
    [200, "complete"],
    [424, "failed"],
  ] as const) {
    const response = await post(origin, "/v1/chat/completions", { model: "duet-chat", messages });
    const id = response.headers.get("x-request-id");
    expect([response.status, id]).toEqual([status, expect.stringMatching(/^run-/)]);
    const trace = await fetch(`${origin}/agent/runs/${id}/trace`);
    expect(await trace.json()).toMatchObject({ run_id: id, status: ended, question: "Look it up." });
  }
  const list = await fetch(`${origin}/agent/conversations`);
  expect(await list.json()).toMatchObject({ conversations: [] });
});

test("a model that its vendor does not have is no fault of the client, and is told as the model that failed", async () => {
  const fake = await startFakeProvider();
  onTestFinished(() => fake.close());
  const body = '{"error":{"message":"The model `gone` does not exist","code":"model_not_found"}}';
  for (const model of ["gone", "there"]) fake.script(model, { status: 404, body }, { status: 404, body });
  const wire = { wire: "openai-chat", baseUrl: fake.openaiUrl, apiKeyEnv: "LOCAL_KEY" };
  const { origin } = await startHttpDuet({
    settings: {
      models: { functionCall: { provider: "local", model: "there" }, answer: { provider: "local", model: "gone" } },
      providers: { local: wire },
    },
    models: {},
    environment: { LOCAL_KEY: "sk-test-openai-0001" },
  });
  const response = await post(origin, "/v1/chat/completions", { model: "duet-chat", messages });
  expect([response.status, response.headers.get("x-should-retry")]).toEqual([424, "false"]);
  expect(await response.json()).toMatchObject({
    error: { type: "run_failed", code: "model_not_found", message: expect.stringMatching(/^local\/gone: /) },
  });
});

test("a run that is not waited for is told with its conversation", async () => {
  const { origin } = await startHttpDuet({ turns: [{ hang: true }] });
  const response = await post(origin, "/agent/chat", { message: "Look it up.", wait_s: 0 });
  expect([response.status, await response.json()]).toMatchObject([
    202,
    { status: "running", conversation_id: expect.stringMatching(/^conv-/) },
  ]);
});

test("the first reading of the metrics tells how long the event loop was held up before it", async () => {
  const { origin } = await startHttpDuet();
  // This monitor starts after the program's own and looks as often, so that whatever it has seen, that one has seen too.
  const seen = monitorEventLoopDelay({ resolution: 20 });
  seen.enable();
  onTestFinished(() => void seen.disable());
  // A monitor measures from its first look on.
  while (seen.count === 0) await immediate();
  const until = performance.now() + 300;
  while (performance.now() < until);
  while (seen.max < 3e8) await immediate();
  const samples = readMetrics(await (await fetch(`${origin}/metrics`)).text());
  expect(total(samples, "nodejs_eventloop_lag_max_seconds")).toBeGreaterThan(0.25);
});
