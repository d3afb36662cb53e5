import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { serveSchema } from "../../../src/config/schema/file-schema.ts";
import { noSpend } from "../../../src/core/store/daily-usage.ts";
import { LostRunError, type TakenRun } from "../../../src/core/store/journal.ts";
import type { OperatorStore } from "../../../src/core/store/store.ts";
import { createCallerLimits } from "../../../src/runs/limits/caller-limits.ts";
import { createPostgresStore, type PostgresStoreOptions } from "../../../src/store/postgres/postgres-store.ts";
import { keepLocked, postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { requires } from "../../runner/requirements.ts";
import { step } from "../contract/journal.ts";
import { takeRun, testKilledUsage, testStepUsage } from "../contract/step-usage.ts";
import { newRun } from "../journal-runs.ts";
import { startProcess } from "../start-process.ts";

describe("what the steps of runs have used, in PostgreSQL", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  async function openStore(url: string, options: PostgresStoreOptions = {}): Promise<OperatorStore> {
    const store = await createPostgresStore(url, options);
    onTestFinished(() => store.close());
    return store;
  }

  testStepUsage("in PostgreSQL", async (options) => openStore(await server.createDatabase(), options));
  testKilledUsage("in PostgreSQL", async () => {
    const place = await server.createDatabase();
    return { place, open: () => openStore(place, { leaseMs: 500 }) };
  });

  const usage = { used: { tokens: 10, cost: 0.5 }, reservations: ["turn"] };
  const readUsed = async (store: OperatorStore) => (await store.of("anna").dailyUsage.read()).used;

  /** Takes the run of a replica that gives no sign of life any more. */
  async function takeOver(url: string, store: OperatorStore): Promise<TakenRun> {
    let taken: TakenRun | undefined;
    const take = async () => {
      await query(
        url,
        "UPDATE replicas SET alive_until = now() - interval '1 second' WHERE id = (SELECT holder FROM journal_runs)",
      );
      taken = await takeRun(store);
      return taken;
    };
    await expect.poll(take, { timeout: 10_000 }).toBeDefined();
    if (taken === undefined) throw new Error("nobody got the run");
    return taken;
  }

  test("a replica that has lost its run counts nothing for it, and its next one counts each step once", async () => {
    const url = await server.createDatabase();
    const [first, second] = [await openStore(url), await openStore(url, { leaseMs: 500 })];
    const run = await first.journal.begin(newRun("run-1", "anna"));
    await run.add({ ...step("turn:decide:1"), usage });
    const { journal, steps } = await takeOver(url, second);
    expect(steps.map(({ name }) => name)).toEqual(["turn:decide:1"]);
    const file = { hash: "a".repeat(64), bytes: Buffer.from("a") };
    const late = [run.add({ ...step("turn:decide:2"), usage }), run.add({ ...step("call:c1"), files: [file], usage })];
    for (const each of await Promise.allSettled(late)) expect(each).toMatchObject({ reason: expect.any(LostRunError) });
    expect(await readUsed(second)).toEqual({ tokens: 10, cost: 0.5 });
    expect(await journal.add({ ...step("turn:decide:2"), usage })).toEqual({ tokens: 20, cost: 1 });
    expect(await readUsed(first)).toEqual({ tokens: 20, cost: 1 });
  });

  test.each([
    ["alone", {}],
    ["with files", { files: [{ hash: "a".repeat(64), bytes: Buffer.from("a") }] }],
  ])("a step whose answer was lost, and that is written again %s, is counted once", async (_, more) => {
    const store = await openStore(await server.createDatabase());
    const run = await store.journal.begin(newRun("run-1", "anna"));
    const written = { ...step("turn:decide:1"), ...more, usage };
    expect(await run.add(written)).toEqual(usage.used);
    expect(await run.add(written)).toBeUndefined();
    expect(await readUsed(store)).toEqual(usage.used);
  });

  test("of a replica that dies in the midst of the statement neither the step nor what it has used is stored", async () => {
    const url = await server.createDatabase();
    const next = await openStore(url, { leaseMs: 500 });
    const unlock = await keepLocked(url, "LOCK TABLE daily_usage IN ACCESS EXCLUSIVE MODE");
    const holder = await startProcess("charge", url);
    holder.go();
    const writing = "FROM pg_stat_activity WHERE query LIKE '%INSERT INTO journal_steps%' AND wait_event_type = 'Lock'";
    await expect
      .poll(() => query(url, `SELECT count(*)::int AS n ${writing}`), { timeout: 10_000 })
      .toEqual([{ n: 1 }]);
    holder.child.kill("SIGKILL");
    await query(url, `SELECT pg_terminate_backend(pid) ${writing}`);
    await unlock();
    const { journal, steps } = await takeOver(url, next);
    expect([steps, await readUsed(next)]).toEqual([[], noSpend]);
    await journal.add({ ...step("turn:decide:1"), usage });
    expect(await readUsed(next)).toEqual(usage.used);
  });

  test("turns of two replicas that are recorded at one limit pass it together by one turn at most, and all of them are counted", async () => {
    const url = await server.createDatabase();
    const limits = serveSchema.parse({ limits: { tokensPerDay: 5_000 } }).limits;
    const replicas = await Promise.all(
      [1, 2].map(async (n) => {
        const store = await openStore(url);
        const openUsage = async () => store.of("anna").dailyUsage;
        const { getBudget } = createCallerLimits({ limits, most: 100, isShared: true, openUsage });
        return {
          run: await store.journal.begin(newRun(`run-${n}`, "anna")),
          store,
          budget: getBudget({ owner: "anna" }),
        };
      }),
    );
    const { signal } = new AbortController();
    let ran = 0;
    const turns = Array.from({ length: 40 }, async (_, index) => {
      const { run, budget } = replicas[index % 2] ?? {};
      const reservation = await budget?.reserve({ spend: { tokens: 1000, cost: 0 }, lastsMs: 60_000, signal });
      if (run === undefined || reservation === undefined) throw new Error("no budget");
      ran += 1;
      const used = { tokens: 900, cost: 0 };
      const recording = run.add({ ...step(`turn:decide:${index}`), usage: { used, reservations: [reservation.id] } });
      await reservation.settleWith(used, recording);
    });
    const refused = (await Promise.allSettled(turns)).filter(({ status }) => status === "rejected");
    expect([ran, refused.length]).toEqual([6, 34]);
    for (const each of refused) expect(each).toMatchObject({ reason: { code: "quota" } });
    expect(await replicas[0]?.store.of("anna").dailyUsage.read()).toEqual({
      used: { tokens: 5400, cost: 0 },
      reserved: noSpend,
    });
  });
});
