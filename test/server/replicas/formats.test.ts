import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { createSuccess, createTool } from "../../../src/tools/create-tool.ts";
import { startHttpDuet } from "../../fakes/http-duet.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { requires } from "../../runner/requirements.ts";
import { newRun } from "../../store/journal-runs.ts";

describe("a run whose format only a newer program reads", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  /** Serves a replica of this program, whose model asks for one call. */
  async function openReplica(url: string, run: () => Promise<void> = async () => {}) {
    const tool = createTool({
      name: "work",
      description: "Works.",
      source: "user",
      inputSchema: { type: "object", properties: {} },
      annotations: {},
      async run() {
        await run();
        return createSuccess("The work is done.");
      },
    });
    const model = scriptedModel([[{ id: "1", name: "work", input: {} }], "It is done.", "It is done."]);
    const settings = { store: { url }, conversations: { store: "disk" } };
    const environment = { DUET_HOME: await temporaryFolder() };
    const models = { functionCall: model, answer: model };
    return startHttpDuet({ models, tools: [tool], settings, environment, grace: 60 });
  }

  test("ends where it is when its replica ends and no other one can take it", async () => {
    const url = await server.createDatabase();
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holder = await openReplica(url, async () => {
      begun.resolve();
      await gate.promise;
    });
    const asked = fetch(`${holder.origin}/agent/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message: "Work." }),
    });
    await begun.promise;
    await query(url, "INSERT INTO replicas (id, alive_until) VALUES ('another', now() + interval '1 hour')");
    await query(url, "UPDATE journal_runs SET format = 99");
    const closing = holder.close();
    await expect.poll(() => holder.lines.join("\n")).toContain("closing");
    gate.resolve();
    expect(await (await asked).json()).toMatchObject({ status: "complete", response: "It is done." });
    await closing;
    expect(await query(url, "SELECT state, epoch FROM journal_runs")).toEqual([{ state: "ended", epoch: 1 }]);
  });

  test("stays as it is until a newer program comes back, and the operator is told", async () => {
    const url = await server.createDatabase();
    const openNewer = async () => {
      const store = await createPostgresStore(url, { formats: [1, 99] });
      onTestFinished(() => store.close());
      return store;
    };
    const newer = await openNewer();
    await (await newer.journal.begin(newRun("run-1"))).letGo?.();
    await newer.close();
    const replica = await openReplica(url);
    await expect
      .poll(() => replica.lines.join("\n"))
      .toContain("1 run was recorded by a newer Duet, which this one cannot read");
    expect(await query(url, "SELECT state, format, epoch, holder FROM journal_runs")).toEqual([
      { state: "going", format: 99, epoch: 1, holder: null },
    ]);
    const taken = await (await openNewer()).journal.takeOver?.({ entrance: "http", withinMs: 600_000, most: 1 });
    expect(taken).toMatchObject([{ runId: "run-1" }]);
  });
});
