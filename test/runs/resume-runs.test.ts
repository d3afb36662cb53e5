import { expect, test } from "vitest";
import type { TakenRun } from "../../src/core/store/journal.ts";
import type { StartRunOptions } from "../../src/runs/live/start-run-options.ts";
import { createResumer } from "../../src/runs/resume-runs.ts";
import { newRun } from "../store/journal-runs.ts";

test("a run that is taken over goes on for whom it was begun, and ends for nobody who only looks at it", async () => {
  const { header, ...run } = newRun("run-1", "anna");
  const taken: TakenRun = {
    ...{ ...run, header: { ...header, onDisconnect: "finish", key: "key", goesOnWith: "run-0" } },
    ...{ begunAt: "2026-11-26T12:00:00.000Z", lastAt: "2026-11-26T12:00:00.000Z" },
    ...{ ends: 0, steps: [], events: [], files: [] },
    journal: { runId: "run-1", async add() {}, async addEvents() {}, async forbid() {} },
  };
  const prepared: unknown[] = [];
  const begun: Partial<StartRunOptions>[] = [];
  const resumer = createResumer({
    duet: { async *ask() {} },
    storedRuns: {
      areRecorded: true,
      areShared: true,
      listInterrupted: async () => [],
      findInterrupted: async () => undefined,
      takeInterrupted: async () => undefined,
      takeOver: async () => [taken],
    },
    runs: {
      find: () => undefined,
      prepare: async (...given) => void prepared.push(given),
      begin(options) {
        begun.push(options);
        throw new Error("the server closes");
      },
    },
    entrance: "http",
    patienceMs: 1,
  });
  await resumer.look();
  const kept = { key: "key", goesOnWith: "run-0", onDisconnect: "finish" };
  expect(begun).toMatchObject([{ ...kept, id: "run-1", caller: { owner: "anna" } }]);
  // It counts as a run that was let in before.
  expect(prepared).toEqual([[expect.objectContaining({ owner: "anna" }), true]]);
});

test("a run is looked for by its ID, without a list of all, and only its owner with the same tools finds it", async () => {
  const { header, ...run } = newRun("run-1", "anna");
  const at = "2026-11-26T12:00:00.000Z";
  const found = { ...run, header: { ...header, callerTools: ["docs_*"] }, begunAt: at, lastAt: at, isOld: true };
  const resumer = createResumer({
    duet: { async *ask() {} },
    storedRuns: {
      areRecorded: true,
      listInterrupted: () => Promise.reject(new Error("reads the runs of everybody")),
      findInterrupted: async (runId) => (runId === "run-1" ? found : undefined),
      takeInterrupted: async () => undefined,
    },
    runs: {
      find: () => undefined,
      async prepare() {},
      begin() {
        throw new Error("nothing begins");
      },
    },
    entrance: "http",
    patienceMs: 1,
  });
  const tools = ["docs_*"];
  expect(await resumer.find("run-1", { owner: "anna", tools })).toBe(found);
  for (const caller of [{ owner: "anna" }, { owner: "ben", tools }, { tools }])
    expect(await resumer.find("run-1", caller)).toBeUndefined();
  expect(await resumer.find("run-2", { owner: "anna", tools })).toBeUndefined();
});
