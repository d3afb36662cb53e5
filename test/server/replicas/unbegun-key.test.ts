import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readKey } from "../../../src/server/api/chat/keyed-runs.ts";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { requires } from "../../runner/requirements.ts";
import { newRun } from "../../store/journal-runs.ts";
import { openReplicas } from "./open-replicas.ts";

describe("a key whose replica was killed", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  /** Leaves what a replica has written by then, and asks the others with the same key. */
  async function askAgain(hasBegun: boolean) {
    const url = await server.createDatabase();
    const store = await createPostgresStore(url);
    onTestFinished(() => store.close());
    const asked = { message: "Is it known?" };
    const key = { "idempotency-key": "asked-once" };
    const record = readKey(new Headers(key), {}, asked);
    if (record === undefined) throw new Error("no key");
    await store.idempotency.add(record);
    if (hasBegun) {
      await store.journal?.begin(newRun(record.runId));
      await query(url, "UPDATE journal_runs SET state = 'stopped', holder = NULL");
    }
    const script = { decides: ["There is nothing to look up."], answers: ["It is known."] };
    const { a, b, prompts } = await openReplicas(url, [script, script]);
    const all = await Promise.all([a, b].map((replica) => replica.post("/agent/chat", asked, key)));
    const runs = await Promise.all(all.map((response) => response.json()));
    const turns = Object.values(prompts).flat().length;
    return { runId: record.runId, statuses: all.map(({ status }) => status), runs, turns };
  }

  test("before its run had begun is good for the run still, which begins once", async () => {
    const { runId, statuses, runs, turns } = await askAgain(false);
    expect([...statuses, turns]).toEqual([200, 200, 1]);
    expect(runs).toMatchObject([
      { run_id: runId, response: "It is known." },
      { run_id: runId, response: "It is known." },
    ]);
  });

  test("after its run had begun, and that was stopped, begins no other one", async () => {
    const { statuses, turns } = await askAgain(true);
    expect([...statuses, turns]).toEqual([409, 409, 0]);
  });
});
