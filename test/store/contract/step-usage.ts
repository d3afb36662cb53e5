import { describe, expect, test } from "vitest";
import { createReservationId, noSpend } from "../../../src/core/store/daily-usage.ts";
import { LostRunError, type TakenRun } from "../../../src/core/store/journal.ts";
import type { OperatorStore } from "../../../src/core/store/store.ts";
import { newRun } from "../journal-runs.ts";
import { startProcess } from "../start-process.ts";
import type { OpenTestStore } from "../stores.ts";
import { step } from "./journal.ts";

export function testStepUsage(name: string, open: OpenTestStore): void {
  describe(`what a step has used, counted by a store ${name}`, () => {
    const file = { hash: "a".repeat(64), bytes: Buffer.from("a") };

    test.each([
      ["alone", {}],
      ["with files", { files: [file] }],
    ])("is of the day in which the step is recorded %s, and ends what was reserved for it", async (_, more) => {
      const clock = { ms: Date.UTC(2026, 10, 22, 23, 59) };
      const store = await open({ now: () => clock.ms });
      const { dailyUsage } = store.of("anna");
      const run = await store.journal.begin(newRun("run-1", "anna"));
      await dailyUsage.settle("", { tokens: 1000, cost: 1 });
      for (const id of ["one", "two", "another"])
        await dailyUsage.reserve({ id, spend: { tokens: 50, cost: 0.5 }, limits: {}, lastsMs: 600_000 });
      expect(await dailyUsage.read()).toEqual({
        used: { tokens: 1000, cost: 1 },
        reserved: { tokens: 150, cost: 1.5 },
      });
      clock.ms += 120_000;
      const usage = { used: { tokens: 19.5, cost: 0.25 }, reservations: ["one", "two"] };
      const told = await run.add({ ...step("turn:decide:1"), ...more, usage });
      expect(Math.ceil(told?.tokens ?? 0)).toBe(20);
      await run.add({ ...step("turn:decide:2"), usage: { used: { tokens: 80, cost: 0.5 }, reservations: [] } });
      const { used, reserved } = await dailyUsage.read();
      expect([Math.ceil(used.tokens), used.cost, reserved]).toEqual([100, 0.75, { tokens: 50, cost: 0.5 }]);
      expect((await store.dailyUsage.read()).used).toEqual(noSpend);
      expect(await run.add(step("call:c1"))).toBeOneOf([undefined, expect.objectContaining({ cost: 0.75 })]);
    });

    test("is not counted for a run that was ended, stopped or removed meanwhile", async () => {
      const store = await open();
      const run = await store.journal.begin(newRun("run-1", "anna"));
      await run.forbid("stopped");
      const usage = { used: { tokens: 20, cost: 0.25 }, reservations: ["one"] };
      for (const files of [undefined, [file]])
        await expect(run.add({ ...step("turn:decide:1"), files, usage })).rejects.toBeInstanceOf(LostRunError);
      expect((await store.of("anna").dailyUsage.read()).used).toEqual(noSpend);
    });
  });
}

/** Opens the same store as the process that is started with this address or file. */
export interface KillableStore {
  place: string;
  open(): Promise<OperatorStore>;
}

export function testKilledUsage(name: string, create: () => Promise<KillableStore>): void {
  test(`a process that is killed has counted in a store ${name} what it has recorded, and the next one goes on from there`, async () => {
    const { place, open } = await create();
    const process = await startProcess("charge", place);
    process.go();
    for await (const line of process.lines) if (Number(line) === 20) process.child.kill("SIGKILL");
    const store = await open();
    const readTokens = async (): Promise<number> => (await store.of("anna").dailyUsage.read()).used.tokens;
    const turn = { spend: { tokens: 50, cost: 0.5 }, limits: {}, lastsMs: 600_000 };
    for (const runId of ["run-1", "run-10", undefined])
      await store.of("anna").dailyUsage.reserve({ ...turn, id: createReservationId(runId) });
    let taken: TakenRun | undefined;
    await expect.poll(async () => (taken = await takeRun(store)), { timeout: 10_000 }).toBeDefined();
    // What its killed process had reserved for this run nobody uses any more.
    expect((await store.of("anna").dailyUsage.read()).reserved).toEqual({ tokens: 100, cost: 1 });
    const count = taken?.steps.length ?? 0;
    expect(count).toBeGreaterThanOrEqual(20);
    expect(await readTokens()).toBe(10 * count);
    const usage = { used: { tokens: 10, cost: 0.5 }, reservations: [] };
    await taken?.journal.add({ ...step("turn:decide:next"), usage });
    expect(await readTokens()).toBe(10 * (count + 1));
  });
}

/** Takes the run of a process that is gone, once that is known. */
export async function takeRun({ journal }: Pick<OperatorStore, "journal">): Promise<TakenRun | undefined> {
  if (journal.takeOver === undefined) return journal.take("run-1");
  return (await journal.takeOver({ entrance: "http", withinMs: 600_000, most: 1 }))[0];
}
