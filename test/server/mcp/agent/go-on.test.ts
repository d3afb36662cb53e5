import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Outcome } from "../../../../src/core/run/outcome.ts";
import type { Tool } from "../../../../src/core/tools/tool.ts";
import { sleep, waitAbortable } from "../../../../src/kit/async/timeout.ts";
import type { JsonObject } from "../../../../src/kit/json.ts";
import type { Host } from "../../../../src/runs/input/host.ts";
import type { RunHandle } from "../../../../src/runs/live/run-handle.ts";
import type { CallerScope } from "../../../../src/runs/run-service.ts";
import { offerGoOn } from "../../../../src/server/mcp/agent/offer-go-on.ts";
import { createSuccess, createTool } from "../../../../src/tools/create-tool.ts";
import { makeTool } from "../../../fakes/events.ts";
import { type HttpDuetSettings, startHttpDuet } from "../../../fakes/http-duet.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../../../fakes/model.ts";
import { temporaryFolder } from "../../../fakes/program.ts";

/** Answers with a page of its own for each city. */
const weather: Tool = {
  ...makeTool("weather", () => ({ ok: true, text: "" })),
  inputSchema: { type: "object", properties: { city: { type: "string" } } },
  run: async ({ city }) => {
    const source = { title: String(city), url: `https://weather.example/${String(city)}`, snippet: `12 °C in ${city}` };
    return { ok: true, text: source.snippet, kind: "files", sources: [source] };
  },
};

function callWeather(...cities: string[]): ScriptedCall[] {
  return cities.map((city) => ({ id: city, name: "weather", input: { city } }));
}

const limits = { maxToolCalls: 2, maxIterations: 4 };

interface GoOnSettings extends HttpDuetSettings {
  /** Is what the host's user says to the offer; yes when absent. */
  reply?(withdrawn: AbortSignal): Promise<"accept" | "decline">;
}

/** Connects a host whose user wants to go on with each run that has reached a limit. */
async function connectHost({ settings, reply = async () => "accept", ...options }: GoOnSettings) {
  const own = { agent: limits, tools: { askBeforeSending: false }, ...settings };
  const { origin, model } = await startHttpDuet({ tools: [weather], ...options, settings: own });
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    asked.push(params.message);
    return { action: await reply(mcpReq.signal), content: {} };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`)));
  onTestFinished(() => client.close());
  return { client, asked, origin, model };
}

async function call(client: Client, name: string, args: JsonObject, timeout?: number) {
  const result = await client.callTool({ name, arguments: args }, { timeout });
  return { result, text: JSON.stringify(result.content), outcome: result.structuredContent as unknown as Outcome };
}

const question = "The weather of five cities";

async function askOn(turns: ScriptedTurn[], settings: JsonObject = {}) {
  const { client, asked } = await connectHost({ turns, settings });
  return { asked, ...(await call(client, "agent_ask", { question, detail: "full" })) };
}

const firstTurns: ScriptedTurn[] = [callWeather("Rome", "Bari", "Pisa"), "12 °C in Rome [1] and in Bari [2]."];

test("who goes on through a form gets the answers, sources, calls and tokens of all the runs", async () => {
  const { outcome, text, asked } = await askOn([
    ...firstTurns,
    callWeather("Pisa", "Oslo", "Lima"),
    "12 °C in Pisa [3] and Oslo [4], as in Rome [1]; `list[1]` is Oslo.",
    callWeather("Lima"),
    "12 °C in Lima, too [5].",
  ]);
  expect(asked).toHaveLength(2);
  const cities = ["Rome", "Bari", "Pisa", "Oslo", "Lima"];
  expect(outcome.response).toBe(
    [
      "12 °C in Rome [1] and in Bari [2].",
      "12 °C in Pisa [3] and Oslo [4], as in Rome [1]; `list[1]` is Oslo.",
      "12 °C in Lima, too [5].",
      "References",
      cities.map((city, index) => `- [${index + 1}] ${city} https://weather.example/${city}`).join("\n"),
    ].join("\n\n"),
  );
  expect(outcome).toMatchObject({
    status: "complete",
    citations: cities.map((title, index) => ({ n: index + 1, title })),
    tool_calls: [true, true, false, true, true, false, true].map((ok) => ({ ok })),
    meta: { total_tokens: 120, tool_calls_count: 7, models: { function_call: { calls: 4 }, answer: { calls: 2 } } },
  });
  expect(text).not.toContain("partial");
});

test("who goes on and meets an error still gets the first answer, as a partial one with that error", async () => {
  const { result, text } = await askOn(firstTurns);
  expect(result.isError).toBeUndefined();
  expect(text).toContain("12 °C in Rome [1] and in Bari [2].");
  expect(text).toMatch(/This answer is partial: Internal server error/);
  expect(result.structuredContent).toMatchObject({ status: "partial", stop_reason: "error" });
});

test("who goes on and declines the second plan gets the first answer as it ended, with a word that it was not gone on with", async () => {
  const replies = ["accept", "accept", "decline"] as const;
  const plan = (city: string): string =>
    JSON.stringify({ steps: [{ step: 1, description: "look up", tool: "weather", parameters: { city } }] });
  const { client, asked } = await connectHost({
    turns: [plan("?"), ...firstTurns, plan("Pisa")],
    reply: async () => replies[asked.length - 1] ?? "decline",
  });
  const { outcome, text } = await call(client, "agent_ask", { question, mode: "plan", detail: "full" });
  expect(asked.map((message) => message.split("\n").at(-1))).toEqual([
    expect.stringContaining('"?"'),
    "Go on from here, with the limits counted anew?",
    expect.stringContaining("Pisa"),
  ]);
  expect(outcome).toMatchObject({
    status: "partial",
    stop_reason: "tool_call_limit",
    notices: [{ code: "not-gone-on", message: "Did not go on: the new plan was declined." }],
  });
  expect(text).toContain("12 °C in Rome [1] and in Bari [2].");
  expect(text).not.toContain("nothing");
});

test("who may begin no further run gets the first answer, with the reason why it did not go on", async () => {
  const { result, outcome, asked } = await askOn(firstTurns, { serve: { limits: { runsPerMinute: 1 } } });
  expect(asked).toHaveLength(1);
  expect(result.isError).toBeUndefined();
  expect(outcome).toMatchObject({ status: "partial", stop_reason: "tool_call_limit" });
  expect(outcome.response).toContain("12 °C in Rome [1] and in Bari [2].");
  expect(outcome.notices).toContainEqual(
    expect.objectContaining({
      code: "not-gone-on",
      message: expect.stringMatching(/^Did not go on: This caller has started 1 runs within a minute/),
    }),
  );
});

/** Plays a run that reaches its limit, and one that goes on with it once it is released. */
function scriptHeldRun() {
  const scripted = scriptedModel([...firstTurns, callWeather("Pisa"), "12 °C in Pisa [3]."]);
  const released = Promise.withResolvers<void>();
  const model: typeof scripted = {
    ...scripted,
    async stream(request, onEvent, signal) {
      if (scripted.requests.length >= firstTurns.length) await waitAbortable(released.promise, signal);
      return scripted.stream(request, onEvent, signal);
    },
  };
  return { models: { functionCall: model, answer: model }, requests: scripted.requests, released };
}

const both = /^12 °C in Rome \[1\] and in Bari \[2\]\.\n\n12 °C in Pisa \[3\]\.\n\nReferences\n\n/;

test("a run that goes on has what is left of the call's window, and the same question joins it", async () => {
  const { models, requests, released } = scriptHeldRun();
  // The user replies in the middle of the window, and the host gives up before a second one would be over.
  const [windowMs, patienceMs] = [4000, 5500];
  let repliesAt = 0;
  const { client } = await connectHost({
    models,
    reply: () => sleep(Math.max(0, repliesAt - performance.now())).then(() => "accept" as const),
  });
  repliesAt = performance.now() + windowMs / 2;
  const { outcome: running } = await call(client, "agent_ask", { question, wait_s: windowMs / 1000 }, patienceMs);
  expect(running).toMatchObject({ status: "running", response: expect.stringContaining("Rome [1] and in Bari [2].") });
  released.resolve();
  const { outcome } = await call(client, "agent_ask", { question });
  expect(outcome).toMatchObject({ status: "complete", run_id: running.run_id, response: expect.stringMatching(both) });
  expect(requests).toHaveLength(4);
});

test("a run that goes on is recorded as asked for like the first, so that another process has it joined by the same question", async () => {
  const { models, requests, released } = scriptHeldRun();
  const home = await temporaryFolder();
  const { client } = await connectHost({
    models,
    settings: { conversations: { store: "disk" } },
    environment: { DUET_HOME: home },
  });
  const asked = call(client, "agent_ask", { question });
  await expect.poll(() => requests.length).toBe(firstTurns.length);
  const read = (): JsonObject[] => {
    const database = new DatabaseSync(join(home, "duet.db"), { readOnly: true });
    const rows = database.prepare("SELECT run, header FROM journal_runs ORDER BY begun_at").all();
    database.close();
    return rows.map(({ run, header }) => ({ ...JSON.parse(String(header)), run }));
  };
  await expect.poll(() => read().length).toBe(2);
  const [first, second] = read();
  expect(second).toMatchObject({ goesOn: true, goesOnWith: first?.run, key: first?.key });
  expect(second).not.toHaveProperty("wantedConversationId");
  released.resolve();
  expect((await asked).outcome.status).toBe("complete");
});

test("a host that gives up while its user is asked to go on gets the answer when it asks again", async () => {
  const stop = new AbortController();
  const withdrawn = Promise.withResolvers<void>();
  const { client, asked } = await connectHost({
    turns: firstTurns,
    async reply(signal) {
      if (stop.signal.aborted) return "decline";
      signal.addEventListener("abort", () => withdrawn.resolve());
      stop.abort();
      await withdrawn.promise;
      return "accept";
    },
  });
  await expect(
    client.callTool({ name: "agent_ask", arguments: { question } }, { signal: stop.signal }),
  ).rejects.toThrow();
  await withdrawn.promise;
  const { outcome } = await call(client, "agent_ask", { question });
  expect(outcome).toMatchObject({ status: "partial", response: expect.stringContaining("Rome [1] and in Bari [2].") });
  expect(asked).toHaveLength(2);
});

test("the same question, asked while its user is asked to go on, waits for the reply in its window without another run, and only then begins a new run", async () => {
  const shown = Promise.withResolvers<void>();
  const withdrawn = Promise.withResolvers<void>();
  const { client, asked, model } = await connectHost({
    turns: [...firstTurns, callWeather("Oslo"), "12 °C in Oslo [1]."],
    async reply(signal) {
      signal.addEventListener("abort", () => withdrawn.resolve());
      shown.resolve();
      await withdrawn.promise;
      return "decline";
    },
  });
  const stop = new AbortController();
  const first = client.callTool({ name: "agent_ask", arguments: { question } }, { signal: stop.signal });
  const isGivenUp = expect(first).rejects.toThrow();
  await shown.promise;
  const { outcome } = await call(client, "agent_ask", { question, wait_s: 0 });
  expect(outcome).toMatchObject({ status: "partial", response: expect.stringContaining("Rome [1] and in Bari [2].") });
  expect([model.requests.length, asked.length]).toEqual([2, 1]);
  stop.abort();
  await Promise.all([isGivenUp, withdrawn.promise]);
  const { outcome: next } = await call(client, "agent_ask", { question });
  expect(next.run_id).not.toBe(outcome.run_id);
});

test("a user is asked to go on also where the run's end comes by agent_result, once, with the request's own limits", async () => {
  const gate = Promise.withResolvers<void>();
  const replies = ["accept", "decline"] as const;
  const { client, asked } = await connectHost({
    turns: [...firstTurns, callWeather("Pisa", "Oslo", "Lima"), "12 °C in Pisa [3] and Oslo [4]."],
    gate: gate.promise,
    settings: { agent: { maxIterations: 4 } },
    reply: async () => replies[asked.length - 1] ?? expect.unreachable(),
  });
  const { outcome: running } = await call(client, "agent_ask", { question, wait_s: 0, max_tool_calls: 2 });
  expect(running.status).toBe("running");
  gate.resolve();
  const { outcome } = await call(client, "agent_result", { run_id: running.run_id, detail: "full" });
  expect(outcome).toMatchObject({
    status: "partial",
    stop_reason: "tool_call_limit",
    response: expect.stringMatching(/^12 °C in Rome \[1\].*\n\n12 °C in Pisa \[3\]/),
    tool_calls: [true, true, false, true, true, false].map((ok) => ({ ok })),
  });
  for (const { run_id } of [running, outcome]) await call(client, "agent_result", { run_id });
  expect(asked).toHaveLength(2);
});

test("a user is asked to go on where a result was read before by one whom nobody asks, and not in the last moments of a call", async () => {
  const gate = Promise.withResolvers<void>();
  const { client, asked, origin } = await connectHost({
    turns: firstTurns,
    gate: gate.promise,
    reply: async () => "decline",
  });
  const { outcome: running } = await call(client, "agent_ask", { question, wait_s: 0 });
  const { run_id } = running;
  const watched = await fetch(`${origin}/agent/runs/${run_id}`, { headers: { accept: "text/event-stream" } });
  gate.resolve();
  expect(await watched.text()).toContain('"type":"run-end"');
  for (const wait_s of [0, 1]) {
    const { outcome } = await call(client, "agent_result", { run_id, wait_s });
    expect([outcome.status, asked.length]).toEqual(["partial", 0]);
  }
  for (let time = 0; time < 2; time += 1) await call(client, "agent_result", { run_id });
  expect(asked).toHaveLength(1);
});

test("who asks later for the result of a run that went on gets the answers of both, too", async () => {
  const { models, released } = scriptHeldRun();
  const { client } = await connectHost({ models });
  const { outcome: running } = await call(client, "agent_ask", { question, detail: "full", wait_s: 4 });
  expect(running).toMatchObject({ status: "running", tool_calls: [{ ok: true }, { ok: true }, { ok: false }] });
  released.resolve();
  const { run_id } = running;
  const { outcome } = await call(client, "agent_result", { run_id, detail: "full" });
  expect(outcome).toMatchObject({ status: "complete", run_id, meta: { tool_calls_count: 4 } });
  expect(outcome.response).toMatch(both);
});

test("two calls of one question both get the answers of both runs where its user goes on", async () => {
  const shown = Promise.withResolvers<void>();
  const replied = Promise.withResolvers<void>();
  const { client, asked, model } = await connectHost({
    turns: [...firstTurns, callWeather("Pisa"), "12 °C in Pisa [3]."],
    async reply() {
      shown.resolve();
      await replied.promise;
      return "accept";
    },
  });
  const calls = [call(client, "agent_ask", { question })];
  await shown.promise;
  const joined = vi.fn();
  const second = client.callTool({ name: "agent_ask", arguments: { question } }, { onprogress: joined });
  await expect.poll(() => JSON.stringify(joined.mock.calls)).toContain("has been running");
  replied.resolve();
  const [first] = await Promise.all(calls);
  expect(first?.outcome).toMatchObject({ status: "complete", response: expect.stringMatching(both) });
  expect((await second).structuredContent).toMatchObject({
    status: "complete",
    run_id: first?.outcome.run_id,
    response: expect.stringMatching(both),
  });
  expect([asked.length, model.requests.length]).toEqual([1, 4]);
});

test("a run that its user lets go on is waited for, told and stopped by the ID of the first", async () => {
  const { models, requests, released } = scriptHeldRun();
  const { client } = await connectHost({ models });
  const { outcome: first } = await call(client, "agent_ask", { question, wait_s: 0 });
  const { run_id } = first;
  const stop = new AbortController();
  const given = client.callTool({ name: "agent_result", arguments: { run_id } }, { signal: stop.signal });
  const isGivenUp = expect(given).rejects.toThrow();
  await expect.poll(() => requests.length).toBe(firstTurns.length);
  await expect
    .poll(async () => (await call(client, "agent_result", { run_id, wait_s: 0 })).outcome)
    .toMatchObject({ status: "running", run_id: expect.not.stringMatching(run_id) });
  stop.abort("Request timed out");
  await isGivenUp;
  const { text } = await call(client, "agent_message", { run_id, message: "Name Oslo, too." });
  expect(text).toContain("It is passed on at the next step.");
  const joined = call(client, "agent_result", { run_id });
  released.resolve();
  const { outcome } = await joined;
  expect(outcome).toMatchObject({ status: "complete", response: expect.stringMatching(both) });
  expect(JSON.stringify(requests)).toContain("Name Oslo, too.");
  expect((await call(client, "agent_result", { run_id })).outcome.run_id).toBe(outcome.run_id);
});

test("a run that its user lets go on is stopped by the ID of the first, and its result has the answer so far", async () => {
  const { models } = scriptHeldRun();
  const { client } = await connectHost({ models });
  const { outcome: first } = await call(client, "agent_ask", { question, wait_s: 0 });
  const { run_id } = first;
  const waiting = call(client, "agent_result", { run_id });
  await expect
    .poll(async () => (await call(client, "agent_result", { run_id, wait_s: 0 })).outcome.run_id)
    .not.toBe(run_id);
  const { outcome } = await call(client, "agent_cancel", { run_id });
  expect(outcome).toMatchObject({
    status: "cancelled",
    response: expect.stringContaining("Rome [1] and in Bari [2]."),
  });
  expect((await waiting).outcome).toMatchObject({ status: "cancelled", run_id: outcome.run_id });
});

test("who goes on where another question was answered meanwhile gets the answer so far, with the reason", async () => {
  const { client, model } = await connectHost({
    turns: ["Hello.", ...firstTurns, "12 °C in Oslo."],
    async reply() {
      const { outcome } = await call(client, "agent_ask", { question: "And in Oslo?", conversation_id });
      expect(outcome.status).toBe("complete");
      return "accept";
    },
  });
  const { conversation_id } = (await call(client, "agent_ask", { question: "Hello" })).outcome;
  const { outcome } = await call(client, "agent_ask", { question, conversation_id });
  expect(outcome).toMatchObject({
    status: "partial",
    notices: expect.arrayContaining([
      expect.objectContaining({
        code: "not-gone-on",
        message: "Did not go on: Another question has been answered in this conversation meanwhile.",
      }),
    ]),
  });
  expect(model.requests).toHaveLength(4);
});

test("a later process gives the answers of both runs by the ID of either, as one with one list of sources", async () => {
  const home = await temporaryFolder();
  const shared = { settings: { conversations: { store: "disk" } }, environment: { DUET_HOME: home } };
  const turns = [...firstTurns, callWeather("Pisa"), "12 °C in Pisa [3]."];
  const gate = Promise.withResolvers<void>();
  const before = await connectHost({ ...shared, turns, gate: gate.promise });
  const { outcome: first } = await call(before.client, "agent_ask", { question, wait_s: 0 });
  gate.resolve();
  const { outcome } = await call(before.client, "agent_result", { run_id: first.run_id });
  expect(outcome).toMatchObject({ status: "complete", response: expect.stringMatching(both) });
  const { client } = await connectHost({ ...shared, turns: [] });
  for (const run_id of [first.run_id, outcome.run_id]) {
    const { outcome: stored } = await call(client, "agent_result", { run_id });
    expect(stored).toMatchObject({ run_id: outcome.run_id, response: outcome.response, citations: outcome.citations });
  }
});

test.each([
  ["rejects", false, () => Promise.reject(new Error("the disk is full"))],
  ["does not answer", false, () => new Promise<never>(() => {})],
  ["does not answer a host of 2026-07-28", true, () => new Promise<never>(() => {})],
])("nobody is asked to go on, and no error comes, where the store %s", async (_, isModern, runs) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const offer = offerGoOn(
    { duet: { store: async () => ({ runs }) }, caller: {} } as unknown as CallerScope,
    { locale: "en", asked: { input: { question }, chain: { depth: 0 } } } as RunHandle,
    { status: "partial", limit: { setting: "agent.maxToolCalls", value: 2 } } as Outcome,
    {
      host: { asksForms: true, isModern } as Host,
      chain: { depth: 0 },
      hostRequest: undefined,
      requestContext: {
        ...{ signal: new AbortController().signal, hasRounds: () => true },
        ask: async () => expect.unreachable(),
      },
      leftMs: 10_000,
    },
  );
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await offer).toBeUndefined();
});

const disk = createTool({
  ...{ name: "wipe_disk", description: "Wipes a disk.", source: "user", annotations: { destructive: true } },
  inputSchema: { type: "object", properties: { name: { type: "string" } } },
  run: async () => createSuccess("wiped"),
});

test("a host of 2026-07-28 whose user agrees to many calls gets `running` before it would give the call up", async () => {
  const turns = [
    ...Array.from({ length: 12 }, (_, name) => [
      { id: String(name), name: "wipe_disk", input: { name: String(name) } },
    ]),
    "All are wiped.",
  ];
  const settings = { agent: { maxToolCalls: 25, maxIterations: 25 } };
  const { origin } = await startHttpDuet({ turns, tools: [disk], settings });
  const capabilities = { elicitation: { form: {} } };
  const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode: "auto" } });
  let asked = 0;
  client.setRequestHandler("elicitation/create", () => {
    asked += 1;
    return { action: "accept", content: { scope: "once" } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`)));
  onTestFinished(() => client.close());
  const first = await call(client, "agent_ask", { question });
  expect(first.outcome.status).toBe("running");
  expect(first.text).toContain("It is waiting for the user's reply (wipe_disk): agent_result asks again.");
  expect(asked).toBe(8);
  const { outcome } = await call(client, "agent_result", { run_id: first.outcome.run_id });
  expect(outcome).toMatchObject({ status: "complete", response: "All are wiped." });
  expect(asked).toBe(12);
});
