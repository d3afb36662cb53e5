import { expect, test } from "vitest";
import { serveSchema } from "../../../src/config/schema/file-schema.ts";
import type { Caller } from "../../../src/core/caller.ts";
import { noSpend } from "../../../src/core/store/daily-usage.ts";
import {
  type ActiveRunsView,
  type CallerLimits,
  type CallerLimitsOptions,
  createCallerLimits,
} from "../../../src/runs/limits/caller-limits.ts";
import { openStore, storeFile } from "../../store/stores.ts";

const anna: Caller = { owner: "anna" };
const ben: Caller = { owner: "ben" };
const noon = Date.UTC(2026, 10, 22, 12);

function openLimits(limits: object, options: Partial<CallerLimitsOptions> = {}) {
  const clock = { ms: noon };
  const settings = serveSchema.parse({ limits }).limits;
  const defaults = { limits: settings, most: 100, isShared: false, now: () => clock.ms };
  const opened = createCallerLimits({ ...defaults, ...options });
  /** Holds the message to a caller that wants one run more. */
  function admit(caller: Caller, work: Partial<ActiveRunsView> = {}): object | "admitted" {
    try {
      opened.admit(caller, { all: 0, own: 0, waiting: 0, freeInMs: 0, ...work });
      return "admitted";
    } catch (thrown) {
      return thrown instanceof Error ? thrown : {};
    }
  }
  return { ...opened, admit, clock };
}

const { signal } = new AbortController();

/** Has a turn of the caller's use this much; it is alone. */
async function use(
  { getBudget }: Pick<CallerLimits, "getBudget">,
  caller: Caller,
  tokens: number,
  cost = 0,
): Promise<void> {
  const reservation = await getBudget(caller)?.reserve({ spend: noSpend, lastsMs: 60_000, signal });
  await reservation?.settle({ tokens, cost });
}

test("one caller gets so many runs at a time, and by default a hundred", () => {
  const { admit } = openLimits({ maxRuns: 2 });
  expect(admit(anna, { all: 1, own: 1 })).toBe("admitted");
  expect(admit(anna, { all: 2, own: 2 })).toMatchObject({
    code: "rate_limit",
    message: expect.stringMatching(/^This caller already has 2 runs/),
  });
  expect(admit(ben, { all: 2, own: 0 })).toBe("admitted");
  expect(serveSchema.parse({}).limits).toEqual({ maxRuns: 100 });
});

test("as many more may wait for a person, and who has more is told when the first one is given up", () => {
  const { admit } = openLimits({ maxRuns: 2 });
  expect(admit(anna, { all: 1, own: 1, waiting: 2 })).toBe("admitted");
  expect(admit(anna, { all: 1, own: 1, waiting: 3, freeInMs: 90_000 })).toMatchObject({
    code: "rate_limit",
    retryAfterMs: 90_000,
  });
});

test("so many runs may begin within any minute; who waits as long as told may go on", () => {
  const { admit, clock } = openLimits({ runsPerMinute: 2 });
  expect(admit(anna)).toBe("admitted");
  clock.ms += 20_000;
  expect(admit(anna)).toBe("admitted");
  expect(admit(anna)).toMatchObject({ code: "rate_limit", retryAfterMs: 40_000 });
  expect(admit({})).toBe("admitted");
  clock.ms += 40_000;
  expect(admit(anna)).toBe("admitted");
  expect(admit(anna)).toMatchObject({ code: "rate_limit", retryAfterMs: 20_000 });
});

test("a clock that was set back locks nobody out: runs that seem to begin in the future do not count", () => {
  const { admit, clock } = openLimits({ runsPerMinute: 1 });
  expect(admit(anna)).toBe("admitted");
  clock.ms -= 3_600_000;
  expect(admit(anna)).toBe("admitted");
  expect(admit(anna)).toMatchObject({ code: "rate_limit", retryAfterMs: 60_000 });
});

test("what was used in a day counts until midnight of UTC, and then nothing is reserved any more", async () => {
  const { admit, clock, ...limits } = openLimits({ tokensPerDay: 100, costPerDay: 0.5 });
  await use(limits, anna, 60, 0.1);
  expect(limits.getRemaining(anna)).toEqual({ tokens: 40, cost: 0.4 });
  expect(admit(anna)).toBe("admitted");
  await use(limits, anna, 60);
  const refused = { code: "quota", retryAfterMs: 12 * 3_600_000 };
  expect(admit(anna)).toMatchObject(refused);
  await expect(use(limits, anna, 1)).rejects.toMatchObject(refused);
  expect(admit(ben)).toBe("admitted");
  await use(limits, ben, 1, 0.5);
  expect(admit(ben)).toMatchObject({ code: "quota", message: expect.stringContaining("$0.50") });
  await expect(use(limits, ben, 1)).rejects.toMatchObject({ code: "quota" });
  clock.ms += 12 * 3_600_000;
  expect([admit(anna), admit(ben)]).toEqual(["admitted", "admitted"]);
  await use(limits, anna, 1);
  expect(openLimits({}).getBudget(anna)).toBeUndefined();
});

test("what other agents have billed counts for the day of who asked, by itself or with the record of a call", async () => {
  const limits = openLimits({ tokensPerDay: 100, costPerDay: 0.5 });
  await limits.getBudget(anna)?.openBill().settle({ tokens: 10, cost: 0.125 });
  await limits.getBudget(anna)?.openBill().settleWith({ tokens: 20, cost: 0.125 }, Promise.resolve(undefined));
  expect(limits.getRemaining(anna)).toEqual({ tokens: 70, cost: 0.25 });
});

/** Has 40 turns begin at once that may use 1,000 and use 900 each; gives how many ran, and how many at most at a time. */
async function useAtOnce(
  all: readonly Pick<CallerLimits, "getBudget">[],
): Promise<{ ran: number; refused: number; most: number }> {
  const counts = { ran: 0, refused: 0, most: 0 };
  let now = 0;
  const turns = Array.from({ length: 40 }, async (_, index) => {
    const budget = all[index % all.length]?.getBudget(anna);
    try {
      const turn = await budget?.reserve({ spend: { tokens: 1000, cost: 0.01 }, lastsMs: 60_000, signal });
      counts.ran += 1;
      counts.most = Math.max(counts.most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      await turn?.settle({ tokens: 900, cost: 0.009 });
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: "quota" });
      counts.refused += 1;
    }
  });
  await Promise.all(turns);
  return counts;
}

test.each([
  [{ tokensPerDay: 2000 }, 3, 2],
  [{ costPerDay: 0.02 }, 3, 2],
  [{ tokensPerDay: 500 }, 1, 1],
  [{ tokensPerDay: 1_000_000 }, 40, 40],
])(
  "40 turns at once pass %j by one turn at most, and go on side by side while enough is left",
  async (given, ran, most) => {
    expect(await useAtOnce([openLimits(given)])).toEqual({ ran, refused: 40 - ran, most });
  },
);

test("processes that share a store share the day, and a new one goes on where the last one was", async () => {
  const file = await storeFile();
  const openUsage = async () => (await openStore(file)).of("anna").dailyUsage;
  const [one, other] = [
    openLimits({ tokensPerDay: 2000 }, { openUsage }),
    openLimits({ tokensPerDay: 2000 }, { openUsage }),
  ];
  expect(await useAtOnce([one, other])).toMatchObject({ ran: 3, refused: 37 });
  const restarted = openLimits({ tokensPerDay: 2000 }, { openUsage });
  expect(restarted.admit(anna)).toBe("admitted");
  await restarted.prepare(anna);
  expect(restarted.admit(anna)).toMatchObject({ code: "quota", message: expect.stringContaining("2700") });
});

test("what a killed process has reserved is free again once its turn would be over", async () => {
  const file = await storeFile();
  const clock = { ms: noon };
  const usage = (await openStore(file, { now: () => clock.ms })).of("anna").dailyUsage;
  const wanted = { spend: { tokens: 80, cost: 0 }, limits: { tokens: 100 }, lastsMs: 60_000 };
  expect(await usage.reserve({ id: "killed", ...wanted })).toMatchObject({ isGranted: true });
  expect(await usage.reserve({ id: "next", ...wanted })).toMatchObject({ isGranted: false, reserved: { tokens: 80 } });
  clock.ms += 60_001;
  expect(await usage.reserve({ id: "next", ...wanted })).toMatchObject({ isGranted: true });
});

test("while the store fails the limit is held in memory, and what was used is stored once it works", async () => {
  const usage = (await openStore(await storeFile())).of("anna").dailyUsage;
  const state = { fails: false };
  const openUsage = async () => {
    if (state.fails) throw new Error("the disk is full");
    return usage;
  };
  const limits = openLimits({ tokensPerDay: 2000 }, { openUsage });
  await use(limits, anna, 1000);
  state.fails = true;
  expect(await useAtOnce([limits])).toMatchObject({ ran: 2, refused: 38 });
  expect((await usage.read()).used.tokens).toBe(1000);
  state.fails = false;
  await expect(use(limits, anna, 1)).rejects.toMatchObject({ code: "quota" });
  expect((await usage.read()).used.tokens).toBe(2800);
});

test("a turn that ended while the store failed reserves nothing any more once the store works", async () => {
  const usage = (await openStore(await storeFile())).of("anna").dailyUsage;
  const state = { fails: false };
  const openUsage = async () => {
    if (state.fails) throw new Error("the disk is full");
    return usage;
  };
  const budget = openLimits({ tokensPerDay: 2000 }, { openUsage }).getBudget(anna);
  const wanted = { spend: { tokens: 1500, cost: 0 }, lastsMs: 60_000, signal };
  const turns = [await budget?.reserve({ ...wanted, spend: { tokens: 400, cost: 0 } }), await budget?.reserve(wanted)];
  state.fails = true;
  for (const turn of turns) await turn?.settle({ tokens: 100, cost: 0 });
  expect(await usage.read()).toEqual({ used: noSpend, reserved: { tokens: 1900, cost: 0 } });
  state.fails = false;
  await (await budget?.reserve(wanted))?.settle({ tokens: 100, cost: 0 });
  expect(await usage.read()).toEqual({ used: { tokens: 300, cost: 0 }, reserved: noSpend });
});

test("a caller whose name is empty is another one than the operator, who has none", () => {
  const { admit } = openLimits({ runsPerMinute: 1 });
  expect(admit({})).toBe("admitted");
  expect(admit({ owner: "" })).toBe("admitted");
  expect(admit({})).toMatchObject({ code: "rate_limit" });
});

test("where others may come, the last runs are for callers who have none", () => {
  const shared = openLimits({}, { most: 10, isShared: true });
  expect(shared.admit(anna, { all: 8, own: 8 })).toBe("admitted");
  expect(shared.admit(anna, { all: 9, own: 9 })).toMatchObject({ code: "rate_limit" });
  expect(shared.admit(ben, { all: 9, own: 0 })).toBe("admitted");
  expect(openLimits({}, { most: 10 }).admit({}, { all: 9, own: 9 })).toBe("admitted");
  expect(openLimits({}, { most: 1, isShared: true }).admit(anna, { all: 0, own: 0 })).toBe("admitted");
});

test("a run that was let in before asks for no further place", async () => {
  const asked: string[] = [];
  const places = {
    async ask({ owner = "" }: Caller) {
      asked.push(owner);
    },
    check() {},
    take: () => undefined,
  };
  const { prepare } = openLimits({ maxRuns: 2 }, { places });
  await prepare(anna);
  await prepare(ben, true);
  expect(asked).toEqual(["anna"]);
});
