import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { isRecord } from "../../../src/kit/json.ts";
import { call, messagesOf, openSession } from "../../fakes/http-interface.ts";
import type { ScriptedTurn } from "../../fakes/model.ts";
import { keepLocked, postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { requires } from "../../runner/requirements.ts";
import { outcomeIn, readEvents } from "../api/served-api.ts";
import { openReplicas, type Replica, type Script } from "./open-replicas.ts";

const half = "Half of an answer";
const newest = { "mcp-protocol-version": "2025-11-25" };
const wipe = { id: "1", name: "wipe_disk", input: { disk: "a" } };

describe("two replicas of one database", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  const openTwo = async (first: Script, second: Script = {}) =>
    openReplicas(await server.createDatabase(), [first, second]);

  test("a run that began on one is read from where its client was, answered and cancelled on the other", async () => {
    const script = { decides: [[wipe], "Wiped."], answers: [{ hang: true, text: half }] } satisfies Script;
    const { a, b, wiped, prompts } = await openTwo(script);
    const begun = await a.stream({ message: "Wipe disk a.", asks: true });
    const start = await begun.until("run-start");
    const runId = String(start?.data?.runId);
    await begun.until("question");
    const told = begun.seen.filter(({ id }) => id !== undefined);
    await begun.leave();

    const listed = await (await b.get("/agent/runs?status=running")).json();
    expect(listed).toMatchObject({
      runs: [{ run_id: runId, status: "running", waits: true, question: "Wipe disk a." }],
    });
    expect(await (await b.get("/agent/conversations")).json()).toMatchObject({ conversations: [{ running: true }] });
    const last = told.length;
    const reader = await b.follow(runId, last);
    const asked = (await reader.until("question"))?.data;
    expect(asked).toMatchObject({ kind: "call", tool: "wipe_disk" });
    expect((await b.post(`/agent/runs/${runId}/messages`, { message: "Be quick." })).status).toBe(202);
    const reply = { question_id: asked?.question_id, answer: "once" };
    const answered = await Promise.all([
      b.post(`/agent/runs/${runId}/reply`, reply),
      a.post(`/agent/runs/${runId}/reply`, reply),
    ]);
    expect(answered.map(({ status }) => status).sort()).toEqual([204, 409]);
    await reader.until("tool-end");
    expect(wiped).toEqual(["a"]);
    expect(JSON.stringify(prompts.a?.[0])).not.toContain("Be quick.");
    await expect.poll(() => JSON.stringify(prompts.a?.[1] ?? "")).toContain("Be quick.");
    const text: string[] = [];
    while (text.join("") !== half) text.push(String((await reader.until("answer-delta"))?.data?.text));
    expect((await b.post(`/agent/runs/${runId}/messages`, { message: "Too late." })).status).toBe(409);

    const cancelled = await b.send("DELETE", `/agent/runs/${runId}`);
    expect([cancelled.status, (await outcomeIn(cancelled)).run_id]).toEqual([200, runId]);
    await reader.rest();
    const ids = [...told, ...reader.seen].flatMap(({ id }) => (id === undefined ? [] : Number(id)));
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    const end = { status: "cancelled", response: expect.stringContaining(half) };
    expect(reader.seen.at(-1)?.data).toMatchObject({ type: "run-end", outcome: end });
    expect(await outcomeIn(b.get(`/agent/runs/${runId}`))).toMatchObject(end);
    expect((await (await a.follow(runId)).rest()).filter(({ id }) => id !== undefined)).toHaveLength(ids.length);
  });

  test("who has got more than the process that is asked knows by then gets what comes after it, and no refusal", async () => {
    const script = { decides: [[wipe], "Wiped."], answers: ["It is wiped."] } satisfies Script;
    const { a, b } = await openTwo(script);
    const begun = await a.stream({ message: "Wipe disk a.", asks: true });
    const question = (await begun.until("question"))?.data;
    const told = begun.seen.filter(({ id }) => id !== undefined);
    const runId = String(told[0]?.data?.runId);
    // As when the database has given another process further events, and this one has not heard of them yet.
    const next = told.length + 4;
    const readers = [a.follow(runId, next), b.follow(runId, next)];
    // Both have been asked before they know any more.
    await Promise.all([a.get(`/agent/runs/${runId}`), b.get(`/agent/runs/${runId}`)]);
    await b.post(`/agent/runs/${runId}/reply`, { question_id: question?.question_id, answer: "once" });
    for (const reader of await Promise.all(readers)) {
      expect(reader.response.status).toBe(200);
      const ids = (await reader.rest()).flatMap(({ id }) => (id === undefined ? [] : Number(id)));
      expect(ids).toEqual(ids.map((_, index) => next + index + 1));
    }
  });

  test("the end of a run is stored once all but its last event are, so that a crash right after it loses no text", async () => {
    const { a, url } = await openTwo({
      decides: ["Nothing."],
      answers: ["An answer of several words that is streamed."],
    });
    await query(
      url,
      `CREATE TABLE at_end (known bigint);
      CREATE FUNCTION note_events() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO at_end SELECT count(*) FROM journal_events WHERE run = NEW.run; RETURN NEW; END $$;
      CREATE TRIGGER note_events AFTER UPDATE ON journal_runs FOR EACH ROW WHEN (NEW.state = 'ended')
        EXECUTE FUNCTION note_events()`,
    );
    const begun = await a.stream({ message: "How is it?" });
    const all = (await begun.rest()).filter(({ id }) => id !== undefined);
    expect(all.at(-1)?.event).toBe("run-end");
    expect(await query(url, "SELECT known FROM at_end")).toEqual([{ known: String(all.length - 1) }]);
  });

  test("a question outlives its replica: what was asked there is answered before the next one asks again", async () => {
    const script = { decides: [[wipe], "Wiped."], answers: ["It is wiped."] };
    const { a, b, wiped, url } = await openTwo(script, { ...script, decides: script.decides.slice(1) });
    const key = { "idempotency-key": "wipe-once" };
    const asked = { message: "Wipe disk a.", asks: true };
    const begun = await a.stream(asked, key);
    const question = (await begun.until("question"))?.data;
    const runId = String(begun.seen.find(({ event }) => event === "run-start")?.data?.runId);
    const told = begun.seen.filter(({ id }) => id !== undefined).length;
    const reader = await b.follow(runId, told);
    expect((await reader.until("question"))?.data).toMatchObject({ question_id: question?.question_id });
    // As when a third one has it, and crashes: whatever the first one still writes comes too late.
    await query(
      url,
      "INSERT INTO replicas (id, alive_until) VALUES ('third', now() + interval '1 hour'); UPDATE journal_runs SET holder = 'third'",
    );
    const reply = { question_id: question?.question_id, answer: "once" };
    expect((await b.post(`/agent/runs/${runId}/reply`, reply)).status).toBe(204);
    // It is so long ago that nobody goes on with it unasked.
    await query(
      url,
      "DELETE FROM replicas WHERE id = 'third'; UPDATE journal_steps SET at = '2026-01-01T00:00:00.000Z'",
    );
    expect(await outcomeIn(b.post("/agent/chat", asked, key))).toMatchObject({
      run_id: runId,
      status: "complete",
      response: "It is wiped.",
    });
    // Either of them may take a run that nobody holds.
    expect(wiped).toHaveLength(1);
    // The first one ends its stream without an end of the run, so that its reader comes back.
    expect((await begun.rest()).map(({ event }) => event)).not.toContain("run-end");
    await reader.rest();
    const ids = reader.seen.flatMap(({ id }) => (id === undefined ? [] : Number(id)));
    expect(ids).toEqual(ids.map((_, index) => told + index + 1));
    expect(reader.seen.filter(({ event }) => event === "run-end")).toHaveLength(1);
  });

  test("who waits for an answer in one response gets it where the run goes on, over HTTP and MCP", async () => {
    const answered = { decides: ["Nothing.", "Nothing."], answers: ["It is so.", "It is so."] };
    // Either of them may take a run that nobody holds.
    const first: Script = { ...answered, decides: [{ hang: true }, { hang: true }, ...answered.decides] };
    const { a, b, url, prompts } = await openTwo(first, answered);
    const key = { "idempotency-key": "one-answer" };
    const asked = { message: "How is it?" };
    const waits = [outcomeIn(a.post("/agent/chat", asked, key)), a.askModern({ question: "How is it, too?" })];
    await expect.poll(() => prompts.a?.length).toBe(2);
    const going = await query(url, "SELECT run FROM journal_runs WHERE state = 'going'");
    // As after a crash: the first one finds out that it holds them no more.
    await query(url, "UPDATE journal_runs SET holder = 'gone'");
    for (const { run } of going) await b.get(`/agent/runs/${run}`);
    const [answer, result] = await Promise.all(waits);
    const said = expect.stringContaining("It is so.");
    expect(answer).toMatchObject({ status: "complete", response: said });
    expect(result).toMatchObject({ structuredContent: { status: "complete", response: said } });
    expect(await outcomeIn(b.post("/agent/chat", asked, key))).toMatchObject({ run_id: answer?.run_id });
  });

  test("a host of 2026-07-28 is asked by one and answers the other, once, and gets the result there", async () => {
    const { a, b, wiped } = await openTwo({ decides: [[wipe], "Wiped."], answers: ["It is wiped."] });
    const asked = await a.askModern({ question: "Wipe disk a." });
    expect(asked).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
    const state = String(asked?.requestState);
    const answer = { requestState: state, inputResponses: { question: { action: "accept", content: {} } } };
    const changed = { ...answer, requestState: `0${state}` };
    expect(await b.askModern({ question: "Wipe disk a." }, changed)).toBeUndefined();
    expect(wiped).toEqual([]);
    const notOffered = { question: { action: "accept", content: { scope: "zzz" } } };
    const again = await b.askModern({ question: "Wipe disk a." }, { ...answer, inputResponses: notOffered });
    expect(again).toMatchObject({
      resultType: "input_required",
      inputRequests: { question: { params: { message: expect.stringContaining('invalid value "zzz" for scope') } } },
    });
    expect(wiped).toEqual([]);
    const result = await b.askModern({ question: "Wipe disk a." }, { ...answer, requestState: again?.requestState });
    expect(result).toMatchObject({ structuredContent: { status: "complete", response: "It is wiped." } });
    expect(await b.askModern({ question: "Wipe disk a." }, answer)).toBeUndefined();
    expect(wiped).toEqual(["a"]);
  });

  test("a host of 2026-07-28 whose answer has counted sends it again to any replica, and waits for the run there", async () => {
    const script = { decides: [[wipe], "Wiped."], answers: [{ hang: true, text: half }] } satisfies Script;
    const { a, b, wiped, url } = await openTwo(script);
    const question = "Wipe disk a.";
    const asked = await a.askModern({ question });
    const answer = (reply: object) => ({ requestState: asked?.requestState, inputResponses: { question: reply } });
    const accept = answer({ action: "accept", content: {} });
    const first = a.askModern({ question }, accept);
    await expect.poll(() => wiped).toEqual(["a"]);
    // The run has recorded the answer, and waits for it no more.
    const recorded = "SELECT id FROM run_questions WHERE starts_with(question, ' ')";
    await expect.poll(() => query(url, recorded)).toHaveLength(1);
    const [going] = await query(url, "SELECT run FROM journal_runs WHERE state = 'going'");
    for (const replica of [a, b]) {
      const again = await replica.askModern({ question, wait_s: 0 }, accept);
      expect(again).toMatchObject({ structuredContent: { run_id: going?.run, status: "running" } });
      expect(await replica.askModern({ question }, answer({ action: "decline" }))).toBeUndefined();
    }
    expect((await b.send("DELETE", `/agent/runs/${going?.run}`)).status).toBe(200);
    expect(await first).toMatchObject({ structuredContent: { run_id: going?.run, status: "cancelled" } });
    expect(wiped).toEqual(["a"]);
  });

  test("a stream of MCP resumes where it was opened; the other is told so, and has the result of the run that the progress named", async () => {
    const { a, b } = await openTwo({ decides: ["Nothing.", "Nothing."], answers: [{ hang: true, text: half }] });
    const session = await openSession(`${a.origin}/mcp`);
    const asked = call(1, "agent_ask", { question: "How is it?" }, { progressToken: 1 });
    const reader = readEvents(await session.send(asked, newest));
    const isInDecide = () => JSON.stringify(reader.seen).includes("🧭");
    while (!isInDecide() && (await reader.until("message")));
    const run = /🆔 ([\w-]+)/u.exec(JSON.stringify(reader.seen))?.[1];
    expect(run).toMatch(/^run-/);
    const event = String(reader.seen.at(-1)?.id);
    await reader.leave();
    const resume = (replica: Replica) =>
      replica.send("GET", "/mcp", undefined, {
        ...{ ...newest, accept: "text/event-stream" },
        ...{ "mcp-session-id": session.id, "last-event-id": event },
      });
    const refused = await resume(b);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain(
      `the stream of the event \\"${event}\\" resumes only on the replica that opened it`,
    );
    const resumed = await resume(a);
    expect(resumed.status).toBe(200);
    await b.send("DELETE", `/agent/runs/${run}`);
    expect(messagesOf(await resumed.text()).at(-1)).toMatchObject({
      id: 1,
      result: { structuredContent: { run_id: run } },
    });
    const result = await b.callModern("agent_result", { run_id: run });
    expect(result).toMatchObject({ structuredContent: { run_id: run, status: "cancelled" } });
  });

  test("a response that is written in the background on one is read, continued and cancelled on the other", async () => {
    const answers = ["First answer.", { hang: true, text: half }] satisfies ScriptedTurn[];
    const { a, b } = await openTwo({ answers }, { answers: ["Second answer."] });
    const create = async (replica: Replica, more: object) =>
      readResponse(await replica.post("/v1/responses", { model: "duet-chat", ...more }));
    const first = await create(a, { input: "One?" });
    const second = await create(b, { input: "Two?", previous_response_id: first.id });
    expect([first.status, second.status]).toEqual(["completed", "completed"]);
    expect(await (await a.get("/agent/conversations")).json()).toMatchObject({ conversations: [{ turns: 2 }] });

    const begun = await create(a, { input: "Three?", background: true });
    const read = async () => readResponse(await b.get(`/v1/responses/${begun.id}`));
    await expect.poll(async () => JSON.stringify(await read())).toContain(half);
    await b.post(`/v1/responses/${begun.id}/cancel`, {});
    await expect.poll(async () => (await read()).status).toBe("cancelled");
  });

  test("a host that is cut off has its run by asking the same of the other one, which nobody has who asks while it waits", async () => {
    const { a, b, url, prompts } = await openTwo({ decides: [{ hang: true }] }, { decides: [{ hang: true }] });
    const question = "How is it?";
    const session = await openSession(`${a.origin}/mcp`);
    const asked = session.send(call(1, "agent_ask", { question }), newest);
    await expect.poll(() => prompts.a?.length).toBe(1);
    const [first] = await query(url, "SELECT run FROM journal_runs WHERE state = 'going'");
    // Another run of the same caller has what PostgreSQL does not read as JSON.
    await query(
      url,
      `INSERT INTO replicas (id, alive_until) VALUES ('third', now() + interval '1 hour');
      INSERT INTO journal_runs (run, conversation, header, state, holder, begun_at)
        VALUES ('run-odd', 'c', '{"question":"\\u0000 \\ud83d"}', 'going', 'third', '2026-01-01T00:00:00.000Z')`,
    );
    const ask = async () => toRun(await b.askModern({ question, wait_s: 0 }));
    const other = await ask();
    await expect.poll(() => prompts.b?.length).toBe(1);
    await b.callModern("agent_cancel", { run_id: other.run_id });
    await a.send("DELETE", "/mcp", undefined, { ...newest, "mcp-session-id": session.id });
    const again = await ask();
    expect(again).toMatchObject({ status: "running", run_id: first?.run });
    expect([prompts.a?.length, prompts.b?.length]).toEqual([1, 1]);
    await b.callModern("agent_cancel", { run_id: again.run_id });
    await asked;
  });

  test("a session that its balancer brings to the other one has its run there, while it waits for it", async () => {
    const { a, b, url, prompts } = await openTwo({ decides: [{ hang: true }] });
    const question = "How is it?";
    const session = await openSession(`${a.origin}/mcp`);
    const asked = session.send(call(1, "agent_ask", { question }), newest);
    await expect.poll(() => prompts.a?.length).toBe(1);
    const [first] = await query(url, "SELECT run FROM journal_runs WHERE state = 'going'");
    const headers = { ...newest, accept: "application/json, text/event-stream", "mcp-session-id": session.id };
    for (const id of [2, 3]) {
      const same = await b.send("POST", "/mcp", call(id, "agent_ask", { question, wait_s: 0 }), headers);
      const run = toRun(toRecord(messagesOf(await same.text()).at(-1)?.result));
      expect(run).toMatchObject({ run_id: first?.run, status: "running" });
    }
    await b.callModern("agent_cancel", { run_id: first?.run });
    await asked;
  });

  test("a host whose replica has died has its run by asking the same of the other one", async () => {
    const answered: Script = { decides: [{ hang: true }, "Nothing."], answers: ["It is so."] };
    const { a, b, url, prompts } = await openTwo(answered, { ...answered, decides: ["Nothing."] });
    const question = "How is it?";
    const first = toRun(await a.askModern({ question, wait_s: 0 }));
    await expect.poll(() => prompts.a?.length).toBe(1);
    // As when its replica is dead, and its lease not over yet.
    await query(
      url,
      "INSERT INTO replicas (id, alive_until) VALUES ('dead', now() + interval '1 second'); UPDATE journal_runs SET holder = 'dead'",
    );
    expect(toRun(await b.askModern({ question }))).toMatchObject({ run_id: first.run_id, status: "complete" });
  });

  test("a response whose replica dies in the answer has the whole one that another replica writes, whatever was sent before", async () => {
    // Either of them may take a run that nobody holds.
    const { a, b, url } = await openTwo(
      { answers: [{ hang: true, text: half }, "It is another answer."] },
      { answers: ["It is another answer."] },
    );
    const asked = { model: "duet-chat", input: "How is it?", background: true };
    const { id } = await readResponse(await a.post("/v1/responses", asked));
    const reader = await readEvents(await b.send("GET", `/v1/responses/${id}?stream=true`));
    await reader.until("response.output_text.delta");
    await query(url, "UPDATE journal_runs SET holder = 'gone'");
    const last = (await reader.rest()).at(-1);
    // What a reader has cannot be taken back.
    expect(last?.data).toMatchObject({ type: "response.incomplete", response: { status: "incomplete" } });
    expect(JSON.stringify(last?.data?.response)).toContain(half);
    for (const replica of [a, b]) {
      const read = async () => readResponse(await replica.get(`/v1/responses/${id}`));
      await expect.poll(async () => (await read()).status).toBe("completed");
      const message = { type: "message", status: "completed", content: [{ text: "It is another answer." }] };
      expect(await read()).toMatchObject({ incomplete_details: null, output: [{ type: "reasoning" }, message] });
    }
    const [stored] = await query(url, "SELECT body FROM responses WHERE id = $1", [id]);
    expect(String(stored?.body)).toContain('"incomplete_details":null');
  });

  test.each(["responses", "journal_runs"])(
    "a response in the background is told once it is recorded, so that any replica knows it: %s",
    async (table) => {
      const { a, b, url } = await openTwo({ answers: [{ hang: true, text: half }] });
      // The store is open, and the replica known.
      await a.get("/agent/runs");
      const unlock = await keepLocked(url, `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
      const order: string[] = [];
      const asked = a.post("/v1/responses", { model: "duet-chat", input: "One?", background: true });
      const answered = asked.finally(() => order.push("answered"));
      const waiting = `SELECT DISTINCT relation::regclass::text AS of FROM pg_locks WHERE NOT granted`;
      await expect.poll(() => query(url, waiting)).toEqual([{ of: table }]);
      // An answer that was sent by now is here.
      await a.get("/readyz");
      order.push("recorded");
      await unlock();
      const { id } = await readResponse(await answered);
      expect(await readResponse(await b.get(`/v1/responses/${id}`))).toMatchObject({ id, status: "in_progress" });
      expect(order).toEqual(["recorded", "answered"]);
    },
  );
});

const toRecord = (value: unknown) => (isRecord(value) ? value : undefined);

const runSchema = z.looseObject({ run_id: z.string(), status: z.string() });

function toRun(result: Record<string, unknown> | undefined) {
  return runSchema.parse(result?.structuredContent);
}

const responseSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
});

async function readResponse(response: Response) {
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  return responseSchema.parse(JSON.parse(text));
}
