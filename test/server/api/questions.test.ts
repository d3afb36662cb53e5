import { expect, test } from "vitest";
import { waitForEnd } from "../../../src/runs/live/wait-until.ts";
import { written } from "../../agent/plan/planning.ts";
import { type EventReader, outcomeIn, problemIn, type ServedApi, serveApi } from "./served-api.ts";

const wipe = [{ id: "1", name: "wipe_disk", input: { disk: "sda" } }];
const say = (text: string) => written({ tool: "echo", parameters: { text } });

async function asked(reader: EventReader) {
  const run_id = String((await reader.until("run-start"))?.data?.runId);
  const { data } = (await reader.until("question")) ?? {};
  return { run_id, question: data, question_id: String(data?.question_id) };
}

function reply({ send }: ServedApi, run_id: string, json: unknown, as?: string): Promise<Response> {
  return send(`/agent/runs/${run_id}/reply`, { json, as });
}

test("a call that needs consent is asked about in the stream, and runs once it is allowed", async () => {
  const served = await serveApi({ turns: [wipe, "Wiped."] });
  const reader = await served.stream({ message: "Wipe it.", asks: true });
  const { run_id, question, question_id } = await asked(reader);
  expect(question).toMatchObject({
    kind: "call",
    message: expect.stringContaining("wipe_disk"),
    tool: "wipe_disk",
    arguments: { disk: "sda" },
    rule: expect.stringContaining("tools.ask"),
    only_once: false,
  });
  expect(new Date(String(question?.expires_at)).getTime()).toBeGreaterThan(Date.now());
  const state = await (await served.send(`/agent/runs/${run_id}`)).json();
  expect(state).toMatchObject({ status: "needs_confirmation", waits_for: question });
  expect(served.wiped).toEqual([]);
  expect((await reply(served, run_id, { question_id, answer: "once" })).status).toBe(204);
  expect(await reader.until("question-closed")).toMatchObject({ data: { question_id } });
  expect((await reader.rest()).at(-1)?.data).toMatchObject({ outcome: { status: "complete", response: "Wiped." } });
  expect(reader.seen.filter(({ event, id }) => event?.startsWith("question") && id !== undefined)).toEqual([]);
  expect(served.wiped).toEqual([{ disk: "sda" }]);
});

test("a call that its reader refuses does not run", async () => {
  const served = await serveApi({ turns: [wipe, "I did not."] });
  const reader = await served.stream({ message: "Wipe it.", asks: true });
  const { run_id, question_id } = await asked(reader);
  await reply(served, run_id, { question_id, answer: "no" });
  expect((await reader.rest()).at(-1)?.data).toMatchObject({ outcome: { response: "I did not." } });
  expect(served.wiped).toEqual([]);
});

test("where nobody answers questions, a call that needs consent does not run and nothing waits", async () => {
  const { stream, model, wiped } = await serveApi({ turns: [wipe, "I may not."] });
  const events = await (await stream({ message: "Wipe it." })).rest();
  expect(events.map(({ event }) => event)).not.toContain("question");
  expect(events.at(-1)?.data).toMatchObject({ outcome: { status: "complete", response: "I may not." } });
  expect(model.requests[1]?.messages.at(-1)?.content).toContain("it needs the user's consent, and nobody can be asked");
  expect(wiped).toEqual([]);
});

test("a reply counts once, for its own question of its own run, from its own caller", async () => {
  const served = await serveApi({ turns: [wipe, wipe, "One.", "Two."] });
  const [one, two] = [
    await served.stream({ message: "Wipe it.", asks: true }, { as: "alice" }),
    await served.stream({ message: "Wipe it too.", asks: true }, { as: "alice" }),
  ];
  const [first, second] = [await asked(one), await asked(two)];
  const { question_id } = first;
  const status = async (run: string, json: unknown, as = "alice") => (await reply(served, run, json, as)).status;
  expect(await status(first.run_id, { question_id, answer: "once" }, "bob")).toBe(404);
  expect(await status("run-none", { question_id, answer: "once" })).toBe(404);
  expect(await status(second.run_id, { question_id, answer: "once" })).toBe(409);
  expect(await status(first.run_id, { question_id: "made up", answer: "once" })).toBe(409);
  expect(served.wiped).toEqual([]);
  const twice = [1, 2].map(() => status(first.run_id, { question_id, answer: "once" }));
  expect((await Promise.all(twice)).toSorted()).toEqual([204, 409]);
  await one.rest();
  expect(await status(first.run_id, { question_id, answer: "once" })).toBe(409);
  expect(served.wiped).toHaveLength(1);
  await status(second.run_id, { question_id: second.question_id, answer: "no" });
  await two.rest();
});

test("what is no answer is refused, and the question still waits", async () => {
  const served = await serveApi({ turns: [wipe, "Wiped."] });
  const reader = await served.stream({ message: "Wipe it.", asks: true });
  const { run_id, question_id } = await asked(reader);
  const bad: [unknown, string][] = [
    [
      { question_id, answer: "yes" },
      'answer: "yes" is not allowed (allowed: once, conversation, no, never, dismissed, or an object)',
    ],
    [{ question_id, answer: { reply: "yes" } }, "answer"],
    [{ question_id }, "answer"],
    [{ answer: "once" }, "question_id"],
    [{ question_id, answer: "once", more: 1 }, "more: this field is not allowed"],
    ["once", "object"],
  ];
  for (const [body, line] of bad) {
    const response = await reply(served, run_id, body);
    expect(response.status).toBe(400);
    expect((await problemIn(response)).detail).toContain(line);
  }
  expect((await reply(served, run_id, { question_id, answer: "once" })).status).toBe(204);
  await reader.rest();
  expect(served.wiped).toHaveLength(1);
});

test("a question that waits is told to each who comes to read", async () => {
  const served = await serveApi({ turns: [wipe, "Wiped."] });
  const first = await served.stream({ message: "Wipe it.", asks: true });
  const { run_id, question, question_id } = await asked(first);
  await first.leave();
  const second = await served.follow(run_id, 3);
  expect((await second.until("question"))?.data).toEqual(question);
  await reply(served, run_id, { question_id, answer: "once" });
  expect((await second.rest()).at(-1)?.event).toBe("run-end");
});

test("who reads no stream finds the question with the run, and answers it there", async () => {
  const served = await serveApi({ turns: [wipe, "Wiped."] });
  const begun = await outcomeIn(served.chat({ message: "Wipe it.", asks: true, wait_s: 0 }));
  const path = `/agent/runs/${begun.run_id}`;
  const state = () => outcomeIn(served.send(path));
  await expect.poll(async () => (await state()).waits_for?.kind).toBe("call");
  const question_id = (await state()).waits_for?.question_id;
  await reply(served, begun.run_id, { question_id, answer: "once" });
  const run = served.service.runs.find(begun.run_id, {});
  if (run) await waitForEnd(run, AbortSignal.timeout(20_000));
  expect(await state()).toMatchObject({ status: "complete", response: "Wiped.", waits_for: null });
});

test("a plan is shown, changed in words and carried out", async () => {
  const served = await serveApi({ turns: [say("one"), say("two"), "Said two."] });
  const reader = await served.stream({ message: "Say it.", mode: "plan", asks: true });
  const { run_id, question, question_id } = await asked(reader);
  expect(question).toMatchObject({ kind: "plan", steps: [{ step: 1, tool: "echo", parameters: { text: "one" } }] });
  for (const answer of ["yes", { reply: "edit" }, { reply: "edit", words: " " }, { reply: "maybe" }])
    expect((await reply(served, run_id, { question_id, answer })).status).toBe(400);
  const words = "Say two instead.";
  expect((await reply(served, run_id, { question_id, answer: { reply: "edit", words } })).status).toBe(204);
  const changed = (await reader.until("question"))?.data;
  expect(changed).toMatchObject({ kind: "plan", steps: [{ parameters: { text: "two" } }] });
  await reply(served, run_id, { question_id: changed?.question_id, answer: { reply: "yes" } });
  expect((await reader.rest()).at(-1)?.data).toMatchObject({
    outcome: { status: "complete", response: "Said two.", tool_calls: [{ tool: "echo", arguments: { text: "two" } }] },
  });
});

test("a plan that is refused is not carried out", async () => {
  const served = await serveApi({ turns: [say("one")] });
  const reader = await served.stream({ message: "Say it.", mode: "plan", asks: true });
  const { run_id, question_id } = await asked(reader);
  await reply(served, run_id, { question_id, answer: { reply: "no" } });
  expect((await reader.rest()).at(-1)?.data).toMatchObject({ outcome: { status: "cancelled", tool_calls: [] } });
});

test("one answer hands out a token for a call, and goes on with the user's word", async () => {
  const { chat, wiped } = await serveApi({ turns: [wipe, "Wiped."] });
  const first = await outcomeIn(chat({ message: "Wipe it." }));
  expect(first).toMatchObject({
    success: true,
    status: "needs_confirmation",
    confirmation: { kind: "call", tool: "wipe_disk", arguments: { disk: "sda" } },
  });
  const token = first.confirmation?.token;
  const unclear = await chat({ message: "what is that?", confirmation: token });
  expect(unclear.status).toBe(400);
  expect((await chat({ message: "yes", confirmation: token }, { as: "bob" })).status).toBe(400);
  expect(wiped).toEqual([]);
  const second = await outcomeIn(chat({ message: "yes", confirmation: token }));
  expect(second).toMatchObject({ run_id: first.run_id, status: "complete", response: "Wiped." });
  expect((await chat({ message: "yes", confirmation: token })).status).toBe(400);
  expect(wiped).toEqual([{ disk: "sda" }]);
});

test("one answer hands out a token for a plan", async () => {
  const settings = { agent: { plan: { unattended: "stop" } } };
  const { chat } = await serveApi({ turns: [say("one"), "Said."], settings });
  const first = await outcomeIn(chat({ message: "Say it.", mode: "plan" }));
  expect(first).toMatchObject({ status: "needs_confirmation", confirmation: { kind: "plan" } });
  const { conversation_id, confirmation } = first;
  const second = await outcomeIn(chat({ message: "yes", confirmation: confirmation?.token }));
  expect(second).toMatchObject({ status: "complete", response: "Said.", conversation_id });
});

test("a form and an address of a program below are shown, and answered in their own words", async () => {
  const served = await serveApi();
  const { service } = served;
  const schema = { type: "object", properties: { name: { type: "string" } } };
  const replies: unknown[] = [];
  const run = service.runs.begin({
    key: "key",
    caller: {},
    locale: "en",
    request: { question: "Book it." },
    canAsk: () => true,
    patienceMs: 60_000,
    async *ask({ user, signal = AbortSignal.timeout(60_000) }) {
      replies.push(await user?.ask({ kind: "form", from: "travel", message: "Who?", schema }, signal));
      const pay = { kind: "url", from: "travel", message: "Pay.", url: "https://a.example/" } as const;
      replies.push(await user?.ask(pay, signal));
      yield { type: "run-end", outcome: { ...run.snapshot(), status: "complete" } };
    },
  });
  const reader = await served.follow(run.id);
  const form = (await reader.until("question"))?.data;
  expect(form).toMatchObject({ kind: "form", message: "[travel] Who?", schema });
  const { question_id } = form ?? {};
  for (const answer of ["once", { action: "accept", content: { name: { first: "A" } } }, { action: "maybe" }])
    expect((await reply(served, run.id, { question_id, answer })).status).toBe(400);
  await reply(served, run.id, { question_id, answer: { action: "accept", content: { name: "Ada" } } });
  const page = (await reader.until("question"))?.data;
  expect(page).toMatchObject({ kind: "url", message: "[travel] Pay.", url: "https://a.example/" });
  await reply(served, run.id, { question_id: page?.question_id, answer: { action: "decline" } });
  await reader.rest();
  expect(replies).toEqual([{ action: "accept", content: { name: "Ada" } }, { action: "decline" }]);
});
