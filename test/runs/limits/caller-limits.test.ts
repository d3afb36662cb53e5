import { expect, test } from "vitest";
import { serveSchema } from "../../../src/config/schema/file-schema.ts";
import type { Caller } from "../../../src/core/caller.ts";
import type { AgentEvent } from "../../../src/core/events.ts";
import { type ActiveRunsView, createCallerLimits } from "../../../src/runs/limits/caller-limits.ts";
import { outcomeOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";

const anna: Caller = { owner: "anna" };
const ben: Caller = { owner: "ben" };
const noon = Date.UTC(2026, 10, 22, 12);

function openLimits(limits: object, options: { most?: number; isShared?: boolean } = {}) {
  const clock = { ms: noon };
  const { most = 100, isShared = false } = options;
  const settings = serveSchema.parse({ limits }).limits;
  const opened = createCallerLimits({ limits: settings, most, isShared, now: () => clock.ms });
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

function turn(tokens: number, costUsd: number | null): AgentEvent {
  const usage = { inputTokens: tokens - 1, outputTokens: 1, reasoningTokens: 0, cachedTokens: 0 };
  return { type: "phase-end", phase: "decide", step: 1, model: "a/b", usage, elapsedMs: 1, costUsd };
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

test("what was used in a day counts, each turn at once, until midnight of UTC", () => {
  const { admit, countUsage: take, getRemaining: left, clock } = openLimits({ tokensPerDay: 100, costPerDay: 0.5 });
  take(anna, turn(60, 0.1));
  expect(left(anna)).toEqual({ tokens: 40, cost: 0.4 });
  expect(admit(anna)).toBe("admitted");
  take(anna, turn(60, null));
  expect(admit(anna)).toMatchObject({ code: "quota", retryAfterMs: 12 * 3_600_000 });
  expect(admit(ben)).toBe("admitted");
  take(ben, turn(1, 0.5));
  expect(admit(ben)).toMatchObject({ code: "quota", message: expect.stringContaining("$0.50") });
  clock.ms += 12 * 3_600_000;
  expect([admit(anna), admit(ben)]).toEqual(["admitted", "admitted"]);
});

test("what sub-agents have used counts for the day of who asked", async () => {
  const { countUsage: take, getRemaining: left } = openLimits({ tokensPerDay: 100, costPerDay: 0.5 });
  const models = { functionCall: scriptedModel([]), answer: scriptedModel(["Hello."]) };
  const outcome = outcomeOf(await runAll({ mode: "chat", models }));
  const meta = { ...outcome.meta, agents: { runs: 1, total_tokens: 30, cost_usd: 0.25 } };
  take(anna, { type: "run-end", outcome: { ...outcome, meta } });
  expect(left(anna)).toEqual({ tokens: 70, cost: 0.25 });
  take(anna, { type: "run-end", outcome });
  expect(left(anna)).toEqual({ tokens: 70, cost: 0.25 });
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
