import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownPostgres, query, startPostgres, type TestPostgres } from "../../fakes/postgres.ts";
import { requires } from "../../runner/requirements.ts";
import { processes } from "../../tools/workers/processes.ts";
import { outcomeIn } from "../api/served-api.ts";
import { openRealReplicas, type RealReplicas } from "./real-replicas.ts";

describe("replicas on one database", requires(ownPostgres), () => {
  let server: TestPostgres;
  let replicas: RealReplicas;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    replicas = await openRealReplicas(url);
  });
  afterAll(async () => {
    await replicas?.end();
    await server?.stop();
  });

  /** Lets a run write a line under a name of its own, and gives what is known of it. */
  function writeLine(name: string) {
    const { provider } = replicas;
    const models = ["decides", "answers"].map((model) => [model, provider.requests(model).length] as const);
    provider.script(
      "decides",
      { toolCalls: [{ name: "write_line", arguments: { name } }] },
      { text: "It is written." },
    );
    provider.script("answers", { text: "It is done." });
    return {
      message: `Write a line for ${name}`,
      readLines: () => replicas.readLines(name),
      open: () => replicas.open(name),
      /** Counts the requests to both models. */
      countRequests: () => models.map(([model, before]) => provider.requests(model).length - before),
      /** Waits for the end of the only run that goes on, wherever it is carried out. */
      async waitForEnd() {
        const [going] = await query(url, "SELECT run FROM journal_runs WHERE state = 'going'");
        const read = () => query(url, "SELECT state, epoch FROM journal_runs WHERE run = $1", [going?.run]);
        await expect.poll(read).toEqual([expect.objectContaining({ state: "ended" })]);
        return { epoch: Number((await read())[0]?.epoch), runId: String(going?.run) };
      },
    };
  }

  /** Lets the replica that holds the only run that goes on be one that has given no sign of life for so long that it is forgotten. */
  const endLease = () =>
    query(url, "DELETE FROM replicas p USING journal_runs r WHERE r.holder = p.id AND r.state = 'going'");

  test("a replica that stands still loses its run when its lease is over; when it comes back it does nothing more of it", async () => {
    const [first, second] = await replicas.findTwo();
    const line = writeLine("still");
    const asked = outcomeIn(first.post("/agent/chat", { message: line.message }));
    await expect.poll(line.readLines).toBe("begun ");
    first.child.kill("SIGSTOP");
    await endLease();
    const { epoch, runId } = await line.waitForEnd();
    expect([epoch, line.readLines()]).toEqual([2, "begun "]);
    expect(await (await second.get(`/agent/runs/${runId}`)).json()).toMatchObject({
      tool_calls: [{ ok: false, result: expect.stringContaining("may have taken effect") }],
    });
    first.child.kill("SIGCONT");
    // Whoever has asked it gets what the other one has come to.
    expect(await asked).toMatchObject({ run_id: runId, status: "complete", response: "It is done." });
    line.open();
    expect(line.countRequests()).toEqual([2, 1]);
  });

  test("the client of a replica that is killed in its answer reads on in the next one, without a gap, from a new beginning", async () => {
    const [first, second] = await replicas.findTwo();
    const half = "Half of an answer";
    replicas.provider.script("decides", { text: "There is nothing to look up." });
    replicas.provider.script("answers", { text: half, hang: "after-text" }, { text: "It is another answer." });
    const key = { "idempotency-key": "asked-once" };
    const asked = { message: "How is it?", asks: true };
    const begun = await first.stream(asked, key);
    await begun.until("answer-delta");
    const told = begun.seen.filter(({ id }) => id !== undefined);
    const runId = String(told[0]?.data?.runId);
    const reader = await second.follow(runId, told.length);
    first.child.kill("SIGKILL");
    await once(first.child, "close");
    await endLease();
    const again = () => outcomeIn(second.post("/agent/chat", { ...asked, wait_s: 0 }, key));
    await expect.poll(again).toMatchObject({ run_id: runId, status: "complete", response: "It is another answer." });
    await reader.rest();
    const sent = reader.seen.filter(({ id }) => id !== undefined);
    expect(sent.map(({ id }) => Number(id))).toEqual(sent.map((_, index) => told.length + index + 1));
    const restart = sent.findIndex(({ event }) => event === "answer-restart");
    const texts = sent.slice(restart).map(({ data }) => data?.text ?? "");
    expect([restart >= 0, texts.join("")]).toEqual([true, "It is another answer."]);
    expect(sent.filter(({ event }) => event === "run-end")).toHaveLength(1);
  });

  test("while the database is away a question is refused at once, a call ends and waits to be recorded, and nothing is unknown afterwards", async () => {
    const first = await replicas.findOne();
    const line = writeLine("away");
    const asked = outcomeIn(first.post("/agent/chat", { message: line.message }));
    await expect.poll(line.readLines).toBe("begun ");
    await server.kill();
    await expect.poll(async () => (await first.get("/readyz")).status).toBe(503);
    const refused = await first.post("/agent/chat", { message: line.message });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({ detail: expect.not.stringContaining("postgres://") });
    line.open();
    await expect.poll(line.readLines).toBe("begun ended ");
    const late = await replicas.start();
    expect((await late.post("/agent/chat", { message: line.message })).status).toBe(503);
    expect(line.countRequests()).toEqual([1, 0]);
    // On a busy machine a lease may be over before its replica is back, and then the other one would go on with the run.
    late.child.kill("SIGSTOP");
    await server.start();
    expect(await line.waitForEnd()).toMatchObject({ epoch: 1 });
    late.child.kill("SIGCONT");
    expect(await asked).toMatchObject({ status: "complete", tool_calls: [{ ok: true }] });
    expect(line.readLines()).toBe("begun ended ");
    await expect.poll(async () => (await late.get("/readyz")).status).toBe(200);
    expect(late.log.filter((each) => each.includes("cannot be used"))).toHaveLength(1);
  });

  test("a replica that is asked to end waits for its call, lets the run go, and another one goes on within a second", async () => {
    const [first, second] = await replicas.findTwo();
    const line = writeLine("ends");
    const begun = await first.stream({ message: line.message });
    await expect.poll(line.readLines).toBe("begun ");
    const ended = once(first.child, "close");
    first.child.kill("SIGTERM");
    await expect.poll(() => first.log.join("\n")).toContain("will go on in another process");
    expect((await second.get("/readyz")).status).toBe(200);
    line.open();
    const { epoch, runId } = await line.waitForEnd();
    expect([epoch, line.readLines()]).toEqual([2, "begun ended "]);
    // A connection that is cut is no other end to its client than one that closes.
    await begun.rest().catch(() => {});
    const seen = begun.seen.map(({ event }) => event);
    expect([seen.includes("tool-start"), seen.includes("run-end")]).toEqual([true, false]);
    // The database has stored the end before the replica hears that it has.
    const read = async () => (await second.get(`/agent/runs/${runId}`)).json();
    await expect.poll(read).toMatchObject({
      status: "complete",
      response: "It is done.",
      tool_calls: [{ ok: true, result: "The line was written." }],
    });
    expect(line.countRequests()).toEqual([2, 1]);
    expect(await ended).toEqual([0, null]);
  });

  test("a replica ends when it is asked to although its database hangs, which ends no connection", async () => {
    const replica = await replicas.findOne();
    expect((await replica.get("/agent/conversations")).status).toBe(200);
    const { pid = 0 } = server;
    const all = [pid, ...processes().flatMap((row) => (row.parent === pid ? row.pid : []))];
    expect(all.length).toBeGreaterThan(1);
    for (const each of all) process.kill(each, "SIGSTOP");
    try {
      const ended = once(replica.child, "close");
      replica.child.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
    } finally {
      for (const each of all) process.kill(each, "SIGCONT");
    }
  });
});
