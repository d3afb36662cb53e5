import { expect, test } from "vitest";
import type { ConversationListJson } from "../../../src/core/schemas/conversation-schema.ts";
import { beginRun } from "../../../src/runs/begin-run.ts";
import { anna, askAs, ben } from "../../fakes/callers.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { serveCallers } from "./api-for-callers.ts";

test("a caller's conversations are listed the last asked first, page by page", async () => {
  const { duet, call } = await serveCallers(scriptedModel(["One.", "Two.", "Three.", "Four."]));
  const ids: string[] = [];
  for (const question of ["First?\nIn more words.", "Second?", "Third?"])
    ids.unshift((await askAs(duet, anna, question)).outcome.conversation_id);
  await askAs(duet, ben, "Somebody else's?");

  const list = async (query: string): Promise<ConversationListJson> =>
    JSON.parse(await (await call(`/agent/conversations?${query}`, "anna")).text());
  const first = await list("limit=2");
  expect(first).toMatchObject({ conversations: [{ title: "Third?" }, { title: "Second?", turns: 1 }], next_offset: 2 });
  const second = await list(`limit=2&offset=${first.next_offset}`);
  expect(second).toMatchObject({ conversations: [{ title: "First?" }], next_offset: null });
  expect([...first.conversations, ...second.conversations].map((each) => each.conversation_id)).toEqual(ids);
});

test("a conversation is read with its turns and runs, and is gone once it is deleted", async () => {
  const { duet, call } = await serveCallers(scriptedModel(["One.", "Two.", "Three."]));
  const { outcome } = await askAs(duet, anna, "First?");
  const { conversation_id: id } = outcome;
  await askAs(duet, anna, "Second?", { conversationId: id });

  const whole = await (await call(`/agent/conversations/${id}`, "anna")).json();
  expect(whole).toMatchObject({
    conversation_id: id,
    title: "First?",
    turns: [
      { question: "First?", answer: "One." },
      { question: "Second?", answer: "Two." },
    ],
    summary: null,
    sources: [],
    runs: [{ run_id: outcome.run_id, status: "complete" }, { question: "Second?" }],
  });

  const deleted = await call(`/agent/conversations/${id}`, "anna", "DELETE");
  expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
  expect((await call(`/agent/conversations/${id}`, "anna")).status).toBe(404);
  expect((await call(`/agent/conversations/${id}`, "anna", "DELETE")).status).toBe(404);
  expect(await (await call("/agent/conversations", "anna")).json()).toEqual({ conversations: [], next_offset: null });
});

test("a conversation of somebody else is as unknown as one that never was", async () => {
  const { duet, call } = await serveCallers(scriptedModel(["One."]));
  const { conversation_id: id } = (await askAs(duet, anna, "Mine?")).outcome;
  for (const method of ["GET", "DELETE"] as const) {
    const others = await call(`/agent/conversations/${id}`, "ben", method);
    const nobodys = await call("/agent/conversations/conv-0", "ben", method);
    expect([others.status, nobodys.status]).toEqual([404, 404]);
    expect(others.headers.get("content-type")).toBe("application/problem+json");
    const [told, untold] = [await others.text(), await nobodys.text()];
    expect(told.replaceAll(id, "conv-0")).toBe(untold);
  }
  expect((await call(`/agent/conversations/${id}`, "anna")).status).toBe(200);
});

test("a run that goes on stands in its conversation, and ends before that is deleted", async () => {
  const { service, duet, call } = await serveCallers(scriptedModel([{ hang: true, text: "I beg" }]));
  const seat = { ...service, caller: anna };
  const run = beginRun({
    scope: seat,
    input: { question: "How long?" },
    chain: { depth: 0 },
    host: { asksForms: false },
    locale: "en",
  });
  await new Promise<void>((resolve) => run.follow(({ type }) => type === "phase-start" && resolve()));

  const path = `/agent/conversations/${run.conversationId}`;
  expect(await (await call(path, "anna")).json()).toMatchObject({
    title: "How long?",
    turns: [],
    runs: [{ run_id: run.id, question: "How long?", status: "running" }],
  });
  expect((await call(path, "ben")).status).toBe(404);

  expect((await call(path, "anna", "DELETE")).status).toBe(204);
  expect(run.outcome?.status).toBe("cancelled");
  expect((await call(path, "anna")).status).toBe(404);
  expect(await (await duet.store(anna)).runs({ newest: 10 })).toEqual([]);
  expect((await call(`/agent/runs/${run.id}`, "anna")).status).toBe(404);
});

test.each([
  ["limit=0", 'limit: "0" is not allowed (allowed: one whole number from 1 to 100)'],
  ["limit=101", 'limit: "101" is not allowed (allowed: one whole number from 1 to 100)'],
  ["limit=", 'limit: "" is not allowed (allowed: one whole number from 1 to 100)'],
  ["limit=1e1", 'limit: "1e1" is not allowed (allowed: one whole number from 1 to 100)'],
  ["limit=1&limit=2", 'limit: "1", "2" is not allowed (allowed: one whole number from 1 to 100)'],
  ["offset=-1", 'offset: "-1" is not allowed (allowed: one whole number from 0 to 1000000000)'],
])("a page that cannot be is told in one line: %s", async (query, detail) => {
  const { call } = await serveCallers(scriptedModel([]));
  const answer = await call(`/agent/conversations?${query}`);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ status: 400, code: "invalid_request", detail });
});
