// One file for what needs a whole server: each file pays again for loading one.
import { expect, onTestFinished, test } from "vitest";
import { createSuccess, createTool } from "../../../src/tools/create-tool.ts";
import { type HttpDuet, startHttpDuet } from "../../fakes/http-duet.ts";
import { call, openSession, openSocket, rawText, startHttpFace } from "../../fakes/http-interface.ts";
import { answer, type Message, serveHttp } from "../../fakes/mcp-http.ts";

const wipeDisk = createTool({
  name: "wipe_disk",
  description: "Wipes a disk.",
  source: "user",
  inputSchema: { type: "object", properties: {} },
  annotations: { destructive: true },
  run: async () => createSuccess("wiped"),
});

function ask({ origin }: HttpDuet, accept = "application/json"): Promise<Response> {
  const headers = { "content-type": "application/json", accept };
  return fetch(`${origin}/agent/chat`, { method: "POST", headers, body: JSON.stringify({ message: "a" }) });
}

function complete({ origin }: HttpDuet): Promise<Response> {
  const body = JSON.stringify({ model: "duet-chat", messages: [{ role: "user", content: "c" }] });
  return fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
}

async function begun({ model }: HttpDuet, count = 1): Promise<void> {
  await expect.poll(() => model.requests.length).toBe(count);
}

test("told to end, it lets runs finish, takes no other, and says so where one asks whether it is ready", async () => {
  const gate = Promise.withResolvers<void>();
  const duet = await startHttpDuet({ turns: ["Done."], gate: gate.promise, grace: 60 });
  const runs = async (): Promise<unknown> => (await fetch(`${duet.origin}/agent/runs`)).json();
  const answer = ask(duet);
  await expect.poll(runs).toMatchObject({ runs: [{ status: "running" }] });
  const closed = duet.close();
  const ready = await fetch(`${duet.origin}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { status: "not ready", reason: "stopping" }]);
  const refused = await ask(duet);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await refused.json()).toMatchObject({ code: "overloaded" });
  gate.resolve();
  expect(await (await answer).json()).toMatchObject({ status: "complete", response: "Done." });
  await closed;
  expect(duet.lines.join("\n")).toMatch(/closing: waiting up to 60 s for 1 run to end/);
  await expect(fetch(`${duet.origin}/healthz`)).rejects.toThrow();
});

test("what has not ended in time is cancelled, and everybody who waits is told how it ended", async () => {
  const turns = [...Array.from({ length: 3 }, () => ({ hang: true as const, text: "Half" })), { hang: true as const }];
  const duet = await startHttpDuet({ turns });
  const [json, stream] = [ask(duet), ask(duet, "text/event-stream")];
  const session = await openSession(`${duet.origin}/mcp`);
  const mcp = session.send(call(1, "agent_ask", { question: "b" }));
  await begun(duet, 3);
  const completion = complete(duet);
  await begun(duet, 4);
  const closed = duet.close();
  expect(await (await json).json()).toMatchObject({ status: "cancelled", notices: [{ code: "server-ended" }] });
  expect(await (await stream).text()).toMatch(/event: run-end\ndata: .*"status":"cancelled".*\n\n$/);
  expect(await (await mcp).text()).toContain("The server is closing and has cancelled this run");
  const { status, headers } = await completion;
  expect([status, headers.get("x-should-retry")]).toEqual([424, "false"]);
  expect(await (await completion).json()).toMatchObject({
    error: { code: "overloaded", message: expect.stringContaining("The server is closing and has cancelled this run") },
  });
  await closed;
  expect(duet.lines.join("\n")).toContain("cancelled 4 runs");
});

test("a call that the end cuts off is told as one that may have taken effect, and not as finished", async () => {
  const entered = Promise.withResolvers<void>();
  const pour = createTool({
    ...{ name: "pour", description: "Pours a cup.", source: "user", inputSchema: { type: "object", properties: {} } },
    run: () => {
      entered.resolve();
      return new Promise(() => {});
    },
  });
  const settings = { tools: { askBeforeSending: false, allow: ["pour"] } };
  const duet = await startHttpDuet({ turns: [[{ id: "1", name: "pour", input: {} }]], tools: [pour], settings });
  const answer = ask(duet);
  await entered.promise;
  await duet.close();
  const message =
    "The server is closing and has cancelled this run. 1 tool call may have taken effect. Check that before you ask again.";
  expect(await (await answer).json()).toMatchObject({ status: "cancelled", notices: [{ message }] });
});

test("who hurries the end has all runs cancelled, told and kept all the same", async () => {
  const hurry = new AbortController();
  const turns = Array.from({ length: 2 }, () => ({ hang: true as const, text: "Half" }));
  const duet = await startHttpDuet({ turns, grace: 600, hurry: hurry.signal });
  const [json, stream] = [ask(duet), ask(duet, "text/event-stream")];
  await begun(duet, 2);
  const closed = duet.close();
  await expect.poll(() => duet.lines.join("\n")).toContain("closing: waiting");
  hurry.abort();
  expect(await (await json).json()).toMatchObject({ status: "cancelled" });
  expect(await (await stream).text()).toContain("event: run-end");
  await closed;
  expect(duet.lines.join("\n")).toContain("cancelled 2 runs");
});

test("a run that waits for a person does not hold up the end", async () => {
  const turns = [[{ id: "1", name: "wipe_disk", input: {} }], { hang: true as const }];
  const duet = await startHttpDuet({ turns, tools: [wipeDisk], grace: 600 });
  expect(await (await ask(duet)).json()).toMatchObject({ status: "needs_confirmation" });
  await duet.close();
  expect(duet.lines.join("\n")).toContain("cancelled 1 run waiting for a person");
});

test("a request whose body never comes does not hold up the end, and is told of", async () => {
  const duet = await startHttpDuet({ grace: 600 });
  const socket = await openSocket(duet.port);
  const more = { "content-type": "application/json", "content-length": "100" };
  socket.write(`${rawText("POST", "/agent/chat", duet.port, more)}{"message"`);
  // Connections are served in turn: by this answer the other request is being read.
  await fetch(`${duet.origin}/healthz`);
  await duet.close();
  expect(duet.lines.join("\n")).toContain("cut 1 request with an incomplete body");
  socket.destroy();
});

test("a stream of whatever may happen does not hold up the end", async () => {
  const duet = await startHttpDuet({ grace: 60 });
  const session = await openSession(`${duet.origin}/mcp`);
  const stream = await fetch(`${duet.origin}/mcp`, {
    headers: { accept: "text/event-stream", "mcp-session-id": session.id },
  });
  await Promise.all([duet.close(), stream.text()]);
});

const down = { command: "/nowhere/no-such-program" };

async function readyz(origin: string, headers = {}): Promise<[number, unknown]> {
  const response = await fetch(`${origin}/readyz`, { headers });
  return [response.status, await response.json()];
}

test("it is ready with models and a store, and the operator is told which", async () => {
  const { origin, lines } = await startHttpDuet({ settings: { locale: "zh" } });
  expect(lines).toEqual([`${origin}/mcp`, `网页：${origin}/`]);
  const models = { function_call: "fake/scripted", answer: "fake/scripted", without_key: [], paused: [] };
  expect(await readyz(origin)).toEqual([200, { status: "ready", models, servers: [], store: "memory" }]);
});

test("one server that is down is told, and no reason to take all out of service; when all are, it is", async () => {
  const { url, close } = await startHttpFace();
  onTestFinished(close);
  const some = await startHttpDuet({ settings: { mcpServers: { down, up: { url } } } });
  const all = await startHttpDuet({ settings: { mcpServers: { down } } });
  const failed = { name: "down", state: "failed", error: expect.any(String) };
  const of = (origin: string) => expect.poll(() => readyz(origin));
  await of(some.origin).toMatchObject([200, { servers: [failed, { name: "up", state: "ready" }] }]);
  await of(all.origin).toMatchObject([503, { servers: [failed] }]);
});

test("a server that has failed, and is tried again, is down until it has started", async () => {
  const starts: (() => void)[] = [];
  const server = await serveHttp((request, response, body) => {
    const message: Message = request.method === "POST" ? JSON.parse(body) : {};
    if (message.method === "tools/list") return answer(response, message, { tools: [] });
    if (message.method !== "initialize") return void response.writeHead(message.id === undefined ? 202 : 405).end();
    const serverInfo = { name: "slow", version: "1" };
    starts.push(() =>
      answer(response, message, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo }),
    );
    if (starts.length === 1) response.writeHead(401).end();
  });
  onTestFinished(() => server.close());
  const { origin } = await startHttpDuet({ settings: { mcpServers: { slow: { type: "http", url: server.url } } } });
  const failed = [503, { servers: [{ name: "slow", state: "failed", error: "auth" }] }];
  await expect.poll(() => readyz(origin)).toMatchObject(failed);
  await expect.poll(() => readyz(origin).then(() => starts.length)).toBe(2);
  expect(await readyz(origin)).toMatchObject(failed);
  starts[1]?.();
  await expect.poll(() => readyz(origin)).toMatchObject([200, { servers: [{ name: "slow", state: "ready" }] }]);
});

test("who is not signed in is told no more than whether", async () => {
  const { origin, lines } = await startHttpDuet({ environment: { DUET_HTTP_TOKEN: "a-canary-of-a-token" } });
  expect(lines).toEqual([
    `${origin}/mcp`,
    `the page: ${origin}/#token=… (replace … with the value of DUET_HTTP_TOKEN)`,
  ]);
  expect(await readyz(origin)).toEqual([200, { status: "ready" }]);
  expect(await readyz(origin, { authorization: "Bearer a-canary-of-a-token" })).toMatchObject([
    200,
    { store: "memory" },
  ]);
});

test("a model without its key is named, and no model is asked anything", async () => {
  const settings = { models: { functionCall: { provider: "openai", model: "m" } } };
  const without = await startHttpDuet({ settings, models: {} });
  expect(await readyz(without.origin)).toMatchObject([503, { models: { without_key: ["openai/m"] } }]);
  const environment = { OPENAI_API_KEY: "a-key-of-this-test", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };
  const withKey = await startHttpDuet({ settings, models: {}, environment });
  expect(await readyz(withKey.origin)).toMatchObject([200, { models: { function_call: "openai/m", without_key: [] } }]);
});

test("over HTTP it is 429 with the time to wait, and the day's rest is the run's own budget", async () => {
  const late = { text: "Late.", tokens: 300 };
  const turns = [{ calls: [{ id: "1", name: "current_time", input: {} }], tokens: 300 }, late, "Later."];
  const duet = await startHttpDuet({ turns, settings: { serve: { limits: { tokensPerDay: 1000 } } } });
  expect(await (await ask(duet)).json()).toMatchObject({ status: "partial", stop_reason: "token_limit" });
  const refused = await ask(duet);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: "quota", detail: expect.stringContaining("tokensPerDay") });
});
