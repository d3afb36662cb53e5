import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { isRecord } from "../../../src/kit/json.ts";
import { createSuccess, createTool } from "../../../src/tools/create-tool.ts";
import { type HttpDuet, startHttpDuet } from "../../fakes/http-duet.ts";
import { call, messagesOf, modernHeaders, modernMeta } from "../../fakes/http-interface.ts";
import { type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { postgres, query, startPostgres, type TestPostgres } from "../../fakes/postgres.ts";
import { configFile, programEnvironment, startProgram, temporaryFolder } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";
import { requires } from "../../runner/requirements.ts";
import { type EventReader, outcomeIn, readEvents } from "../api/served-api.ts";

const half = "Half of an answer";
const wipe = { id: "1", name: "wipe_disk", input: { disk: "a" } };

describe("two replicas of one database", requires(postgres), () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  /** Scripts the two models of a replica. */
  interface Script {
    decides?: ScriptedTurn[];
    answers?: ScriptedTurn[];
  }

  /** Serves two replicas, each with models of its own, and a tool that needs consent. */
  async function openTwo(first: Script, second: Script = {}) {
    const url = await server.createDatabase();
    const wiped: string[] = [];
    const prompts: Record<string, readonly unknown[]> = {};
    const open = async (name: string, { decides = [], answers = [] }: Script): Promise<Replica> => {
      const tool = createTool({
        name: "wipe_disk",
        description: "Wipes a disk.",
        source: "user",
        inputSchema: { type: "object", properties: { disk: { type: "string" } }, required: ["disk"] },
        annotations: { destructive: true },
        async run() {
          wiped.push(name);
          return createSuccess("wiped");
        },
      });
      const settings = { store: { url }, conversations: { store: "disk" } };
      const environment = { DUET_HOME: await temporaryFolder() };
      const functionCall = scriptedModel(decides, "decides");
      const models = { functionCall, answer: scriptedModel(answers, "answers") };
      prompts[name] = functionCall.requests;
      return openReplica(await startHttpDuet({ models, tools: [tool], settings, environment }));
    };
    const [a, b] = await Promise.all([open("a", first), open("b", second)]);
    return { a, b, wiped, url, prompts };
  }

  test("a run that began on one is read from where its client was, answered and cancelled on the other", async () => {
    const { a, b, wiped } = await openTwo({ decides: [[wipe], "Wiped."], answers: [{ hang: true, text: half }] });
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
    const reply = { question_id: asked?.question_id, answer: "once" };
    const answered = await Promise.all([
      b.post(`/agent/runs/${runId}/reply`, reply),
      a.post(`/agent/runs/${runId}/reply`, reply),
    ]);
    expect(answered.map(({ status }) => status).sort()).toEqual([204, 409]);
    await reader.until("tool-end");
    expect(wiped).toEqual(["a"]);
    const text: string[] = [];
    while (text.join("") !== half) text.push(String((await reader.until("answer-delta"))?.data?.text));

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
    // As after a crash: whatever the first one still writes comes too late.
    await query(url, "UPDATE journal_runs SET holder = 'gone'");
    const reply = { question_id: question?.question_id, answer: "once" };
    expect((await b.post(`/agent/runs/${runId}/reply`, reply)).status).toBe(204);
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
    const result = await b.askModern({ question: "Wipe disk a." }, answer);
    expect(result).toMatchObject({ structuredContent: { status: "complete", response: "It is wiped." } });
    expect(await b.askModern({ question: "Wipe disk a." }, answer)).toBeUndefined();
    expect(wiped).toEqual(["a"]);
  });

  test("a response that is written in the background on one is read, continued and cancelled on the other", async () => {
    const answers = ["First answer.", { hang: true, text: half }] satisfies ScriptedTurn[];
    const { a, b } = await openTwo({ answers }, { answers: ["Second answer."] });
    const create = async (replica: Replica, more: object) =>
      responseSchema.parse(await (await replica.post("/v1/responses", { model: "duet-chat", ...more })).json());
    const first = await create(a, { input: "One?" });
    const second = await create(b, { input: "Two?", previous_response_id: first.id });
    expect([first.status, second.status]).toEqual(["completed", "completed"]);
    expect(await (await a.get("/agent/conversations")).json()).toMatchObject({ conversations: [{ turns: 2 }] });

    const begun = await create(a, { input: "Three?", background: true });
    const read = async () => responseSchema.parse(await (await b.get(`/v1/responses/${begun.id}`)).json());
    await expect.poll(async () => JSON.stringify(await read())).toContain(half);
    await b.post(`/v1/responses/${begun.id}/cancel`, {});
    await expect.poll(async () => (await read()).status).toBe("cancelled");
  });

  test("the client of a replica that is killed in its answer reads on in the next one, without a gap, from a new beginning", async () => {
    const provider = await startFakeProvider();
    onTestFinished(provider.close);
    provider.script("decides", { text: "There is nothing to look up." });
    provider.script("answers", { text: half, hang: "after-text" }, { text: "It is another answer." });
    const models = Object.fromEntries(
      Object.entries({ functionCall: "decides", answer: "answers" }).map(([role, model]) => [
        role,
        { provider: "openai", model, baseUrl: provider.openaiUrl, wire: "openai-chat" },
      ]),
    );
    const config = await configFile({ models, locale: "en", search: { enabled: false } });
    const url = await server.createDatabase();
    const serve = async () => {
      const home = { DUET_HOME: await temporaryFolder(), OPENAI_API_KEY: "sk-test-openai-0001" };
      const env = await programEnvironment({ ...home, DUET_STORE_URL: url });
      const child = await startProgram(["serve", "--http", "0", "--config", config], { env });
      for await (const line of createInterface({ input: child.stderr })) {
        const origin = /(http:\/\/\S+)\/mcp/.exec(line)?.[1];
        if (origin !== undefined) return { child, ...openReplica({ origin }) };
      }
      throw new Error("it does not listen");
    };
    const [a, b] = await Promise.all([serve(), serve()]);
    const key = { "idempotency-key": "asked-once" };
    const asked = { message: "How is it?", asks: true };
    const begun = await a.stream(asked, key);
    await begun.until("answer-delta");
    const told = begun.seen.filter(({ id }) => id !== undefined);
    const runId = String(told[0]?.data?.runId);
    const reader = await b.follow(runId, told.length);
    a.child.kill("SIGKILL");
    const again = () => outcomeIn(b.post("/agent/chat", { ...asked, wait_s: 0 }, key));
    await expect.poll(again).toMatchObject({ run_id: runId, status: "complete", response: "It is another answer." });
    await reader.rest();
    const sent = reader.seen.filter(({ id }) => id !== undefined);
    expect(sent.map(({ id }) => Number(id))).toEqual(sent.map((_, index) => told.length + index + 1));
    const restart = sent.findIndex(({ event }) => event === "answer-restart");
    const texts = sent.slice(restart).map(({ data }) => data?.text ?? "");
    expect([restart >= 0, texts.join("")]).toEqual([true, "It is another answer."]);
    expect(sent.filter(({ event }) => event === "run-end")).toHaveLength(1);
  });
});

interface Replica {
  send(method: string, path: string, json?: unknown, headers?: Record<string, string>): Promise<Response>;
  get(path: string): Promise<Response>;
  post(path: string, json: unknown, headers?: Record<string, string>): Promise<Response>;
  stream(json: unknown, headers?: Record<string, string>): Promise<EventReader>;
  follow(runId: string, last?: number): Promise<EventReader>;
  /** Calls `agent_ask` as a host of the 2026 era that shows forms; undefined where the request is refused. */
  askModern(args: object, more?: object): Promise<Record<string, unknown> | undefined>;
}

const responseSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
});

const modernAsks = {
  ...modernMeta,
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

const events = { accept: "text/event-stream" };

function openReplica({ origin }: Pick<HttpDuet, "origin">): Replica {
  const send: Replica["send"] = (method, path, json, headers = {}) =>
    fetch(`${origin}${path}`, {
      method,
      headers: { ...(json === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  return {
    send,
    async askModern(args, more = {}) {
      const message = call(1, "agent_ask", args, modernAsks);
      const asked = { ...message, params: { ...message.params, ...more } };
      const answered = await send("POST", "/mcp", asked, modernHeaders("tools/call", "agent_ask"));
      const result = messagesOf(await answered.text()).at(-1)?.result;
      return isRecord(result) ? result : undefined;
    },
    get: (path) => send("GET", path),
    post: (path, json, headers) => send("POST", path, json, headers),
    stream: async (json, headers) => readEvents(await send("POST", "/agent/chat", json, { ...events, ...headers })),
    follow: async (runId, last) =>
      readEvents(
        await send("GET", `/agent/runs/${runId}`, undefined, {
          ...events,
          ...(last === undefined ? {} : { "last-event-id": String(last) }),
        }),
      ),
  };
}
