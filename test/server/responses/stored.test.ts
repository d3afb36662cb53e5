import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { waitAbortable } from "../../../src/kit/async/timeout.ts";
import { findResponseOfItem, readResponseId, toItemId, toResponseId } from "../../../src/server/responses/ids.ts";
import { openHttpDuet } from "../../fakes/http-duet.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { serveCallers } from "../api/api-for-callers.ts";
import { startWire } from "../openai/wire.ts";
import { beginConversation } from "./conversations.ts";
import { checkEvents } from "./response-events.ts";

const asked = { model: "duet-chat", input: "First?" };

/** A server whose conversations are on disk, in a folder that is removed with the test. */
async function createHome() {
  const home = await mkdtemp(join(tmpdir(), "duet-responses-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return { settings: { conversations: { store: "disk" } }, environment: { DUET_HOME: home } };
}

/** A model that says nothing before the gate opens. */
function gatedModel(turns: string[], gate: Promise<void>) {
  const model = scriptedModel(turns);
  return {
    ...model,
    async stream(...[request, onEvent, signal]: Parameters<typeof model.stream>) {
      await waitAbortable(gate, signal);
      return model.stream(request, onEvent, signal);
    },
  };
}

const contentsOf = (request: { messages: readonly { content: unknown }[] } | undefined) =>
  JSON.stringify(request?.messages.map(({ content }) => content));

test("a response goes on with its conversation after a restart, and can be read, listed and deleted", async () => {
  const home = await createHome();
  const before = await openHttpDuet({ ...home, turns: ["One."] });
  const clientBefore = new OpenAI({ baseURL: `${before.origin}/v1`, apiKey: "none" });
  const first = await clientBefore.responses.create({
    ...asked,
    input: [
      { role: "developer", content: "Be terse." },
      { role: "user", content: "First?" },
    ],
  });
  await before.close();
  const { client, model, origin } = await startWire({ ...home, turns: ["Two.", "Branch."] });
  expect(await client.responses.retrieve(first.id)).toMatchObject({
    id: first.id,
    output_text: "One.",
    output: first.output,
    usage: first.usage,
  });
  const second = await client.responses.create({ ...asked, input: "Second?", previous_response_id: first.id });
  expect(second).toMatchObject({ output_text: "Two.", previous_response_id: first.id });
  for (const said of ["First?", "One.", "Be terse."]) expect(contentsOf(model.requests[0])).toContain(said);
  expect(await (await fetch(`${origin}/agent/conversations`)).json()).toMatchObject({ conversations: [{ turns: 2 }] });

  const branch = await client.responses.create({ ...asked, input: "Other?", previous_response_id: first.id });
  expect(branch.output_text).toBe("Branch.");
  expect(contentsOf(model.requests[1])).toContain("One.");
  expect(contentsOf(model.requests[1])).not.toContain("Two.");

  const items = await client.responses.inputItems.list(first.id, { order: "asc" });
  expect(items.data).toMatchObject([
    { type: "message", role: "developer", content: [{ type: "input_text", text: "Be terse." }] },
    { type: "message", role: "user", content: [{ type: "input_text", text: "First?" }] },
  ]);
  const rest = await client.responses.inputItems.list(first.id, {
    order: "asc",
    limit: 1,
    after: items.data[0]?.id ?? "",
  });
  expect([rest.data.length, rest.has_more]).toEqual([1, false]);

  await client.responses.delete(first.id);
  await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
  await client.responses.delete(second.id);
  expect(await (await fetch(`${origin}/agent/conversations`)).json()).toMatchObject({ conversations: [] });
  expect(await client.responses.retrieve(branch.id)).toMatchObject({ output_text: "Branch." });
});

test("deleting responses leaves a conversation that the client has named, also for those that go on from them", async () => {
  const { client, origin } = await startWire({ turns: ["Hi.", "One.", "Two."] });
  const conversation = await beginConversation(origin);
  const named = await client.responses.create({ ...asked, conversation });
  const next = await client.responses.create({ ...asked, previous_response_id: named.id });
  expect(next.conversation).toEqual({ id: conversation });
  for (const { id } of [named, next]) await client.responses.delete(id);
  expect((await fetch(`${origin}/agent/conversations/${conversation}`)).status).toBe(200);
});

test("the ID of any response and item of a run is read, also of those from before they had four digits", () => {
  const run = "a".repeat(32);
  const id = toResponseId(`run-${run}`, 300);
  expect(readResponseId(id)).toEqual({ runId: `run-${run}`, roundIndex: 300 });
  expect(findResponseOfItem(toItemId("msg", id, 400))).toBe(id);
  expect(readResponseId(`resp_${run}02`)).toEqual({ runId: `run-${run}`, roundIndex: 2 });
  for (const index of ["01", "1ff"]) expect(findResponseOfItem(`msg_${run}02${index}`)).toBe(`resp_${run}02`);
});

test("a response goes with its conversation, also while this process still knows its run", async () => {
  const { client, origin } = await startWire({ turns: ["One."] });
  const { id } = await client.responses.create(asked);
  const list = await (await fetch(`${origin}/agent/conversations`)).json();
  const { conversations } = z.object({ conversations: z.array(z.object({ conversation_id: z.string() })) }).parse(list);
  await fetch(`${origin}/agent/conversations/${conversations[0]?.conversation_id}`, { method: "DELETE" });
  await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  await expect(client.responses.inputItems.list(id)).rejects.toMatchObject({ status: 404 });
  await expect(client.responses.create({ ...asked, previous_response_id: id })).rejects.toMatchObject({ status: 400 });
});

test("a process does not know a response any longer that another one has removed, alone or with its conversation", async () => {
  const home = await createHome();
  const [here, there] = [await startWire({ ...home, turns: ["One.", "Two."] }), await startWire(home)];
  const [one, two] = [await here.client.responses.create(asked), await here.client.responses.create(asked)];
  expect(await here.client.responses.retrieve(one.id)).toMatchObject({ output_text: "One." });
  await there.client.responses.delete(one.id);
  const list = await (await fetch(`${there.origin}/agent/conversations`)).json();
  const { conversations } = z.object({ conversations: z.array(z.object({ conversation_id: z.string() })) }).parse(list);
  expect(conversations).toHaveLength(1);
  await fetch(`${there.origin}/agent/conversations/${conversations[0]?.conversation_id}`, { method: "DELETE" });
  for (const { id } of [one, two])
    await expect(here.client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
});

test("a response that another process removes while it is written, or while its run waits for results, is gone at its end, and the run with it", async () => {
  const home = await createHome();
  const gate = Promise.withResolvers<void>();
  const tools = [{ type: "function" as const, name: "read", parameters: { type: "object" }, strict: false }];
  const turns = [{ calls: [{ id: "1", name: "read", input: {} }] }, "One.", "Never."];
  const [here, there] = [await startWire({ ...home, turns }), await startWire(home)];
  const paused = await here.client.responses.create({ ...asked, model: "duet-agent", tools });
  const runs = async (state: string) =>
    JSON.stringify(await (await fetch(`${here.origin}/agent/runs`)).json()).split(`"${state}"`).length - 1;
  expect(await runs("running")).toBe(1);
  await there.client.responses.delete(paused.id);
  await expect(here.client.responses.retrieve(paused.id)).rejects.toMatchObject({ status: 404 });
  expect(await runs("running")).toBe(0);
  expect(await (await fetch(`${here.origin}/agent/conversations`)).json()).toMatchObject({ conversations: [] });

  const slow = await startWire({ ...home, turns: ["One."], gate: gate.promise });
  const begun = await slow.client.responses.create({ ...asked, background: true });
  const last = await slow.client.responses.retrieve(begun.id, { stream: true });
  await expect.poll(async () => (await there.client.responses.retrieve(begun.id)).status).toBe("in_progress");
  await there.client.responses.delete(begun.id);
  gate.resolve();
  expect(checkEvents(await Array.fromAsync(last)).status).toBe("completed");
  for (const { client } of [slow, there])
    await expect(client.responses.retrieve(begun.id)).rejects.toMatchObject({ status: 404 });
});

test("a response that is not to be stored is nowhere afterwards", async () => {
  const { client, origin } = await startWire({ turns: ["One."] });
  const response = await client.responses.create({ ...asked, store: false });
  await expect(client.responses.retrieve(response.id)).rejects.toMatchObject({ status: 404 });
  await expect(client.responses.create({ ...asked, previous_response_id: response.id })).rejects.toMatchObject({
    status: 400,
    code: "previous_response_not_found",
  });
  expect(await (await fetch(`${origin}/agent/conversations`)).json()).toMatchObject({ conversations: [] });
});

test("a response in the background goes on when its client leaves, is polled, and is followed from where a reader was", async () => {
  const gate = Promise.withResolvers<void>();
  const { client } = await startWire({ turns: ["It took a while.", "And more."], gate: gate.promise });
  const begun = await client.responses.create({ ...asked, background: true });
  expect(begun).toMatchObject({ status: "queued", background: true, output: [] });
  expect(await client.responses.retrieve(begun.id)).toMatchObject({ status: "in_progress" });
  await expect(client.responses.create({ ...asked, previous_response_id: begun.id })).rejects.toMatchObject({
    status: 400,
  });
  const leave = new AbortController();
  const stream = await client.responses.create({ ...asked, background: true, stream: true }, { signal: leave.signal });
  const seen = [];
  for await (const event of stream) if (seen.push(event) === 3) break;
  leave.abort();
  const [created] = seen;
  const id = created?.type === "response.created" ? created.response.id : "";
  gate.resolve();
  const rest = await client.responses.retrieve(id, { stream: true, starting_after: seen.length - 1 });
  const response = checkEvents([...seen, ...(await Array.fromAsync(rest))]);
  expect(response.status).toBe("completed");
  const done = await client.responses.retrieve(begun.id);
  expect([done.status, (await client.responses.retrieve(id)).status]).toEqual(["completed", "completed"]);
});

test("a response in the background that cannot be stored is refused, and its run ends; others are answered all the same", async () => {
  const home = await createHome();
  const { client, origin } = await startWire({ ...home, turns: ["One.", "Two.", "Three."] });
  await client.responses.create(asked);
  const database = new DatabaseSync(join(home.environment.DUET_HOME, "duet.db"));
  onTestFinished(() => database.close());
  database.exec("CREATE TRIGGER full BEFORE INSERT ON responses BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  for (const stream of [false, true])
    await expect(client.responses.create({ ...asked, background: true, stream })).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining("this background response cannot be saved. Its run was stopped."),
    });
  expect(await (await fetch(`${origin}/agent/runs`)).text()).not.toContain('"running"');
  // No response leads to the conversations of these runs, so that no client could remove them.
  expect(database.prepare("SELECT count(*) AS count FROM conversations").get()).toEqual({ count: 1 });
  expect(await client.responses.create(asked)).toMatchObject({ status: "completed" });
});

test("a response is cancelled, and one that is over stays as it is", async () => {
  const { client } = await startWire({ turns: [{ hang: true, text: "Half" }] });
  const begun = await client.responses.create({ ...asked, background: true });
  const cancelled = await client.responses.cancel(begun.id);
  expect(cancelled).toMatchObject({ id: begun.id, status: "cancelled" });
  expect(await client.responses.cancel(begun.id)).toMatchObject({ status: "cancelled" });
});

test("no caller finds another one's response, whether it goes on or is over, nor goes on with it", async () => {
  const gate = Promise.withResolvers<void>();
  const { post, call, duet } = await serveCallers(gatedModel(["One."], gate.promise));
  const read = async (answer: Promise<Response>) => JSON.parse(await (await answer).text());
  const { id } = await read(post("/v1/responses", "anna", { ...asked, background: true }));

  async function tryAll(): Promise<number[]> {
    const path = `/v1/responses/${id}`;
    const again = (body: object) => post("/v1/responses", "ben", { ...asked, ...body });
    const tried = [
      call(path, "ben"),
      call(`${path}/input_items`, "ben"),
      call(path, "ben", "DELETE"),
      post(`${path}/cancel`, "ben", {}),
      again({ previous_response_id: id }),
      again({ input: [{ type: "item_reference", id: `msg_${id.slice(5)}0001` }] }),
    ];
    return (await Promise.all(tried)).map(({ status }) => status);
  }

  const unknown = [404, 404, 404, 404, 400, 404];
  expect(await tryAll()).toEqual(unknown);
  gate.resolve();
  await expect.poll(async () => (await read(call(`/v1/responses/${id}`, "anna"))).status).toBe("completed");
  expect(await tryAll()).toEqual(unknown);
  const store = await duet.store({ owner: "anna" });
  const [conversation] = await store.list({ limit: 1, offset: 0 });
  expect((await post("/v1/responses", "ben", { ...asked, conversation: conversation?.id })).status).toBe(404);
});
