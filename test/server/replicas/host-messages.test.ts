import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { call, initialize } from "../../fakes/http-interface.ts";
import { postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { requires } from "../../runner/requirements.ts";
import { readEvents } from "../api/served-api.ts";
import { openReplicas, type Replica, type Script } from "./open-replicas.ts";
import { openRealReplicas } from "./real-replicas.ts";

const wipe = { id: "1", name: "wipe_disk", input: { disk: "a" } };
const headers = { "mcp-protocol-version": "2025-11-25", accept: "application/json, text/event-stream" };

/** Begins a session on a replica, as a host that shows forms does. */
async function beginSession(replica: Replica): Promise<Record<string, string>> {
  const begin = { ...initialize, params: { ...initialize.params, capabilities: { elicitation: {} } } };
  const opened = await replica.send("POST", "/mcp", begin, headers);
  await opened.text();
  return { ...headers, "mcp-session-id": String(opened.headers.get("mcp-session-id")) };
}

/** Begins a call that waits for the model, and waits until its run is there. */
async function beginHanging(replica: Replica, id: number, session: Record<string, string>) {
  const asked = replica.send("POST", "/mcp", call(id, "agent_ask", { question: "How is it?" }), session);
  const answered = asked.then((response) => response.text());
  const listRunning = async () => (await replica.get("/agent/runs?status=running")).json();
  await expect.poll(listRunning).toMatchObject({ runs: [{ question: "How is it?" }] });
  return { answered, listRunning };
}

describe("what a host of 2025 sends for its call counts on whichever replica", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  const openTwo = async (first: Script) => openReplicas(await server.createDatabase(), [first, {}]);

  test.each(["knows", "does not know"])("an answer to a question, where the replica %s the session", async (which) => {
    const { a, b, wiped } = await openTwo({ decides: [[wipe], "Wiped."], answers: ["It is wiped."] });
    const session = await beginSession(a);
    const post = (message: unknown) => b.send("POST", "/mcp", message, session);
    // What the other one asks its client would have the same number.
    if (which === "knows") await post({ jsonrpc: "2.0", id: 7, method: "ping" });
    const asked = readEvents(await a.send("POST", "/mcp", call(1, "agent_ask", { question: "Wipe disk a." }), session));
    let data: Record<string, unknown> | undefined;
    do data = (await asked.until("message"))?.data;
    while (data !== undefined && data.method !== "elicitation/create");
    const answer = { jsonrpc: "2.0", id: data?.id, result: { action: "accept", content: { scope: "once" } } };
    expect((await post({ ...answer, result: "once" })).status).toBe(400);
    expect((await post({ ...answer, result: { text: "x".repeat(1_000_000) } })).status).toBe(413);
    expect((await post({ ...answer, id: 0 })).status).toBe(202);
    expect(wiped).toEqual([]);
    expect((await post(answer)).status).toBe(202);
    expect((await asked.rest()).at(-1)?.data).toMatchObject({
      id: 1,
      result: { structuredContent: { status: "complete", response: "It is wiped." } },
    });
    expect(wiped).toEqual(["a"]);
  });

  test.each(["knows", "does not know"])("a cancel, where the replica %s the session", async (which) => {
    const { a, b } = await openTwo({ decides: [{ hang: true }] });
    const session = await beginSession(a);
    if (which === "knows") await b.send("POST", "/mcp", { jsonrpc: "2.0", id: 7, method: "ping" }, session);
    const { answered, listRunning } = await beginHanging(a, 2, session);
    const cancel = (requestId: unknown) => ({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId, reason: "enough" },
    });
    expect((await b.send("POST", "/mcp", cancel(3), session)).status).toBe(202);
    expect(await listRunning()).toMatchObject({ runs: [{ status: "running" }] });
    expect((await b.send("POST", "/mcp", cancel(2), session)).status).toBe(202);
    await expect.poll(listRunning).toMatchObject({ runs: [] });
    await answered;
  });

  test("a cancel whose replica is killed, in the one that goes on with the run", async () => {
    const url = await server.createDatabase();
    const replicas = await openRealReplicas(url, { onDisconnect: "cancel" });
    onTestFinished(replicas.end);
    const [first, second] = await replicas.findTwo();
    const { provider } = replicas;
    provider.script(
      "decides",
      { toolCalls: [{ name: "write_line", arguments: { name: "one" } }] },
      { hang: "after-headers" },
    );
    const session = await beginSession(first);
    const ask = (id: number, question: string) =>
      void first
        .send("POST", "/mcp", call(id, "agent_ask", { question }), session)
        .catch(() => "its replica is killed");
    ask(2, "Write a line.");
    await expect.poll(() => replicas.readLines("one")).toBe("begun ");
    first.child.kill("SIGKILL");
    await once(first.child, "close");
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } };
    expect((await second.send("POST", "/mcp", cancel, session)).status).toBe(202);
    await query(url, "DELETE FROM replicas p USING journal_runs r WHERE r.holder = p.id");
    const listed = async () => (await second.get("/agent/runs")).json();
    await expect.poll(listed).toMatchObject({ runs: [{ question: "Write a line.", status: "cancelled" }] });
    expect(replicas.readLines("one")).toBe("begun ");
  });

  test("the end of its session, with a call that goes on", async () => {
    const { a, b } = await openTwo({ decides: [{ hang: true }] });
    const session = await beginSession(a);
    const { answered } = await beginHanging(a, 2, session);
    const stranger = { ...session, "mcp-session-id": crypto.randomUUID() };
    expect((await b.send("DELETE", "/mcp", undefined, stranger)).status).toBe(404);
    expect((await b.send("DELETE", "/mcp", undefined, session)).status).toBe(200);
    // Its stream ends without an answer, which nobody would read.
    expect(await answered).not.toContain('"result"');
    for (const replica of [a, b])
      expect((await replica.send("POST", "/mcp", { jsonrpc: "2.0", id: 9, method: "ping" }, session)).status).toBe(404);
  });
});
