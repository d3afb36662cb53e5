import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../../../src/core/caller.ts";
import { toConversationJson } from "../../../../src/core/store/conversations/conversation-json.ts";
import type { SharedStore } from "../../../../src/core/store/store.ts";
import { createAgentResources } from "../../../../src/server/mcp/agent/resources.ts";
import { createMemoryStore } from "../../../../src/store/memory/memory-store.ts";
import { finishedRun, page } from "../../../store/runs.ts";
import { openStore, storeFile } from "../../../store/stores.ts";
import { connect, storeOf, type TestRuns, testRuns } from "./connected.ts";

const stores: [string, () => Promise<SharedStore>][] = [
  ["in memory", async () => createMemoryStore()],
  ["in a file", async () => openStore(await storeFile())],
];

interface Place {
  client: Client;
  store: SharedStore;
  runs: TestRuns;
  /** The runs that the connection was told of. */
  knownRuns: Set<string>;
}

async function open(store: SharedStore, caller: Caller = {}, onChanged?: () => void): Promise<Place> {
  const runs = testRuns();
  const knownRuns = new Set<string>();
  const resources = createAgentResources({ duet: storeOf(store), runs, caller, knownRuns, locale: "en" });
  const client = await connect({ resources, onChange: resources.onChange }, onChanged);
  return { client, store, runs, knownRuns };
}

/** What stands behind an address. */
async function read(client: Client, uri: string): Promise<Record<string, unknown>> {
  const { contents } = await client.readResource({ uri });
  expect(contents).toEqual([{ uri, mimeType: "application/json", text: expect.any(String) }]);
  const [content] = contents;
  return JSON.parse(content && "text" in content ? content.text : "");
}

async function refusal(client: Client, uri: string): Promise<number> {
  return client.readResource({ uri }).then(
    () => expect.unreachable(`${uri} was read`),
    (thrown: { code: number }) => thrown.code,
  );
}

describe.each(stores)("with conversations %s", (_, begin) => {
  test("the connection's runs are listed, the newest first, by what was asked", async () => {
    const { client, store, knownRuns } = await open(await begin());
    const first = finishedRun("conv-1", "What is\nMCP?", "A protocol.");
    const second = finishedRun("conv-2", `\u001b[2J${"long ".repeat(100)}`, "Yes.");
    const third = finishedRun("conv-1", "And who made it?");
    for (const run of [first, second, third]) await store.append(run);
    expect(await client.listResources()).toMatchObject({ resources: [] });
    for (const { runId } of [second, third]) knownRuns.add(runId);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([third, second].map(({ runId }) => `duet://runs/${runId}`));
    expect(resources[0]).toMatchObject({
      name: "And who made it?",
      title: "Run: And who made it?",
      description: "complete, started 2026-11-21T00:00:00.000Z",
      mimeType: "application/json",
      annotations: { audience: ["user", "assistant"], lastModified: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    expect(resources[1]?.name).toMatch(/^\\u\{1b\}\[2Jlong .{40,80}…$/);
  });

  test("no more than 50 are listed, and all can be read", async () => {
    const { client, store, knownRuns } = await open(await begin());
    const all = Array.from({ length: 60 }, (_, index) => finishedRun(`conv-${index}`, `Question ${index}`, "Answer"));
    for (const run of all) await store.append(run);
    for (const { runId } of all) knownRuns.add(runId);
    const { resources } = await client.listResources();
    expect(resources.length).toBe(50);
    expect(resources[0]?.uri).toBe(`duet://runs/${all[59]?.runId}`);
    expect(await read(client, "duet://conversations/conv-0")).toMatchObject({ title: "Question 0" });
    expect(await read(client, `duet://runs/${all[0]?.runId}`)).toMatchObject({ question: "Question 0" });
  });

  test("a conversation reads as the terminal shows it, and a run as its trace", async () => {
    const { client, store } = await open(await begin());
    const run = finishedRun("conv-1", "Which page?", "This one [1].");
    await (await store.create("conv-1")).sources.number([page("https://a.example")]);
    await store.append(run);
    const kept = await store.load("conv-1");
    if (kept === undefined) return expect.unreachable();
    const shown = await read(client, "duet://conversations/conv-1");
    expect(shown).toEqual(toConversationJson(kept, await store.runs({ conversationId: "conv-1" })));
    expect(shown).toMatchObject({
      conversation_id: "conv-1",
      title: "Which page?",
      turns: [{ question: "Which page?", answer: "This one [1]." }],
      sources: [{ n: 1, title: "Title of https://a.example", url: "https://a.example" }],
      runs: [{ run_id: run.runId, question: "Which page?", status: "complete" }],
    });
    expect(await read(client, `duet://runs/${run.runId}`)).toEqual(JSON.parse(JSON.stringify(run.trace)));
  });

  test("what is another caller's is neither listed nor read", async () => {
    const store = await begin();
    const alices = finishedRun("conv-alice", "A secret?", "Yes.");
    await store.of("alice").append(alices);
    const theirs = ["duet://conversations/conv-alice", `duet://runs/${alices.runId}`];
    const alice = await open(store, { owner: "alice" });
    alice.knownRuns.add(alices.runId);
    expect((await alice.client.listResources()).resources.map(({ uri }) => uri)).toEqual(theirs.slice(1));
    for (const caller of [{ owner: "bob" }, {}]) {
      const { client, knownRuns } = await open(store, caller);
      knownRuns.add(alices.runId);
      expect(await client.listResources()).toMatchObject({ resources: [] });
      const unknown = await refusal(client, "duet://runs/run-nobody");
      for (const uri of theirs) expect(await refusal(client, uri)).toBe(unknown);
    }
  });
});

test("an id with any characters has an address, which is decoded once", async () => {
  const { client, store } = await open(createMemoryStore());
  const ids = ["a/b?c#d%2F e", "对话", "..", "%41"];
  for (const id of ids) await store.append(finishedRun(id, `Question in ${id}`, "Answer"));
  const uris = ids.map((id) => `duet://conversations/${encodeURIComponent(id)}`);
  expect(uris).toContain("duet://conversations/a%2Fb%3Fc%23d%252F%20e");
  const shown = await Promise.all(uris.map((uri) => read(client, uri)));
  expect(new Set(shown.map(({ conversation_id }) => conversation_id))).toEqual(new Set(ids));
  expect(await read(client, "duet://conversations/对话")).toMatchObject({ conversation_id: "对话" });
});

test.each([
  "duet://runs/",
  "duet://runs/%",
  "duet://runs/%FF",
  "duet://runs/run-1/steps",
  "duet://runs/run-1?all",
  "duet://runs/run-1?offset=-1",
  "duet://runs/run-1?offset=0&all",
  "duet://conversations/conv-1?offset=0",
  "duet://runs/%ED%A0%80",
  `duet://runs/${"a".repeat(201)}`,
  `duet://runs/${"%41".repeat(10_000)}`,
  "duet://RUNS/run-1",
  "duet://secrets/run-1",
  "file:///etc/passwd",
  "duet://conversations/__proto__",
])("%s is not found", async (uri) => {
  const { client, store } = await open(createMemoryStore());
  await store.append(finishedRun("conv-1", "Question", "Answer"));
  expect(await refusal(client, uri)).toBe(await refusal(client, "duet://runs/run-unknown"));
});

test("a run that goes on reads as what is known so far, and one that was not kept as its outcome", async () => {
  const { client, runs } = await open(createMemoryStore());
  const going = liveRun("run-going", "running");
  const lost = liveRun("run-lost", "complete");
  for (const run of [going, lost]) runs.add(run);
  expect(await read(client, "duet://runs/run-going")).toMatchObject({ status: "running", response: "So far" });
  expect(await read(client, "duet://runs/run-lost")).toMatchObject({ status: "complete" });
  runs.add({ ...liveRun("run-bob", "running"), caller: { owner: "bob" } });
  expect(await refusal(client, "duet://runs/run-bob")).toBe(await refusal(client, "duet://runs/run-none"));
});

test("a trace that is too big is cut, and says by how much", async () => {
  const { client, store } = await open(createMemoryStore());
  const run = finishedRun("conv-1", "Question", "Answer");
  const observation = "字".repeat(20_000);
  const steps = Array.from({ length: 400 }, (_, index) => ({
    step: index + 1,
    action: { type: "action" as const, tool: "read", args: { list: Array.from({ length: 50 }, () => "x") } },
    observation,
    elapsed_ms: 1,
    timestamp: "2026-11-21T00:00:00.000Z",
  }));
  await store.append({ ...run, trace: { ...run.trace, steps } });
  const { contents } = await client.readResource({ uri: `duet://runs/${run.runId}` });
  const text = contents[0] && "text" in contents[0] ? contents[0].text : "";
  expect(text.length).toBeLessThanOrEqual(500_000);
  const cut = JSON.parse(text);
  expect(cut.left_out.characters).toBeGreaterThan(7_000_000);
  expect(cut.left_out.whole).toBe(`duet://runs/${run.runId}?offset=0`);
  expect(cut).toMatchObject({ run_id: run.runId, question: "Question" });
  expect(cut.steps[0].observation).toMatch(/^字+…$/);
  expect(cut.steps.at(-1).step).toBe(400);
});

test("a trace is read whole, in parts", async () => {
  const { client, store } = await open(createMemoryStore());
  const run = finishedRun("conv-1", "Question", "😀".repeat(150_001));
  await store.append(run);
  let next: unknown = `duet://runs/${run.runId}?offset=0`;
  let whole = "";
  while (typeof next === "string") {
    const part = await read(client, next);
    expect(part.offset).toBe(whole.length);
    whole += part.text;
    expect(String(part.text).isWellFormed()).toBe(true);
    next = part.next;
    expect(part.total).toBeGreaterThanOrEqual(whole.length);
  }
  expect(JSON.parse(whole)).toEqual(JSON.parse(JSON.stringify(run.trace)));
  expect(await read(client, `duet://runs/${run.runId}?offset=99999999`)).toMatchObject({ text: "" });
});

test("the host is told when a run of its own has changed the list, and not of others' runs", async () => {
  const heard = Promise.withResolvers<void>();
  let count = 0;
  const { client, store, runs, knownRuns } = await open(createMemoryStore(), {}, () => {
    count += 1;
    heard.resolve();
  });
  await client.listResources();
  runs.tell({ owner: "bob" });
  const run = finishedRun("conv-1", "Question", "Answer");
  await store.append(run);
  knownRuns.add(run.runId);
  runs.tell({});
  await heard.promise;
  expect((await client.listResources()).resources.length).toBe(1);
  expect(count).toBe(1);
});

test("all kinds of address are offered as templates", async () => {
  const { client } = await open(createMemoryStore());
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate, mimeType }) => [uriTemplate, mimeType])).toEqual([
    ["duet://runs/{run_id}", "application/json"],
    ["duet://runs/{run_id}?offset={offset}", "application/json"],
    ["duet://conversations/{conversation_id}", "application/json"],
  ]);
});

function liveRun(id: string, status: "running" | "complete") {
  const bill = {
    provider: "fake",
    model: "scripted",
    calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    reasoning_tokens: 0,
    cached_tokens: 0,
    elapsed_ms: 0,
    cost_usd: null,
  };
  const outcome = {
    success: true,
    status,
    stop_reason: "answered" as const,
    response: "So far",
    conversation_id: "conv-live",
    run_id: id,
    trace_id: "0",
    tool_calls: [],
    citations: [],
    meta: {
      total_tokens: 0,
      tool_calls_count: 0,
      latency_ms: 0,
      iterations: 0,
      mode: "agent" as const,
      cost_usd: null,
      models: { function_call: bill, answer: bill },
    },
    error: null,
  };
  return {
    id,
    question: "Question",
    caller: {},
    startedAt: 0,
    events: [],
    outcome: status === "running" ? undefined : outcome,
    snapshot: () => outcome,
    cancel() {},
  };
}
