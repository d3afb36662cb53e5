import { expect, onTestFinished, test } from "vitest";
import { createStoreMonitor } from "../../../src/app/conversations/store-monitor.ts";
import { createBoundedLabel } from "../../../src/app/telemetry/bounded-label.ts";
import { createMetrics } from "../../../src/app/telemetry/metrics.ts";
import { readTelemetry } from "../../../src/config/telemetry.ts";
import { runListSchema } from "../../../src/core/schemas/run-schema.ts";
import { openOperations } from "../../../src/server/operations/operations.ts";
import { countedTool } from "../../fakes/callers.ts";
import { startHttpDuet } from "../../fakes/http-duet.ts";
import { startHttpFace } from "../../fakes/http-interface.ts";
import { readMetrics, total } from "./read-metrics.ts";

async function ask(origin: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${origin}/agent/chat`, { method: "POST", headers, body: JSON.stringify(body) });
}

test("what runs, tools and requests have done stands at /metrics, and nothing that was said", async () => {
  const input = { text: "canary-argument" };
  const { origin } = await startHttpDuet({
    turns: [[{ id: "1", name: "lookup", input }], "canary-answer", "canary-answer"],
    tools: [countedTool("lookup")],
  });
  const answered = await ask(origin, { message: "canary-question" });
  expect(await answered.json()).toMatchObject({ status: "complete", meta: { tool_calls_count: 1 } });
  await (await fetch(`${origin}/canary-path?canary=query`)).text();
  const response = await fetch(`${origin}/metrics`);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  expect(text).not.toContain("canary");
  const samples = readMetrics(text);
  expect(total(samples, "duet_runs_total", { mode: "agent", status: "complete" })).toBe(1);
  expect(total(samples, "duet_runs_active")).toBe(0);
  expect(total(samples, "duet_run_duration_seconds_count", { mode: "agent" })).toBe(1);
  expect(total(samples, "duet_tool_calls_total", { tool: "lookup", result: "ok", cached: "false" })).toBe(1);
  expect(total(samples, "duet_tokens_total", { role: "function_call", direction: "input" })).toBeGreaterThan(0);
  expect(total(samples, "duet_phase_duration_seconds_count", { phase: "decide", model: "fake/scripted" })).toBe(2);
  expect(total(samples, "duet_time_to_first_token_seconds_count")).toBeGreaterThan(0);
  expect(total(samples, "duet_cost_unknown_total")).toBeGreaterThan(0);
  const chat = { route: "/agent/chat", method: "POST", status: "200" };
  expect(total(samples, "duet_http_requests_total", chat)).toBe(1);
  expect(total(samples, "duet_http_requests_total", { route: "none", status: "404" })).toBe(1);
  // Of a test that nothing held up: a figure in milliseconds would be over a minute.
  expect(total(samples, "nodejs_eventloop_lag_p99_seconds")).toBeLessThan(60);
  expect(total(samples, "process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
  expect(total(samples, "duet_http_streams_open")).toBe(0);
});

test("a run that fails is counted with its error, one that goes on as active", async () => {
  const gate = Promise.withResolvers<void>();
  const { origin } = await startHttpDuet({ turns: [], gate: gate.promise });
  const waiting = ask(origin, { message: "a" });
  const look = async () => readMetrics(await (await fetch(`${origin}/metrics`)).text());
  await expect.poll(async () => total(await look(), "duet_runs_active")).toBe(1);
  gate.resolve();
  expect(await (await waiting).json()).toMatchObject({ status: "failed" });
  const samples = await look();
  expect(total(samples, "duet_runs_active")).toBe(0);
  expect(total(samples, "duet_runs_total", { status: "failed" })).toBe(1);
  expect(total(samples, "duet_errors_total", { source: "run" })).toBe(1);
});

test("what somebody wanted so is no error: a run that was cancelled, a call that was refused", async () => {
  const wipe = { ...countedTool("wipe"), annotations: { destructive: true } };
  const { origin, model } = await startHttpDuet({
    turns: [[{ id: "1", name: "wipe", input: {} }], { hang: true }],
    tools: [wipe],
    settings: { serve: { confirm: "never" } },
  });
  const answer = ask(origin, { message: "a" });
  await expect.poll(() => model.requests.length).toBe(2);
  const [run] = runListSchema.parse(await (await fetch(`${origin}/agent/runs`)).json()).runs;
  await fetch(`${origin}/agent/runs/${run?.run_id}`, { method: "DELETE" });
  expect(await (await answer).json()).toMatchObject({ status: "cancelled" });
  const text = await (await fetch(`${origin}/metrics`)).text();
  const samples = readMetrics(text);
  expect(total(samples, "duet_runs_total", { status: "cancelled" })).toBe(1);
  expect(total(samples, "duet_tool_calls_total", { tool: "wipe", result: "denied" })).toBe(1);
  expect(text).not.toMatch(/^duet_errors_total\{/m);
});

test("/metrics is the operator's alone", async () => {
  const metrics = createMetrics(readTelemetry({}), {}, () => {});
  const operations = openOperations({ metrics, readStore: () => createStoreMonitor().status });
  const authenticate = async ({ headers }: Request) => ({ caller: { owner: headers.get("x-owner") ?? undefined } });
  const face = await startHttpFace({ routes: operations.routes, authenticate });
  onTestFinished(async () => {
    await metrics.close();
    await face.close();
  });
  const refused = await fetch(new URL("/metrics", face.url), { headers: { "x-owner": "anna" } });
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("the operator of this server")]);
  expect((await fetch(new URL("/metrics", face.url))).status).toBe(200);
});

test("however many names a server makes up, there are no more labels than allowed, each on one line", () => {
  const label = createBoundedLabel(3);
  const labels = Array.from({ length: 10_000 }, (_, at) => label(`tool\n${at}${"x".repeat(200)}`));
  expect(new Set(labels).size).toBe(4);
  expect(labels.every((each) => each.length <= 100 && !each.includes("\n"))).toBe(true);
  expect([label(`tool\n0${"x".repeat(200)}`), label("another")]).toEqual([labels[0], "other"]);
});
