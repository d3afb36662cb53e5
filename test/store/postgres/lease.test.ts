import { expect, onTestFinished, test, vi } from "vitest";
import { createReplicaLease } from "../../../src/store/postgres/journal/lease.ts";

/** Opens a lease of a database that can be reached, and takes no sign of life while `problem` is set. */
function openLease() {
  const database: { problem: Error | undefined; asked: number } = { problem: undefined, asked: 0 };
  const lease = createReplicaLease({
    reachability: {
      async use() {
        database.asked += 1;
        if (database.problem !== undefined) throw database.problem;
        return { rows: [] } as never;
      },
      follow() {},
      waitUntilBack: () => new Promise((resolve) => setImmediate(resolve)),
    },
    formats: [1],
    onRenewal: () => () => {},
  });
  return { lease, database };
}

/** Lets time pass in steps of 100 ms. */
async function passTime(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    await vi.advanceTimersByTimeAsync(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a database that can be reached and takes no sign of life is asked from time to time, and not without end", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { lease, database } = openLease();
  database.problem = new Error("the disk is full");
  const confirmed = lease.confirm();
  await passTime(10_000);
  expect(Math.round(database.asked / 10)).toBe(10);
  database.problem = undefined;
  await passTime(100);
  await confirmed;
  await passTime(10_000);
  database.problem = new Error("the disk is full");
  const refused = expect(lease.confirm()).rejects.toThrow("the disk is full");
  await passTime(901_000);
  await refused;
});

test("a process whose machine was suspended asks the database before it makes a call, however little time its own clock has counted", async () => {
  const { lease, database } = openLease();
  onTestFinished(() => lease.release());
  await lease.begin();
  const before = database.asked;
  await lease.confirm();
  expect(database.asked).toBe(before);
  const wakesAt = Date.now() + 10_000;
  const clock = vi.spyOn(Date, "now").mockReturnValue(wakesAt);
  onTestFinished(() => clock.mockRestore());
  await lease.confirm();
  expect(database.asked).toBeGreaterThan(before);
});
