import { expect, test, vi } from "vitest";
import { DuetError } from "../../../../src/kit/errors.ts";
import { createKeyedRuns, readKey } from "../../../../src/server/api/chat/keyed-runs.ts";
import { outcomeIn, problemIn, type ServedApi, serveApi } from "../served-api.ts";

const keyed = (key: string) => ({ headers: { "idempotency-key": key } });

test("ten equal requests with one key are one run", async () => {
  const gate = Promise.withResolvers<void>();
  const { chat, stream, model, service } = await serveApi({ turns: ["Once."], gate: gate.promise });
  const answers = Array.from({ length: 10 }, () => chat({ message: "Hello" }, keyed("k1")));
  await expect.poll(() => [...service.runs.listRuns({})].length).toBe(1);
  const reader = await stream({ message: "Hello" }, keyed("k1"));
  gate.resolve();
  const outcomes = await Promise.all(answers.map(outcomeIn));
  expect(new Set(outcomes.map(({ run_id }) => run_id)).size).toBe(1);
  expect(outcomes[0]).toMatchObject({ status: "complete", response: "Once." });
  expect((await reader.rest()).at(-1)?.data).toMatchObject({ outcome: { run_id: outcomes[0]?.run_id } });
  const later = await outcomeIn(chat({ message: "Hello", wait_s: 0 }, keyed("k1")));
  expect(later).toEqual(outcomes[0]);
  expect(model.requests).toHaveLength(1);
});

test("a key keeps its run when the server is started again", async () => {
  const served = await serveApi({ turns: ["Once.", "Twice."] });
  const first = await outcomeIn(served.chat({ message: "Hello" }, keyed("k1")));
  const { chat, stream } = await served.restart();
  const again = await outcomeIn(chat({ message: "Hello" }, keyed("k1")));
  expect(again).toMatchObject({ run_id: first.run_id, response: "Once.", status: "complete" });
  const rest = await (await stream({ message: "Hello" }, keyed("k1"))).rest();
  expect(rest).toMatchObject([{ event: "run-end", data: { outcome: { run_id: first.run_id } } }]);
  expect(served.model.requests).toHaveLength(1);
});

test("a key that was used for something else is refused, before and after a restart", async () => {
  const served = await serveApi({ turns: ["Once."] });
  await outcomeIn(served.chat({ message: "Hello" }, keyed("k1")));
  const restarted = await served.restart();
  for (const { chat } of [served, restarted]) {
    const response = await chat({ message: "Hello!" }, keyed("k1"));
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      code: "idempotency_key_reused",
      detail: expect.stringContaining("Key"),
    });
  }
  expect(served.model.requests).toHaveLength(1);
});

test("another caller's equal key is another run, and so is another key", async () => {
  const { chat } = await serveApi({ turns: ["A", "B", "C"] });
  const ids = [];
  for (const [key, as] of [
    ["k1", "alice"],
    ["k1", "bob"],
    ["k2", "alice"],
  ] as const)
    ids.push((await outcomeIn(chat({ message: "Hello" }, { ...keyed(key), as }))).run_id);
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^run-[0-9a-f]{32}$/);
});

test("one caller's equal key with other rights is another run", () => {
  const headers = new Headers({ "idempotency-key": "k1" });
  const names = [undefined, ["echo"], [], ["echo", "wipe_disk"]].map(
    (tools) => readKey(headers, { owner: "alice", tools }, "Hello")?.name,
  );
  expect(new Set(names).size).toBe(4);
});

test("a client that has named its run may leave and ask again", async () => {
  const gate = Promise.withResolvers<void>();
  const { chat, send, model, service } = await serveApi({ turns: ["Done."], gate: gate.promise });
  const leave = new AbortController();
  const left = chat({ message: "Hello" }, { ...keyed("k1"), signal: leave.signal }).catch(() => "left");
  await expect.poll(() => [...service.runs.listRuns({})].length).toBe(1);
  leave.abort();
  expect(await left).toBe("left");
  expect(await (await send("/agent/runs")).json()).toMatchObject({ runs: [{ status: "running" }] });
  gate.resolve();
  expect(await outcomeIn(chat({ message: "Hello" }, keyed("k1")))).toMatchObject({ response: "Done." });
  expect(model.requests).toHaveLength(1);
});

test("what could not be begun may be tried again with its key", async () => {
  const gate = Promise.withResolvers<void>();
  const { chat, send } = await serveApi({ turns: ["A", "B"], settings: { serve: { maxRuns: 1 } }, gate: gate.promise });
  const { run_id } = await outcomeIn(chat({ message: "First", wait_s: 0 }));
  expect((await chat({ message: "Hello" }, keyed("k1"))).status).toBe(503);
  await send(`/agent/runs/${run_id}`, { method: "DELETE" });
  gate.resolve();
  expect(await outcomeIn(chat({ message: "Hello" }, keyed("k1")))).toMatchObject({ status: "complete" });
});

test("a key whose run goes on in another process is not run here, until it is kept", async () => {
  const gate = Promise.withResolvers<void>();
  const served = await serveApi({ turns: ["Once.", "Twice."], gate: gate.promise });
  const first = outcomeIn(served.chat({ message: "Hello" }, keyed("k1")));
  await expect.poll(() => [...served.service.runs.listRuns({})].length).toBe(1);
  const { chat } = await served.restart();
  const refused = await chat({ message: "Hello", locale: "zh" }, keyed("k1"));
  expect(refused.status).toBe(422);
  const unknown = await chat({ message: "Hello" }, keyed("k1"));
  expect(unknown.status).toBe(409);
  expect(await problemIn(unknown)).toMatchObject({
    detail: expect.stringContaining("its outcome and its effects are unknown"),
  });
  gate.resolve();
  const { run_id } = await first;
  expect(await outcomeIn(chat({ message: "Hello" }, keyed("k1")))).toMatchObject({ run_id, response: "Once." });
  expect(served.model.requests).toHaveLength(1);
});

test("a run that failed before its first step leaves no mark behind: its key begins it anew, here and after a restart", async () => {
  const served = await serveApi({ turns: ["Done."] });
  const { duet } = served.service;
  const refusing = vi.spyOn(duet, "ask").mockImplementation(() => {
    throw new DuetError({ code: "config", text: { zh: "没有模型", en: "there is no model" } });
  });
  const ask = (api: ServedApi) => outcomeIn(api.chat({ message: "Hello" }, keyed("k1")));
  expect(await ask(served)).toMatchObject({ status: "failed", error: { code: "config" } });
  expect(await ask(served)).toMatchObject({ status: "failed" });
  refusing.mockRestore();
  expect(await ask(served)).toMatchObject({ status: "complete" });
  const restarted = await served.restart();
  await expect.poll(async () => (await ask(restarted)).status).toBe("complete");
});

test("without a place for records, a key is known as long as the process lives", async () => {
  const served = await serveApi({ turns: ["Once."] });
  const { duet } = served.service;
  const store = await duet.store({});
  vi.spyOn(duet, "store").mockResolvedValue({ ...store, idempotency: undefined });
  const first = await outcomeIn(served.chat({ message: "Hello" }, keyed("k1")));
  expect(await outcomeIn(served.chat({ message: "Hello" }, keyed("k1")))).toEqual(first);
});

const refuse = () => Promise.reject(new Error("the disk is full"));
const ignore = async () => {};

test.each([
  ["the store takes no record", { idempotency: { add: refuse, remove: ignore } }],
  ["an earlier store takes no mark", { idempotency: undefined, begun: { mark: refuse, unmark: ignore } }],
])("where %s, nothing is run", async (_, records) => {
  const served = await serveApi({ turns: ["Once."] });
  const { duet } = served.service;
  const store = await duet.store({});
  vi.spyOn(duet, "store").mockResolvedValue({ ...store, ...records });
  const refused = await served.chat({ message: "Hello" }, keyed("k1"));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await problemIn(refused)).toMatchObject({ detail: expect.stringContaining("Nothing was run") });
  expect(served.model.requests).toEqual([]);
});

test("a key whose run is gone with its conversation begins one anew, however many ask", async () => {
  const { join } = createKeyedRuns();
  const request = { name: "n", print: "p", runId: "run-1", beginning: "run" };
  const there = new Set<string>();
  let begun = 0;
  const run = {
    isThere: async (runId: string) => there.has(runId),
    async begin() {
      begun += 1;
      await new Promise(setImmediate);
      there.add(request.runId);
      return request.runId;
    },
  };
  await join(request, run);
  there.clear();
  const ids = await Promise.all([1, 2, 3].map(() => join(request, run)));
  expect(ids).toEqual(["run-1", "run-1", "run-1"]);
  expect(begun).toBe(2);
});

test("a key that is none is refused", async () => {
  const { chat, service } = await serveApi();
  for (const key of ["", "two words", "k".repeat(201), "caf\u00e9"]) {
    const response = await chat({ message: "Hello" }, keyed(key));
    expect(response.status).toBe(400);
    expect((await problemIn(response)).detail).toContain("Idempotency-Key");
  }
  expect([...service.runs.listRuns({})]).toEqual([]);
});
