import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { serveSchema } from "../../../src/config/schema/file-schema.ts";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import { waitAbortable } from "../../../src/kit/async/timeout.ts";
import { isRecord } from "../../../src/kit/json.ts";
import { createCallerLimits } from "../../../src/runs/limits/caller-limits.ts";
import { createCallerPlaces } from "../../../src/runs/limits/caller-places.ts";
import type { RunHandle } from "../../../src/runs/live/run-handle.ts";
import { createRunRegistry } from "../../../src/runs/run-registry.ts";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { requires } from "../../runner/requirements.ts";

const anna = { owner: "anna" };

describe("the runs of a caller in several processes", requires(postgres), () => {
  let server: SharedPostgres;
  let url: string;
  beforeAll(async () => {
    server = await sharePostgres();
    url = await server.createDatabase();
  });
  afterAll(() => server?.stop());

  /** A process that serves callers, whose runs go on until they are cancelled. */
  async function openProcess(limits: { maxRuns: number; runsPerMinute?: number }) {
    const store = await createPostgresStore(url);
    const { maxRuns: runs, runsPerMinute: perMinute } = limits;
    const open = async ({ owner }: { owner?: string | undefined }) => store.of(owner).runPlaces;
    const places = createCallerPlaces({ limits: { runs, perMinute }, open });
    const settings = serveSchema.parse({ limits }).limits;
    const registry = createRunRegistry({
      most: 100,
      keepMs: 60_000,
      limits: createCallerLimits({ limits: settings, most: 100, isShared: true, places }),
    });
    onTestFinished(async () => {
      for (const run of registry.stop()) run.cancel();
      await store.close();
    });
    /** Lets the runs of this process ask their person something. */
    const poses = Promise.withResolvers<void>();
    async function begin(): Promise<unknown> {
      await registry.prepare(anna);
      try {
        return registry.begin({
          key: "k",
          caller: anna,
          locale: "en",
          request: { question: "?", mode: "chat" },
          canAsk: () => true,
          patienceMs: 60_000,
          async *ask({ signal = new AbortController().signal, user }): AsyncGenerator<AgentEvent> {
            await waitAbortable(poses.promise, signal);
            await user?.ask({ kind: "limit", setting: "limits.maxTokens", value: 1 }, signal);
            yield* [];
          },
        });
      } catch (thrown) {
        return thrown;
      }
    }
    return { begin, pose: poses.resolve };
  }

  const isRun = (it: unknown): it is RunHandle => isRecord(it) && "snapshot" in it;

  test("sixty questions at once to three processes get no more runs than one caller may have, and a run that waits gives its place to another", async () => {
    const all = await Promise.all(Array.from({ length: 3 }, () => openProcess({ maxRuns: 5 })));
    const begun = await Promise.all(Array.from({ length: 60 }, (_, n) => all[n % 3]?.begin()));
    const runs = begun.filter(isRun);
    expect(runs).toHaveLength(5);
    for (const refusal of begun.filter((it) => !isRun(it)))
      expect(refusal).toMatchObject({ code: "rate_limit", message: expect.stringMatching(/already has 5 runs/) });

    // What a process leaves that is gone counts no longer than until another one takes its runs over.
    const lasts = "SELECT max(until_ms) - extract(epoch FROM clock_timestamp()) * 1000 AS left_ms FROM run_places";
    expect(Number((await query(url, lasts))[0]?.left_ms)).toBeLessThan(7_000);

    runs[0]?.cancel();
    const beginOne = async () => isRun(await all[1]?.begin());
    await expect.poll(beginOne).toBe(true);
    expect(await beginOne()).toBe(false);

    for (const { pose } of all) pose();
    await expect
      .poll(async () => (await query(url, "SELECT state FROM run_places WHERE state = 'waiting'")).length)
      .toBe(5);
    const more = await Promise.all(Array.from({ length: 20 }, (_, n) => all[n % 3]?.begin()));
    expect(more.filter(isRun)).toHaveLength(5);
  });

  test("a place that the store has refused is not taken by a run that begins later, unless it must go on", async () => {
    await query(url, "DELETE FROM run_places");
    const store = await createPostgresStore(url);
    onTestFinished(() => store.close());
    const places = createCallerPlaces({
      limits: { runs: 1, perMinute: undefined },
      open: async ({ owner }) => store.of(owner).runPlaces,
    });
    await places.ask(anna);
    const first = places.take(anna, false);
    await places.ask(anna);
    expect(() => places.take(anna, false)).toThrow(/already has 1 run/);
    await places.ask(anna);
    const forced = places.take(anna, true);
    for (const place of [first, forced]) await place?.release();
  });

  test("of sixty questions at once as many begin as one caller may begin in a minute", async () => {
    await query(url, "DELETE FROM run_places");
    const all = await Promise.all(Array.from({ length: 2 }, () => openProcess({ maxRuns: 100, runsPerMinute: 5 })));
    const begun = await Promise.all(Array.from({ length: 60 }, (_, n) => all[n % 2]?.begin()));
    expect(begun.filter(isRun)).toHaveLength(5);
    expect(begun.find((it) => !isRun(it))).toMatchObject({ code: "rate_limit", retryAfterMs: expect.any(Number) });
  });
});
