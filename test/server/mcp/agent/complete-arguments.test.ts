import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { openDuet } from "../../../../src/app/open-duet.ts";
import type { Caller } from "../../../../src/core/caller.ts";
import type { SharedStore } from "../../../../src/core/store/store.ts";
import { createAgentCompletion } from "../../../../src/server/mcp/agent/complete-arguments.ts";
import { createMemoryStore } from "../../../../src/store/memory/memory-store.ts";
import { fakePath } from "../../../client/servers.ts";
import { load } from "../../../config/workplace.ts";
import { finishedRun } from "../../../store/runs.ts";
import { openStore, storeFile } from "../../../store/stores.ts";
import { connect, storeOf } from "./connected.ts";
import { inventoryOf } from "./inventories.ts";

const inventory = inventoryOf({ docs: ["search"], amap: ["geo", "weather"], empty: [] });

async function open(store: SharedStore, caller: Caller = {}): Promise<Client> {
  const duet = { ...storeOf(store), inventory: async () => inventory };
  return connect({ complete: createAgentCompletion({ duet, caller }) });
}

async function ofPrompt(client: Client, name: string, argument: string, value = "") {
  const { completion } = await client.complete({
    ref: { type: "ref/prompt", name },
    argument: { name: argument, value },
  });
  return completion;
}

async function ofTemplate(client: Client, uri: string, argument: string, value = "") {
  const ref = { type: "ref/resource" as const, uri };
  return (await client.complete({ ref, argument: { name: argument, value } })).completion;
}

const runs = "duet://runs/{run_id}";
const conversations = "duet://conversations/{conversation_id}";
const none = { values: [], total: 0, hasMore: false };

test("modes and servers are completed by their beginnings", async () => {
  const client = await open(createMemoryStore());
  expect(await ofPrompt(client, "ask", "mode")).toEqual({
    values: ["agent", "plan", "chat"],
    total: 3,
    hasMore: false,
  });
  expect(await ofPrompt(client, "ask", "mode", "p")).toEqual({ values: ["plan"], total: 1, hasMore: false });
  expect(await ofPrompt(client, "plan", "server")).toEqual({ values: ["amap", "docs"], total: 2, hasMore: false });
  expect(await ofPrompt(client, "ask", "server", "x")).toEqual(none);
});

test("a caller is offered only servers of which it may use a tool", async () => {
  const client = await open(createMemoryStore(), { owner: "bob", tools: ["amap__geo", "web_search"] });
  expect(await ofPrompt(client, "ask", "server")).toMatchObject({ values: ["amap"] });
});

test("what is not ours is left to others, and what cannot be completed has no values", async () => {
  const client = await open(createMemoryStore());
  const unknown = { values: [], hasMore: false };
  expect(await ofPrompt(client, "constructor", "question")).toEqual(unknown);
  expect(await ofTemplate(client, "duet://secrets/{id}", "id")).toEqual(unknown);
  expect(await ofPrompt(client, "ask", "question", "a")).toEqual(none);
  expect(await ofPrompt(client, "plan", "mode")).toEqual(none);
  expect(await ofTemplate(client, runs, "conversation_id")).toEqual(none);
});

describe.each<[string, () => Promise<SharedStore>]>([
  ["in memory", async () => createMemoryStore()],
  ["in a file", async () => openStore(await storeFile())],
])("with conversations %s", (_, begin) => {
  test("ids of conversations and runs are completed, the newest first", async () => {
    const store = await begin();
    const asked = ["conv-a1", "conv-b", "conv-a2", "conv-a1"].map((id) => finishedRun(id, "Question", "Answer"));
    for (const run of asked) await store.append(run);
    const client = await open(store);
    expect(await ofPrompt(client, "ask", "conversation_id", "conv-a")).toEqual({
      values: ["conv-a1", "conv-a2"],
      total: 2,
      hasMore: false,
    });
    expect(await ofTemplate(client, conversations, "conversation_id")).toMatchObject({
      values: ["conv-a1", "conv-a2", "conv-b"],
    });
    const newest = asked.map(({ runId }) => runId).reverse();
    expect(await ofTemplate(client, runs, "run_id")).toEqual({ values: newest, total: 4, hasMore: false });
    const [first = ""] = newest;
    expect(await ofTemplate(client, runs, "run_id", first.slice(0, 12))).toMatchObject({ values: [first], total: 1 });
    expect(await ofTemplate(client, runs, "run_id", "%")).toEqual(none);
  });

  test("no more than 100 are given, and it is said that there are more", async () => {
    const store = await begin();
    for (let index = 0; index < 120; index += 1) await store.append(finishedRun(`conv-${index}`, "Question", "Answer"));
    const client = await open(store);
    const found = await ofTemplate(client, conversations, "conversation_id");
    expect([found.values.length, found.values[0], found.total, found.hasMore]).toEqual([100, "conv-119", 120, true]);
    expect(await ofTemplate(client, conversations, "conversation_id", "conv-11")).toMatchObject({ total: 11 });
    const foundRuns = await ofTemplate(client, runs, "run_id");
    expect([foundRuns.values.length, foundRuns.total, foundRuns.hasMore]).toEqual([100, undefined, true]);
  });

  test("what is another caller's is not completed", async () => {
    const store = await begin();
    await store.of("alice").append(finishedRun("conv-alice", "A secret?", "Yes."));
    for (const caller of [{ owner: "bob" }, {}]) {
      const client = await open(store, caller);
      expect(await ofTemplate(client, conversations, "conversation_id", "conv-a")).toEqual(none);
      expect(await ofTemplate(client, runs, "run_id", "run-")).toEqual(none);
    }
    const alice = await open(store, { owner: "alice" });
    expect(await ofPrompt(alice, "plan", "conversation_id")).toMatchObject({ values: ["conv-alice"] });
    expect((await ofTemplate(alice, runs, "run_id")).values.length).toBe(1);
  });
});

test("servers that are still starting are not waited for", async () => {
  const silent = { command: process.execPath, args: ["-e", "process.stdin.resume()"], startTimeout: 60 };
  const good = { command: process.execPath, args: [fakePath] };
  const config = await load({
    file: { mcpServers: { silent, good }, conversations: { store: "memory" }, search: { enabled: false } },
    environment: { PATH: process.env.PATH ?? "" },
  });
  const duet = await openDuet(config);
  onTestFinished(() => duet.close());
  const client = await connect({ complete: createAgentCompletion({ duet, caller: {} }) });
  const given: string[][] = [];
  // Each answer comes although one server never will; the other is there after a few.
  while (given.at(-1)?.length !== 1) given.push((await ofPrompt(client, "ask", "server")).values);
  expect(given.at(-1)).toEqual(["good"]);
});
