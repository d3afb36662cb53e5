import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isRecord } from "../../../src/kit/json.ts";
import { modernHeaders, modernMeta } from "../../fakes/http-interface.ts";
import { postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { requires } from "../../runner/requirements.ts";
import { outcomeIn } from "../api/served-api.ts";
import { openReplicas, type Replica, type Script } from "./open-replicas.ts";

const half = "Half of an answer";
const hangs: Script = { decides: ["Nothing."], answers: [{ hang: true, text: half }] };

describe("a replica that closes beside another one", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  test("ends the streams of runs of the other one at once, without an end, and is not held by them", async () => {
    const { a, b } = await openReplicas(await server.createDatabase(), [hangs, { grace: 600 }]);
    const begun = await a.stream({ message: "How is it?" });
    await begun.until("answer-delta");
    const runId = String(begun.seen.find(({ event }) => event === "run-start")?.data?.runId);
    const reader = await b.follow(runId);
    await reader.until("answer-delta");
    const watched = await b.callModern("agent_watch", { run_id: runId });
    expect(watched).toMatchObject({ structuredContent: { run_id: runId, events: expect.any(Array), outcome: null } });
    const shown = isRecord(watched?.structuredContent) ? watched.structuredContent.events : undefined;
    expect(shown).toContainEqual(expect.objectContaining({ type: "answer-delta" }));
    const byQuestion = await b.callModern("agent_watch", { question: "How is it?" });
    expect(byQuestion).toMatchObject({ structuredContent: { run_id: runId } });
    const uri = `duet://runs/${runId}`;
    const reading = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri, _meta: modernMeta } };
    const read = await b.send("POST", "/mcp", reading, modernHeaders("resources/read", uri));
    expect(await read.text()).toContain(half);

    await b.close();
    expect((await reader.rest()).map(({ event }) => event)).not.toContain("run-end");
    await a.send("DELETE", `/agent/runs/${runId}`);
    expect((await begun.rest()).at(-1)?.data).toMatchObject({ outcome: { status: "cancelled" } });
  });

  test("has official clients ask no second time for what the other one goes on with, and read it there by its ID", async () => {
    const { a, b, url } = await openReplicas(await server.createDatabase(), [
      { decides: [{ hang: true }], answers: [{ hang: true }, { hang: true }] },
      { decides: ["Nothing."], answers: ["It is so.", "It is so.", "It is so."] },
    ]);
    const toClient = ({ origin }: Replica) => new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 2 });
    const [here, there] = [toClient(a), toClient(b)];
    const model = "duet-chat";
    const whole = here.responses.create({ model, input: "How is it?" }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const stream = await here.responses.create({ model, input: "How is it, too?", stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    const reading = (async () => {
      for await (const event of stream) events.push(event);
    })();
    await expect.poll(() => events.map(({ type }) => type)).toContain("response.created");
    const [created] = events;
    const id = created?.type === "response.created" ? created.response.id : "";
    const asked = a.askModern({ question: "How is it, of a host?" });
    await expect.poll(() => query(url, "SELECT run FROM journal_runs")).toHaveLength(3);
    await a.close();

    await reading;
    expect(events.at(-1)?.type).toBe("response.failed");
    // Whoever asks over MCP is told that nothing is lost, and how to get the result.
    expect(await asked).toMatchObject({
      content: [{ text: expect.stringContaining("agent_result") }],
      structuredContent: { status: "running" },
    });
    const refused = await whole;
    expect(refused).toBeInstanceOf(OpenAI.APIError);
    expect(refused).toMatchObject({ status: 424, requestID: expect.stringMatching(/^run-/) });
    const runId = refused instanceof OpenAI.APIError ? String(refused.requestID) : "";
    const [, named = ""] = /GET \/v1\/responses\/(resp_\w+)/.exec(String(refused)) ?? [];
    expect(JSON.stringify(events.at(-1))).toContain(`GET /v1/responses/${id}`);
    await expect.poll(async () => (await there.responses.retrieve(named)).status).toBe("completed");
    await expect.poll(async () => (await there.responses.retrieve(id)).status).toBe("completed");
    expect((await there.responses.retrieve(id)).output_text).toBe("It is so.");
    await expect
      .poll(() => outcomeIn(b.get(`/agent/runs/${runId}`)))
      .toMatchObject({ status: "complete", response: "It is so." });
    // A replica that closes in order alarms nobody.
    const told = JSON.stringify((await (await b.follow(runId)).rest()).map(({ data }) => data));
    expect(told).toContain('"code":"run-handed-over"');
    expect(told).not.toContain("unexpectedly");
    expect((await outcomeIn(b.get(`/agent/runs/${runId}`))).notices).toBe(undefined);
    const list = async () => (await b.get("/agent/conversations")).json();
    await expect.poll(list).toMatchObject({ conversations: [{ turns: 1 }, { turns: 1 }, { turns: 1 }] });
  });
});
