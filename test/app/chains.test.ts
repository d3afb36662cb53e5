// Agents that call agents: fault group P (docs/development/faults-models.md#p-loops-budgets-chains-of-agents), with the Duets
// side by side in this process.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import type { Duet } from "../../src/app/duet.ts";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { startCollector } from "../fakes/collector.ts";
import { openDuetPort } from "../fakes/duet-port.ts";
import { outcomeOf } from "../fakes/events.ts";
import { forgetfulGateway } from "../fakes/forgetful-gateway.ts";
import { newServer } from "../fakes/mcp-http.ts";
import { type FakeProvider, type FakeTurn, type JournalEntry, startFakeProvider } from "../fakes/provider.ts";

const key = { OPENAI_API_KEY: "sk-test-openai-0001" };
const price = { input: 1, output: 1 };

async function provide(): Promise<FakeProvider> {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  return provider;
}

/** The settings of a Duet whose one model has this name. */
function settings({ openaiUrl }: FakeProvider, model: string, servers: Record<string, { url: string }> = {}) {
  return {
    models: { functionCall: { provider: "openai", model } },
    providers: { openai: { baseUrl: openaiUrl, prices: { [model]: price } } },
    // An agent that has servers says that it may destroy something; whoever puts it below another one agrees to that.
    tools: { allow: ["*__agent_ask", "echo"], ask: [] },
    mcpServers: servers,
  };
}

async function ask(duet: Duet, question = "What time is it?"): Promise<Outcome> {
  return outcomeOf(await Array.fromAsync(duet.ask({ question })));
}

function call(name: string, args: object): FakeTurn {
  return { toolCalls: [{ name, arguments: args }], usage: { input: 900, output: 100 } };
}

/** Asks the same agent again whenever it can. */
function insist(name: string): (entry: JournalEntry) => FakeTurn {
  return ({ body }) => {
    const messages = Array.isArray(body.messages) ? body.messages : [];
    const mayCall = JSON.stringify(body.tools ?? []).includes(`"${name}"`);
    if (mayCall && messages.at(-1)?.role !== "tool") return call(name, { question: "And what do you say?" });
    return { text: "I say no more." };
  };
}

test("184: three Duets in a chain keep to one budget, one depth and one trace, and ask their models no oftener than needed", async () => {
  const [provider, collector] = [await provide(), await startCollector()];
  const [middle, low] = [await openDuetPort(), await openDuetPort()];
  const environment = { ...key, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const duets = [
    await low.serve(settings(provider, "low"), environment),
    await middle.serve(settings(provider, "middle", { low }), environment),
  ];
  const top = await (await openDuetPort()).serve(
    { ...settings(provider, "top", { middle }), agent: { tokenBudget: 40_000, costBudget: 0.4 } },
    environment,
  );
  const last = { text: "It is noon.", usage: { input: 900, output: 100 } };
  provider.script("top", call("middle__agent_ask", { question: "What time is it there?" }), last);
  provider.script("middle", call("low__agent_ask", { question: "And there?" }), last);
  provider.script("low", call("echo", { text: "It is noon by the tower's clock." }), last);
  const outcome = await ask(top);

  expect(outcome).toMatchObject({ status: "complete", response: "It is noon." });
  expect(provider.unused()).toEqual([]);
  expect(provider.journal).toHaveLength(6);
  // 2000 tokens a Duet, at a dollar a million.
  expect(outcome.meta).toMatchObject({
    total_tokens: 2000,
    cost_usd: 0.002,
    agents: { runs: 2, total_tokens: 4000, cost_usd: 0.004 },
  });
  for (const { body } of provider.journal) expect(JSON.stringify(body)).not.toContain("duet_chain");

  await Promise.all([...duets, top].map((duet) => duet.close()));
  const spans = collector.spans();
  expect(spans.filter(({ name }) => name === "invoke_agent duet")).toHaveLength(3);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([outcome.trace_id]));
});

test("184: each level of a chain keeps back at most a tenth of its time", async () => {
  const provider = await provide();
  const [middle, low] = [await openDuetPort(), await openDuetPort()];
  const gateways = [await forgetfulGateway(() => middle.url), await forgetfulGateway(() => low.url)];
  for (const gateway of gateways) onTestFinished(() => gateway.close());
  const [{ url: middleUrl } = { url: "" }, { url: lowUrl } = { url: "" }] = gateways;
  await low.serve(settings(provider, "low"), key);
  await middle.serve(settings(provider, "middle", { low: { url: lowUrl } }), key);
  const top = await (await openDuetPort()).serve(settings(provider, "top", { middle: { url: middleUrl } }), key);
  provider.script("top", call("middle__agent_ask", { question: "And there?", timeout_s: 300 }), { text: "Noon." });
  provider.script("middle", call("low__agent_ask", { question: "And there?", timeout_s: 300 }), { text: "Noon." });
  provider.script("low", { text: "Noon." });
  const began = Date.now();
  const outcome = await outcomeOf(
    await Array.fromAsync(top.ask({ question: "When?", limits: { maxExecutionTimeMs: 300_000 } })),
  );
  expect(outcome).toMatchObject({ status: "complete", meta: { agents: { runs: 2 } } });
  const [ofMiddle = 0, ofLow = 0] = gateways.map(({ hits }) => {
    const [asked] = hits.filter(({ body }) => body.includes('"tools/call"'));
    return Number(JSON.parse(asked?.body ?? "{}").params.arguments.duet_chain.split(";")[1]) - began;
  });
  expect(ofMiddle).toBeGreaterThan(0.9 * 300_000);
  expect(ofMiddle).toBeLessThan(300_000);
  expect(ofLow).toBeGreaterThan(0.9 * ofMiddle);
  expect(ofLow).toBeLessThan(ofMiddle);
});

test("184: an agent whose caller's time is nearly over says that the time limit was reached", async () => {
  const provider = await provide();
  const port = await openDuetPort();
  await port.serve(settings(provider, "below"), key);
  provider.script("below", { text: "It is nearly", hang: "after-text" });
  const client = new Client({ name: "somebody", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(port.url)));
  onTestFinished(() => client.close());
  const chain = `1;${Date.now() + 2000}`;
  const result = await client.callTool({ name: "agent_ask", arguments: { question: "When?", duet_chain: chain } });
  expect(result.structuredContent).toMatchObject({ status: "partial", stop_reason: "time_limit" });
  expect(JSON.stringify(result.content)).toContain("This answer is partial: the time limit was reached.");
});

test("184: an agent below may use an eighth of what is left, and its bill shortens the run above", async () => {
  const provider = await provide();
  const below = await openDuetPort();
  await below.serve(settings(provider, "below"), key);
  const top = await (await openDuetPort()).serve(
    { ...settings(provider, "top", { below }), agent: { tokenBudget: 10_000 } },
    key,
  );
  const wasteful = { ...call("echo", { text: "x" }), usage: { input: 5000, output: 1000 } };
  provider.script("below", wasteful, { text: "Enough.", usage: { input: 1900, output: 100 } });
  provider.script("top", call("below__agent_ask", { question: "Tell me all." }), { text: "That is all." });
  const outcome = await ask(top);
  // One round was over the share, so the agent below answered; what it used leaves the one above no other round.
  expect(provider.requests("below")).toHaveLength(2);
  expect(provider.requests("top")).toHaveLength(2);
  expect(outcome).toMatchObject({ stop_reason: "token_limit", meta: { agents: { runs: 1, total_tokens: 8000 } } });
});

test("183: a Duet that is its own server over HTTP starts and ends by depth, however its model insists", async () => {
  const provider = await provide();
  const port = await openDuetPort();
  const duet = await port.serve(settings(provider, "own", { self: { url: port.url } }), key);
  const { tools, servers } = await duet.inventory();
  expect(servers).toMatchObject([{ name: "self", state: "ready" }]);
  expect(tools.map(({ name }) => name)).toContain("self__agent_ask");
  provider.script("own", ...Array.from({ length: 50 }, () => insist("self__agent_ask")));
  expect(await ask(duet, "What do you say?")).toMatchObject({ status: "complete", response: "I say no more." });
  // Three calls one inside the other, two turns each; the fourth run is not offered itself.
  expect(provider.journal).toHaveLength(7);
});

test("183: a circle through a gateway that forgets _meta ends as well, for the chain is among the arguments", async () => {
  const provider = await provide();
  const port = await openDuetPort();
  const gateway = await forgetfulGateway(() => port.url);
  onTestFinished(() => gateway.close());
  const duet = await port.serve(settings(provider, "own", { far: { url: gateway.url } }), key);
  provider.script("own", ...Array.from({ length: 50 }, () => insist("far__agent_ask")));
  expect(await ask(duet, "What do you say?")).toMatchObject({ status: "complete", response: "I say no more." });
  expect(provider.journal).toHaveLength(7);
  const calls = gateway.hits.filter(({ body }) => body.includes('"tools/call"')).map(({ body }) => JSON.parse(body));
  expect(calls.map(({ params }) => params.arguments.duet_chain.split(";")[0])).toEqual(["1", "2", "3"]);
  for (const { body } of provider.journal) expect(JSON.stringify(body)).not.toContain("duet_chain");
});

test("183: a call that stands too deep by its argument alone is refused in words that a model understands", async () => {
  const provider = await provide();
  const port = await openDuetPort();
  await port.serve(settings(provider, "own"), key);
  const client = new Client({ name: "somebody", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(port.url)));
  onTestFinished(() => client.close());
  const deep = { question: "Who are you?", duet_chain: "4;;;" };
  const refused = await client.callTool({ name: "agent_ask", arguments: deep });
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: "invalid_request" } } });
  expect(JSON.stringify(refused.content)).toContain("Do not call this tool again; answer from what is known.");
  const chinese = await client.callTool({ name: "agent_ask", arguments: { ...deep, question: "你是谁？" } });
  expect(JSON.stringify(chinese.content)).toMatch(/Do not call this tool again|请不要再调用这个工具/);
  const spent = await client.callTool({ name: "agent_ask", arguments: { question: "Who?", duet_chain: "1;;0" } });
  expect(JSON.stringify(spent.content)).toContain("left no tokens");
  expect(provider.journal).toHaveLength(0);
});

test("183: a Duet that passes on what its servers offer does not pass it on to itself", async () => {
  const [provider, server] = [await provide(), await newServer()];
  onTestFinished(() => server.close());
  const port = await openDuetPort({ expose: "both" });
  const duet = await port.serve({ ...settings(provider, "own", { far: { url: server.url } }), tools: {} }, key);
  await duet.inventory();
  const [title = ""] = server.hits.flatMap(({ body }) => /Duet [0-9a-f]{16}/.exec(body)?.[0] ?? []);
  const offered = async (info: { name: string; title?: string }) => {
    const client = new Client({ version: "1", ...info });
    await client.connect(new StreamableHTTPClientTransport(new URL(port.url)));
    onTestFinished(() => client.close());
    return (await client.listTools()).tools;
  };
  const toNames = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);
  const names = toNames(await offered({ name: "host" }));
  expect(names).toContain("far__shout");
  const ofItself = await offered({ name: "duet", title });
  expect(toNames(ofItself)).toEqual(names.filter((name) => name !== "far__shout"));
  // An agent is not told of the tools. Mastra calls itself as its settings call the server, but has no title.
  const isToldOfTools = (tools: readonly { description?: string }[]) => /shout/.test(tools[0]?.description ?? "");
  expect([ofItself, await offered({ name: "duet" })].map(isToldOfTools)).toEqual([false, true]);
});
