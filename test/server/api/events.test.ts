import { expect, test } from "vitest";
import { waitForEnd } from "../../../src/runs/live/wait-until.ts";
import { openSocket, rawText, readRaw } from "../../fakes/http-interface.ts";
import { outcomeIn, problemIn, serveApi } from "./served-api.ts";

const echo = { id: "1", name: "echo", input: { text: "hello" } };
const turns = [[echo], "It says hello."];

test("a run's events are streamed with ids from 1 on, and the stream ends with the run", async () => {
  const { stream } = await serveApi({ turns });
  const reader = await stream({ message: "echo hello" });
  // A comment keeps a slow stream alive.
  const [first, ...events] = (await reader.rest()).filter(({ comment }) => comment === undefined);
  const { headers } = reader.response;
  expect(headers.get("content-type")).toBe("text/event-stream");
  expect(headers.get("cache-control")).toBe("no-store, no-transform");
  expect(first).toEqual({ id: undefined, event: undefined, comment: undefined, data: undefined });
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => String(index + 1)));
  for (const { event, data } of events) expect(data?.type).toBe(event);
  expect(events[0]?.data).toMatchObject({ type: "run-start" });
  expect(headers.get("location")).toBe(`/agent/runs/${events[0]?.data?.runId}`);
  expect(events.map(({ event }) => event)).toContain("tool-end");
  expect(events.at(-1)?.data).toMatchObject({ type: "run-end", outcome: { response: "It says hello." } });
});

test("a stream begins by saying when to come back", async () => {
  const { send } = await serveApi({ turns });
  const response = await send("/agent/chat", { json: { message: "x" }, headers: { accept: "text/event-stream" } });
  expect(await response.text()).toMatch(/^retry: 1000\n\nid: 1\nevent: run-start\ndata: \{/);
});

test("who comes back with Last-Event-ID gets what came after it, and nothing once there is no more", async () => {
  const { stream, follow } = await serveApi({ turns });
  const [, ...all] = await (await stream({ message: "echo hello" })).rest();
  const runId = String(all[0]?.data?.runId);
  for (const last of [0, 1, 5, all.length - 1]) {
    const [, ...rest] = await (await follow(runId, last)).rest();
    expect(rest).toEqual(all.slice(last));
  }
  expect((await (await follow(runId)).rest()).slice(1)).toEqual(all);
  expect((await follow(runId, all.length)).response.status).toBe(204);
});

test("an id that no event of the run had is refused", async () => {
  const gate = Promise.withResolvers<void>();
  const { stream, follow } = await serveApi({ turns, gate: gate.promise });
  const reader = await stream({ message: "echo hello" });
  const runId = String((await reader.until("run-start"))?.data?.runId);
  for (const last of ["abc", "-1", "1.5", "100"]) {
    const { response } = await follow(runId, last);
    expect(response.status).toBe(400);
    expect((await problemIn(response)).detail).toContain(`"${last}"`);
  }
  await reader.leave();
});

test("an id that no event of a run had is refused when the run has ended too", async () => {
  const { stream, follow } = await serveApi({ turns });
  const [, ...all] = await (await stream({ message: "echo hello" })).rest();
  const { response } = await follow(String(all[0]?.data?.runId), all.length + 1);
  expect(response.status).toBe(400);
});

test("a stream ends when the sign-in that opened it runs out, and its run waits for who comes back", async () => {
  const { stream, service } = await serveApi({ turns: [{ hang: true }], signedInUntil: () => Date.now() / 1000 + 0.2 });
  const reader = await stream({ message: "Hello" });
  await expect(reader.rest()).rejects.toThrow("terminated");
  expect([...service.runs.listRuns({})]).toMatchObject([{ outcome: undefined, isStopping: false }]);
});

test("readers who come at different times get the same events, none lost and none twice", async () => {
  const gate = Promise.withResolvers<void>();
  const { stream, follow } = await serveApi({ turns, gate: gate.promise });
  const first = await stream({ message: "echo hello" });
  const runId = String((await first.until("run-start"))?.data?.runId);
  const readers = await Promise.all([follow(runId), follow(runId), follow(runId, 1)]);
  gate.resolve();
  await first.rest();
  const all = first.seen.slice(1);
  expect(all.at(-1)?.event).toBe("run-end");
  const [second, third, fourth] = await Promise.all(readers.map((reader) => reader.rest()));
  expect(second?.slice(1)).toEqual(all);
  expect(third?.slice(1)).toEqual(all);
  expect(fourth?.slice(1)).toEqual(all.slice(1));
});

test("of a run of an earlier process its end is told", async () => {
  const served = await serveApi({ turns });
  const { run_id, response } = await outcomeIn(served.chat({ message: "echo hello" }));
  const { follow, send } = await served.restart();
  const rest = await (await follow(run_id)).rest();
  expect(rest).toMatchObject([{ event: "run-end", data: { type: "run-end", outcome: { run_id, response } } }]);
  expect(await (await send(`/agent/runs/${run_id}`)).json()).toMatchObject({ run_id, response, waits_for: null });
});

test("a stream in which nothing happens is kept alive", async () => {
  const { stream } = await serveApi({ turns: [{ hang: true }], times: { keepAlive: 20 } });
  const reader = await stream({ message: "Hello" });
  for (let heard = 0; heard < 3; heard++) expect(await reader.until("keep-alive")).toBeDefined();
  await reader.leave();
});

test("a run whose readers have all left ends when none has come back in time", async () => {
  const { stream, service } = await serveApi({ turns: [{ hang: true }], times: { comeBack: 50 } });
  const reader = await stream({ message: "Hello" });
  const runId = String((await reader.until("run-start"))?.data?.runId);
  const run = service.runs.find(runId, {});
  await reader.leave();
  const outcome = run && (await waitForEnd(run, AbortSignal.timeout(20_000)));
  expect(outcome).toMatchObject({ status: "cancelled" });
});

test("a reader who comes back in time misses nothing", async () => {
  const gate = Promise.withResolvers<void>();
  const { stream, follow } = await serveApi({ turns, gate: gate.promise });
  const first = await stream({ message: "echo hello" });
  const start = await first.until("run-start");
  await first.leave();
  const second = await follow(String(start?.data?.runId), start?.id);
  gate.resolve();
  const rest = await second.rest();
  expect(rest[1]?.id).toBe("2");
  expect(rest.at(-1)?.data).toMatchObject({ type: "run-end", outcome: { status: "complete" } });
});

test("a run goes on without its reader where the operator wants it to", async () => {
  const gate = Promise.withResolvers<void>();
  const settings = { serve: { onDisconnect: "finish" } };
  const { stream, service } = await serveApi({ turns, settings, gate: gate.promise, times: { comeBack: 0 } });
  const reader = await stream({ message: "echo hello" });
  const run = service.runs.find(String((await reader.until("run-start"))?.data?.runId), {});
  await reader.leave();
  gate.resolve();
  expect(run && (await waitForEnd(run, AbortSignal.timeout(20_000)))).toMatchObject({
    status: "complete",
  });
});

test("a run that is cancelled is told of as such, to who cancels and to who reads", async () => {
  const { stream, send } = await serveApi({ turns: [{ hang: true, text: "Half" }] });
  const reader = await stream({ message: "Hello" });
  const run_id = String((await reader.until("run-start"))?.data?.runId);
  const response = await send(`/agent/runs/${run_id}`, { method: "DELETE" });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ run_id, success: false, status: "cancelled" });
  expect((await reader.rest()).at(-1)?.data).toMatchObject({ type: "run-end", outcome: { status: "cancelled" } });
  expect((await send(`/agent/runs/${run_id}`, { method: "DELETE" })).status).toBe(200);
});

test("another caller's run is not there", async () => {
  const { chat, send, service } = await serveApi({ turns: ["Mine."] });
  const { run_id } = await outcomeIn(chat({ message: "Hello" }, { as: "alice" }));
  const answers = async (id: string) =>
    Promise.all(
      [
        send(`/agent/runs/${id}`, { as: "bob" }),
        send(`/agent/runs/${id}`, { as: "bob", headers: { accept: "text/event-stream" } }),
        send(`/agent/runs/${id}`, { as: "bob", method: "DELETE" }),
        send(`/agent/runs/${id}/reply`, { as: "bob", json: { question_id: "q", answer: "once" } }),
      ].map(async (response) => [(await response).status, (await (await response).text()).replaceAll(id, "ID")]),
    );
  expect(await answers(run_id)).toEqual(await answers("run-none"));
  expect((await answers(run_id)).map(([status]) => status)).toEqual([404, 404, 404, 404]);
  expect(await (await send("/agent/runs", { as: "bob" })).json()).toEqual({ runs: [], next_offset: null });
  expect(service.runs.find(run_id, { owner: "alice" })).toBeDefined();
});

test("a client that does not wait for its answer stops its run", async () => {
  const { chat, service, model } = await serveApi({ turns: [{ hang: true }] });
  const leave = new AbortController();
  const answer = chat({ message: "Hello" }, { signal: leave.signal }).catch(() => undefined);
  await expect.poll(() => model.requests.length).toBe(1);
  const [run] = service.runs.listRuns({});
  leave.abort();
  await answer;
  expect(run && (await waitForEnd(run, AbortSignal.timeout(20_000)))).toMatchObject({
    status: "cancelled",
  });
});

test("a reader who is slow gets all of a long backlog, and keeps no more than a piece of it waiting", async () => {
  const reasoning = "x".repeat(2_000_000);
  const { chat, port } = await serveApi({
    turns: [{ reasoning, calls: [echo] }, { reasoning, calls: [echo] }, "Done."],
  });
  const { run_id } = await outcomeIn(chat({ message: "Think." }));
  const socket = await openSocket(port);
  socket.pause();
  socket.write(rawText("GET", `/agent/runs/${run_id}`, port, { accept: "text/event-stream" }));
  // Another request goes all the way in the meantime.
  await outcomeIn(chat({ message: "Think." }));
  const { body } = await readRaw(socket);
  expect(body.match(/^event: (.*)$/gm)?.at(-1)).toBe("event: run-end");
  expect(body.length).toBeGreaterThan(2 * reasoning.length);
});
