import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { toResumable } from "../../../src/app/ask/resume-run.ts";
import { LostRunError } from "../../../src/core/store/journal.ts";
import { keepAll } from "../../../src/core/store/retention.ts";
import { createPostgresStore, type PostgresStoreOptions } from "../../../src/store/postgres/postgres-store.ts";
import { postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { requires } from "../../runner/requirements.ts";
import { newRun } from "../journal-runs.ts";
import { finishedRun } from "../runs.ts";

const hourMs = 3_600_000;
const leaseMs = 500;

describe("processes that share a database and no clock", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  async function openStore(url: string, options?: PostgresStoreOptions) {
    const store = await createPostgresStore(url, options);
    onTestFinished(() => store.close());
    const { journal, sharedRuns, retention } = store;
    if (journal === undefined || sharedRuns === undefined || retention === undefined) throw new Error("no journal");
    return { store, journal, sharedRuns, retention };
  }

  /** Does something with a clock that is wrong by so much. */
  async function withClock<T>(ms: number, work: () => Promise<T>): Promise<T> {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
    try {
      return await work();
    } finally {
      vi.useRealTimers();
    }
  }

  test("a process that stood still after it recorded a call does not make it, once another one may have its run", async () => {
    const url = await server.createDatabase();
    const { journal } = await openStore(url, { leaseMs });
    const run = await journal.begin(newRun("run-1"));
    await run.confirm?.();
    const other = new pg.Client(url);
    await other.connect();
    onTestFinished(() => other.end());
    // The server carries this out while this process stands still, as another process would do it.
    const taking = other.query(
      `SELECT pg_sleep(${(1.5 * leaseMs) / 1000}); UPDATE journal_runs SET holder = 'b', epoch = 2`,
    );
    const adding = run.add({ name: "turn:decide:1", spentMs: 1, data: {} });
    await pause(0.2 * leaseMs);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * leaseMs);
    await adding;
    await expect(run.confirm?.()).rejects.toThrow(LostRunError);
    expect(run.moved?.aborted).toBe(true);
    await taking;
  });

  test("a process that stood still, and whose run nobody has taken, goes on with it", async () => {
    const { journal } = await openStore(await server.createDatabase(), { leaseMs });
    const run = await journal.begin(newRun("run-1"));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * leaseMs);
    await run.confirm?.();
    expect(run.moved?.aborted).toBe(false);
  });

  test("the events of a run stay for an hour after its end, also where that ended by a clock that is late", async () => {
    const url = await server.createDatabase();
    const [late, right] = [await openStore(url, { retention: keepAll }), await openStore(url, { retention: keepAll })];
    const run = await late.journal.begin(newRun("run-1"));
    await run.addEvents(0, [{ type: "answer-delta", text: "It is known." }]);
    const finished = { ...finishedRun("conv-run-1", "Is it known?", "It is."), runId: "run-1" };
    await withClock(-2 * hourMs, () => late.store.append(finished));
    await late.retention.settled();
    await query(url, "UPDATE upkeep SET due_at = '2026-01-01T00:00:00.000Z'");
    await right.store.append(finishedRun("conv-2", "And now?", "It is."));
    await right.retention.settled();
    const [upkeep] = await query(url, "SELECT due_at > '2026-02' AS is_done FROM upkeep");
    expect(upkeep).toEqual({ is_done: true });
    expect(await right.journal.events("run-1", undefined)).toHaveLength(1);
  });

  test("a process whose clock is early removes neither events that others read nor conversations that are not old", async () => {
    const url = await server.createDatabase();
    const { store, journal } = await openStore(url);
    const run = await journal.begin(newRun("run-1"));
    await run.addEvents(0, [{ type: "answer-delta", text: "It is known." }]);
    await store.append({ ...finishedRun("conv-run-1", "Is it known?", "It is."), runId: "run-1" });
    await withClock(30 * hourMs, async () => {
      const early = await openStore(url, { retention: { keepDays: 1, maxSize: 1_000_000_000 } });
      await early.store.append(finishedRun("conv-2", "And now?", "It is."));
      await early.retention.settled();
      expect(await early.retention.listExpired()).toEqual([]);
      expect(await early.retention.prune(AbortSignal.timeout(60_000))).toBe(0);
    });
    expect(await journal.events("run-1", undefined)).toHaveLength(1);
    expect(await store.load("conv-run-1")).toBeDefined();
  });

  test("a run that a killed process has left is not too old for one whose clock is early", async () => {
    const url = await server.createDatabase();
    const { journal } = await openStore(url, { leaseMs });
    await journal.begin(newRun("run-1"));
    await query(url, "UPDATE journal_runs SET holder = NULL");
    const early = await openStore(url);
    const [found, listed] = await Promise.all([
      early.sharedRuns.find("run-1", undefined),
      early.journal.listInterrupted(),
    ]);
    const settings = { store: { keepDays: 1, maxSize: 1, resumeWithin: 600 } };
    const areOld = [found, ...listed].map((each) => each && toResumable(each, settings, Date.now() + hourMs).isOld);
    expect(areOld).toEqual([false, false]);
  });
});
