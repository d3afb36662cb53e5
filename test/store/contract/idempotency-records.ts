import { describe, expect, test, vi } from "vitest";
import { finishedRun } from "../runs.ts";
import type { OpenTestStore } from "../stores.ts";

const one = { runId: "run-a1", beginning: "run-a" };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

export function testIdempotencyRecords(name: string, open: OpenTestStore): void {
  describe(`runs that were begun for a key, ${name}`, () => {
    test("are recorded once, until they are kept or were not begun", async () => {
      const { idempotency, append } = await open();
      expect(await idempotency.add(one)).toBeUndefined();
      expect(await idempotency.add(one)).toEqual({ runId: "run-a1", begunAt: time });
      expect(await idempotency.add({ ...one, runId: "run-a2" })).toMatchObject({ runId: "run-a1" });
      expect(await idempotency.add({ runId: "run-b1", beginning: "run-b" })).toBeUndefined();
      await append({ ...finishedRun("conv-a", "Hello?", "Yes."), runId: "run-a1" });
      expect(await idempotency.add(one)).toBeUndefined();
      await idempotency.remove("run-a1");
      expect(await idempotency.add(one)).toBeUndefined();
      expect(await idempotency.add({ runId: "run-b2", beginning: "run-b" })).toMatchObject({ runId: "run-b1" });
    });

    test("are their owner's alone", async () => {
      const store = await open();
      const annas = store.of("anna").idempotency;
      await annas.add(one);
      await store.idempotency.remove("run-a1");
      await store.of("bob").idempotency.remove("run-a1");
      expect(await store.of("bob").idempotency.add({ runId: "run-a9", beginning: "run-a" })).toBeUndefined();
      expect(await annas.add(one)).toMatchObject({ runId: "run-a1" });
    });

    test("are forgotten after a week", async () => {
      const { idempotency } = await open();
      await idempotency.add(one);
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 6.9 * 86_400_000 });
      try {
        expect(await idempotency.add(one)).toMatchObject({ runId: "run-a1" });
        vi.setSystemTime(Date.now() + 0.2 * 86_400_000);
        expect(await idempotency.add(one)).toBeUndefined();
      } finally {
        vi.useRealTimers();
      }
    });
  });
}
