import { expect, test } from "vitest";
import { DuetError } from "../../../src/kit/errors.ts";
import type { RunHandle } from "../../../src/runs/live/run-handle.ts";
import { createChanges } from "../../../src/server/api/conversations/changes.ts";
import { createQuestionQueues, type QueueOptions } from "../../../src/server/api/conversations/question-queues.ts";
import { keepHeaders } from "../../../src/server/api/conversations/waiting-question.ts";
import { HttpRefusalError } from "../../../src/server/http/response/refusal.ts";
import { outcomeIn, type ServedApi, serveApi } from "./served-api.ts";

const caller = {};

/** Nothing is tried again because time goes by. */
const pauses = { firstMs: 100_000_000, longestMs: 100_000_000 };

/** Opens queues beside the runs of a server, one of which goes on until it is cancelled. */
async function openQueues(begin: (run: RunHandle) => QueueOptions["begin"]) {
  const never = Promise.withResolvers<void>();
  const api: ServedApi = await serveApi({ turns: ["One."], gate: never.promise });
  const page = await api.stream({ message: "First?" });
  const { runs } = api.service;
  const run = runs.find(String((await page.until("run-start"))?.data?.runId), caller);
  if (run === undefined) throw new Error("The run has not begun.");
  const queues = createQuestionQueues({ runs, changes: createChanges(), begin: begin(run), pauses });
  const add = (message: string, afterRun?: string) =>
    queues.add({
      afterRun,
      ...{ conversationId: "conv-1", caller, input: { message }, attachments: [], locale: "en", isStored: true },
      headers: new Headers(),
    });
  return { queues, run, runs, add };
}

test("a question that is beginning cannot be taken back, and one whose conversation is deleted meanwhile does not go on", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const gate = Promise.withResolvers<void>();
  const { queues, run, add } = await openQueues((known) => async (_, signal) => {
    asked.resolve(signal);
    await gate.promise;
    return known;
  });
  const question = add("Second?");
  const signal = await asked.promise;
  expect(queues.remove(caller, "conv-1", question?.id ?? "")).toBe("beginning");
  const cleared = queues.clear(caller, "conv-1");
  expect([signal.aborted, queues.list(caller, "conv-1"), run.outcome]).toEqual([true, [], undefined]);
  gate.resolve();
  await cleared;
  expect(run.outcome?.status).toBe("cancelled");
  expect(queues.findByRun(run.id)).toBeUndefined();
});

test("a question waits for the run of its conversation that another process carries out", async () => {
  const { run, runs } = await openQueues(() => async () => undefined);
  const begun: string[] = [];
  const looks: string[] = [];
  const queues = createQuestionQueues({
    ...{ runs, changes: createChanges(), pauses },
    async findElsewhere(_, id) {
      looks.push(id);
      return run.outcome === undefined ? run : undefined;
    },
    async begin({ input }) {
      begun.push(input.message);
      return undefined;
    },
  });
  queues.add({
    ...{ conversationId: "conv-1", caller, input: { message: "Second?" }, attachments: [], locale: "en" },
    ...{ isStored: true, afterRun: undefined, headers: new Headers() },
  });
  await expect.poll(() => looks).toEqual(["conv-1"]);
  expect(begun).toEqual([]);
  await runs.cancel(run, 2_000);
  await expect.poll(() => begun).toEqual(["Second?"]);
  expect(looks).toEqual(["conv-1", "conv-1"]);
});

test("a question that may begin later is tried again when a run ends, and a refused one holds up nobody", async () => {
  const begun: string[] = [];
  const over = Promise.withResolvers<void>();
  const failures = [
    new DuetError({ code: "overloaded", text: { zh: "忙", en: "too many runs" } }),
    new HttpRefusalError({ status: 404, text: { zh: "没有", en: "no such turn" } }),
    new HttpRefusalError({ status: 400, text: { zh: "不行", en: "not allowed" } }),
  ];
  const { queues, run, runs, add } = await openQueues(() => async ({ input }) => {
    begun.push(input.message);
    if (begun.length === 3) over.resolve();
    throw failures[begun.length - 1];
  });
  add("A?");
  add("B?");
  const problems = () => queues.list(caller, "conv-1").map(({ problem }) => problem?.message);
  await expect.poll(problems).toEqual(["too many runs", undefined]);
  await runs.cancel(run, 2_000);
  await over.promise;
  expect(begun).toEqual(["A?", "A?", "B?"]);
  await expect.poll(problems).toEqual(["no such turn", "not allowed"]);
});

test("a question keeps no token, and is not asked once the sign-in of its caller has ended", async () => {
  const headers = {
    authorization: "Bearer secret",
    cookie: "a=b",
    traceparent: "00-1",
    "sec-fetch-site": "same-origin",
  };
  expect([...keepHeaders(new Headers(headers)).keys()].sort()).toEqual(["sec-fetch-site", "traceparent"]);
  const gate = Promise.withResolvers<void>();
  let until = 9_000_000_000;
  const api = await serveApi({ turns: ["One.", "Two."], gate: gate.promise, signedInUntil: () => until });
  const page = await api.stream({ message: "First?" });
  const id = String((await page.until("run-start"))?.data?.conversationId);
  until = 1;
  await api.send(`/agent/conversations/${id}/queue`, { json: { message: "Second?" } });
  until = 9_000_000_000;
  gate.resolve();
  const list = async () => JSON.parse(await (await api.send(`/agent/conversations/${id}/queue`)).text()).waiting;
  await expect.poll(list).toMatchObject([{ run_id: null, error: { message: expect.stringContaining("sign-in") } }]);
  expect(api.model.requests).toHaveLength(1);
});

test("what waits for a conversation is deleted with it", async () => {
  const gate = Promise.withResolvers<void>();
  const api = await serveApi({ turns: ["One.", "Two."], gate: gate.promise });
  const page = await api.stream({ message: "First?" });
  const id = String((await page.until("run-start"))?.data?.conversationId);
  await api.send(`/agent/conversations/${id}/queue`, { json: { message: "Second?" } });
  expect((await api.send(`/agent/conversations/${id}`, { method: "DELETE" })).status).toBe(204);
  gate.resolve();
  await outcomeIn(api.chat({ message: "Other?" }));
  expect((await api.send(`/agent/conversations/${id}`)).status).toBe(404);
  expect(JSON.stringify(api.model.requests)).not.toContain("Second?");
});

test("the questions of a deleted conversation keep their room until they are gone, and come back with their IDs", async () => {
  const { queues, add } = await openQueues(() => async () => {
    throw new DuetError({ code: "overloaded", text: { zh: "忙", en: "too many runs" } });
  });
  const addFile = (conversationId: string) =>
    queues.add({
      ...{ conversationId, caller, input: { message: "Third?" }, locale: "en", isStored: true, afterRun: undefined },
      attachments: [{ name: "a.bin", mediaType: "application/octet-stream", bytes: new Uint8Array(150_000_000) }],
      headers: new Headers(),
    });
  const second = add("Second?");
  const third = addFile("conv-1");
  const fourth = add("Fourth?", second?.reservedRunId);
  const waiting = await queues.clear(caller, "conv-1");
  expect(waiting).toHaveLength(3);
  queues.hold(waiting);
  expect([queues.list(caller, "conv-1"), addFile("conv-2")]).toEqual([[], undefined]);
  queues.release(waiting);
  queues.restore(waiting);
  const ids = queues.list(caller, "conv-1").map(({ id, reservedRunId, afterRun }) => [id, reservedRunId, afterRun]);
  expect(ids).toEqual([
    [second?.id, second?.reservedRunId, undefined],
    [third?.id, third?.reservedRunId, undefined],
    [fourth?.id, fourth?.reservedRunId, second?.reservedRunId],
  ]);
  queues.release(await queues.clear(caller, "conv-1"));
  expect(addFile("conv-2")).toBeDefined();
});

test("a question that is sent again with its key waits once, and is not asked again once it has begun", async () => {
  const gate = Promise.withResolvers<void>();
  const api = await serveApi({ turns: ["One.", "Two."], gate: gate.promise });
  const page = await api.stream({ message: "First?" });
  const id = String((await page.until("run-start"))?.data?.conversationId);
  const send = async (message: string) => {
    const headers = { "idempotency-key": "key-1" };
    const response = await api.send(`/agent/conversations/${id}/queue`, { json: { message }, headers });
    return { status: response.status, ...JSON.parse(await response.text()) };
  };
  const [first, again] = [await send("Second?"), await send("Second?")];
  expect([first.status, again.queue_id, again.run_id]).toEqual([202, first.queue_id, null]);
  expect((await send("Other?")).status).toBe(422);
  gate.resolve();
  await expect.poll(() => send("Second?")).toMatchObject({ status: 200, run_id: first.reserved_run_id });
  const readStatus = async () =>
    JSON.parse(await (await api.send(`/agent/runs/${first.reserved_run_id}`)).text()).status;
  await expect.poll(readStatus).toBe("complete");
  expect(JSON.stringify(api.model.requests).split("Second?")).toHaveLength(2);
});

test("a question that was taken back does not wait again when its request is repeated", async () => {
  const gate = Promise.withResolvers<void>();
  const api = await serveApi({ turns: ["One."], gate: gate.promise });
  const page = await api.stream({ message: "First?" });
  const id = String((await page.until("run-start"))?.data?.conversationId);
  const place = `/agent/conversations/${id}/queue`;
  const send = (key: string) => api.send(place, { json: { message: "Second?" }, headers: { "idempotency-key": key } });
  const { queue_id } = JSON.parse(await (await send("key-1")).text());
  expect((await api.send(`${place}/${queue_id}`, { method: "DELETE" })).status).toBe(200);
  const again = await send("key-1");
  expect([again.status, await again.text()]).toEqual([409, expect.stringContaining("was taken back")]);
  expect(JSON.parse(await (await api.send(place)).text()).waiting).toEqual([]);
  expect((await send("key-2")).status).toBe(202);
  gate.resolve();
});

test("what is to follow a question that was taken back follows what that one was to follow", async () => {
  const { queues, add } = await openQueues(() => async () => {
    throw new DuetError({ code: "overloaded", text: { zh: "忙", en: "too many runs" } });
  });
  const first = add("A?", "run-before");
  const second = add("B?", first?.reservedRunId);
  expect(second?.afterRun).toBe(first?.reservedRunId);
  await expect.poll(() => queues.remove(caller, "conv-1", first?.id ?? "")).toMatchObject({ id: first?.id });
  expect(second?.afterRun).toBe("run-before");
});
