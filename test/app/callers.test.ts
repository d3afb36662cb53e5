import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { Gateway } from "../../src/app/tools/gateway.ts";
import { type Caller, operator } from "../../src/core/caller.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
import { anna, askAs, ben, countedTool, duetWith } from "../fakes/callers.ts";
import { answer, type FakeHttp, type Message, serveHttp } from "../fakes/mcp-http.ts";
import { scriptedModel } from "../fakes/model.ts";
import { temporaryFolder } from "../fakes/program.ts";

/** A server with one of each, all of which say its name. */
async function serverNamed(name: string): Promise<FakeHttp> {
  const uri = `${name}://note`;
  const results: Record<string, Record<string, unknown>> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
      serverInfo: { name, version: "1" },
    },
    "tools/list": { tools: [{ name: "look", inputSchema: { type: "object" } }] },
    "prompts/list": { prompts: [{ name: "greet" }] },
    "prompts/get": { messages: [{ role: "user", content: { type: "text", text: `hello from ${name}` } }] },
    // Both have the second one: the first server that a caller may use answers it.
    "resources/list": {
      resources: [
        { uri, name },
        { uri: "shared://note", name },
      ],
    },
    "resources/templates/list": { resourceTemplates: [{ uriTemplate: `${name}://{id}`, name }] },
    "resources/read": { contents: [{ uri, text: `secret of ${name}` }] },
    "completion/complete": { completion: { values: [name] } },
  };
  const server = await serveHttp((request, response: ServerResponse, body) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message: Message = JSON.parse(body);
    if (message.id === undefined) return void response.writeHead(202).end();
    answer(response, message, results[message.method ?? ""] ?? {});
  });
  onTestFinished(() => server.close());
  return server;
}

const options = () => ({ signal: new AbortController().signal, onProgress() {} });

async function seenBy(gateway: Gateway) {
  const lists = [await gateway.prompts(), await gateway.resources(), await gateway.resourceTemplates()];
  const tools = (await gateway.tools()).map(({ name }) => name).filter((name) => name.includes("__"));
  return [tools, ...lists.map((list) => list.map(({ name }) => name))];
}

test("a caller sees prompts and resources of servers of which it may use every tool, and reads no others", async () => {
  const [one, two] = [await serverNamed("one"), await serverNamed("two")];
  const mcpServers = Object.fromEntries([one, two].map(({ url }, at) => [["one", "two"][at], { type: "http", url }]));
  const duet = await duetWith({}, { mcpServers });
  const gatewayOf = (...tools: string[]): Gateway => duet.gateway({ ...anna, tools });

  const all = [
    ["one__look", "two__look"],
    ["one__greet", "two__greet"],
    ["one", "one", "two"],
    ["one", "two"],
  ];
  expect(await seenBy(duet.gateway())).toEqual(all);
  expect(await seenBy(gatewayOf("*"))).toEqual(all);
  expect(await seenBy(gatewayOf("two__*"))).toEqual([["two__look"], ["two__greet"], ["two", "two"], ["two"]]);
  // All the tools that it has now are not every tool; a rule about arguments is none about prompts.
  for (const pattern of ["two__look", "two__l*", "two__*(x)"])
    expect(await seenBy(gatewayOf(pattern))).toEqual([["two__look"], [], [], []]);
  expect(await seenBy(gatewayOf())).toEqual([[], [], [], []]);

  const gateway = gatewayOf("two__*");
  const template = (name: string) => ({
    ref: { type: "ref/resource" as const, uri: `${name}://{id}` },
    argument: { name: "id", value: "" },
  });
  await duet.gateway().learn("one", "linked://note");
  for (const uri of ["one://note", "one://other", "linked://note"])
    expect(await gateway.readResource(uri, options())).toBeUndefined();
  expect(await gateway.getPrompt("one__greet", {}, options())).toBeUndefined();
  expect(await gateway.complete(template("one"), options())).toBeUndefined();
  expect(await gateway.readResource("shared://note", options())).toMatchObject({
    contents: [{ text: "secret of two" }],
  });
  expect(await gateway.getPrompt("two__greet", {}, options())).toMatchObject({ messages: [{}] });
  expect(await gateway.complete(template("two"), options())).toMatchObject({ completion: { values: ["two"] } });
  expect(one.hits.filter(({ body }) => /resources\/read|prompts\/get|completion/.test(body))).toEqual([]);
  expect(await duet.gateway().readResource("linked://note", options())).toMatchObject({ contents: [{}] });
});

test("a conversation goes on for its owner, who reads what was said and not what the operator said", async () => {
  const model = scriptedModel(["First.", "Second.", "The operator's."]);
  const duet = await duetWith({ models: { functionCall: model, alone: true } });
  const { outcome } = await askAs(duet, anna, "One?");
  const next = await askAs(duet, anna, "Two?", { conversationId: outcome.conversation_id });
  expect(next.outcome.conversation_id).toBe(outcome.conversation_id);
  expect(JSON.stringify(model.requests[1])).toContain("One?");
  const operators = await askAs(duet, {}, "Three?");
  const ids = async (caller: Caller) =>
    (await (await duet.store(caller)).list({ limit: 9, offset: 0 })).map(({ id }) => id);
  expect(await Promise.all([anna, ben, {}].map(ids))).toEqual([
    [outcome.conversation_id],
    [],
    [operators.outcome.conversation_id],
  ]);
});

test("a conversation that is not there is told with the id of the one in its place, which nobody but the operator chooses", async () => {
  const duet = await duetWith({ models: { functionCall: scriptedModel(["A.", "B."]), alone: true } });
  const told = async (caller: Caller) => {
    const { events, outcome } = await askAs(duet, caller, "Hello?", { conversationId: "conv-chosen" });
    const notice = events.find((event) => event.type === "notice" && event.code === "conversation-unknown");
    return [outcome.conversation_id, notice?.type === "notice" && notice.message];
  };
  expect(await told({})).toEqual([
    "conv-chosen",
    "Conversation conv-chosen was not found; a new one was started under that ID.",
  ]);
  const [id, line] = await told(anna);
  expect(id).toMatch(/^conv-[0-9a-f]{32}$/);
  expect(line).toBe(`Conversation conv-chosen was not found; a new one was started under the ID ${id}.`);
});

test("what a question allows narrows what its caller may use, and never widens it", async () => {
  const tools = ["a_one", "a_two", "b_one"].map((name) => countedTool(name));
  const model = scriptedModel(["Done.", "Done."]);
  const duet = await duetWith({ models: { functionCall: model, alone: true }, tools });
  await askAs(duet, { ...anna, tools: ["a_*"] }, "x", { tools: ["*_one"] });
  await askAs(duet, { ...anna, tools: ["a_*"] }, "x", { tools: ["b_*"] });
  expect(model.requests.map((request) => (request.tools ?? []).map(({ name }) => name))).toEqual([["a_one"], []]);
});

test("a program's own store that keeps nobody apart is not used for who is not the operator", async () => {
  const { of: _, ...store } = createMemoryStore();
  const model = scriptedModel(["The operator's."]);
  const duet = await duetWith({ models: { functionCall: model, alone: true }, store });
  await expect(askAs(duet, anna, "One?")).rejects.toThrow("serves the operator only: it has no of(owner)");
  await askAs(duet, {}, "One?");
  expect(await (await duet.store()).latest()).toBeDefined();
});

test("an owner's conversations last as long as the process where the store cannot be used, apart from all others'", async () => {
  const model = scriptedModel(["A.", "B."]);
  const duet = await duetWith({ models: { functionCall: model, alone: true } }, { conversations: { store: "memory" } });
  const { outcome } = await askAs(duet, anna, "One?");
  await askAs(duet, ben, "Two?");
  expect(await (await duet.store(anna)).latest()).toBe(outcome.conversation_id);
  expect(await (await duet.store()).latest()).toBeUndefined();
});

test("what is wrong with the store is told to a caller without the place of its file, and to the operator with it", async () => {
  const home = await temporaryFolder();
  const file = join(home, "duet.db");
  const model = scriptedModel(["Yes.", "Yes.", "Yes."]);
  const parts = { models: { functionCall: model, alone: true as const } };
  const duet = await duetWith(parts, { conversations: { store: "disk" } }, home);
  await askAs(duet, anna, "Is it kept?");
  const damaging = new DatabaseSync(file);
  damaging.exec("PRAGMA foreign_keys = OFF; DROP TABLE journal_runs; DROP TABLE traces");
  damaging.close();
  const listNotices = async (caller: Caller) => (await askAs(duet, caller, "And now?")).outcome.notices ?? [];
  const told = await listNotices(anna);
  expect(told.map(({ code }) => code)).toEqual(["not-resumable", "not-saved"]);
  expect(JSON.stringify(told)).not.toContain(home);
  expect(await listNotices(operator)).toMatchObject([
    { code: "not-resumable", message: expect.stringContaining(file) },
    { code: "not-saved", message: expect.stringContaining(file) },
  ]);
});
