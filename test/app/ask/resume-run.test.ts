import { expect, test } from "vitest";
import { findRefusal, toResumable, toResumedRequest } from "../../../src/app/ask/resume-run.ts";
import type { ServerSettings } from "../../../src/config/config.ts";
import type { RecordedStep, TakenRun } from "../../../src/core/store/journal.ts";
import { newRun } from "../../store/journal-runs.ts";

const at = "2026-11-26T00:00:00.000Z";
const usage = { inputTokens: 1, outputTokens: 1, reasoningTokens: 0, cachedTokens: 0 };

function taken(ends: number, steps: [name: string, data: unknown][]): TakenRun {
  const recorded = steps.map(([name, data]): RecordedStep => ({ name, data, spentMs: 1, at }));
  const journal = { runId: "run-1", add: async () => undefined, addEvents: async () => {}, forbid: async () => {} };
  return {
    ...newRun("run-1"),
    owner: undefined,
    begunAt: at,
    lastAt: at,
    ends,
    steps: recorded,
    files: [],
    events: [],
    journal,
  };
}

const servers = ["amap", "browser"].map(
  (name): ServerSettings => ({
    name,
    transport: { type: "stdio", command: "x", args: [], env: {}, inheritEnv: [] },
    timeoutMs: 1,
    startTimeoutMs: 1,
    start: "eager",
    sampling: false,
    ...(name === "browser" && { stateful: true }),
  }),
);

const asks = (name: string): unknown => ({
  usage,
  costs: [],
  elapsedMs: 1,
  turn: { message: { role: "assistant", content: "", toolCalls: [{ id: "c1", name, argumentsText: "{}" }] } },
});
const called = (source: string): unknown => ({ result: { ok: true, text: "" }, source, ran: true });

test("a run that has used a server with state of its own, or may have, does not go on", () => {
  for (const steps of [[["turn:decide:1", asks("browser__open")]], [["call:c1", called("browser")]]] as const)
    expect(
      findRefusal(
        { servers },
        taken(
          0,
          [...steps].map(([name, data]) => [name, data]),
        ),
      ),
    ).toMatchObject({
      code: "server",
      text: { en: expect.stringContaining("browser") },
    });
  expect(
    findRefusal(
      { servers },
      taken(2, [
        ["turn:decide:1", asks("amap__weather")],
        ["call:c1", called("amap")],
      ]),
    ),
  ).toBe(undefined);
});

test.each([
  [false, "the program ended unexpectedly and the MCP server browser"],
  [true, "this run was handed over to another process, which lacks the state of the MCP server browser"],
])("a run that a server's state keeps from going on tells whether it was handed over (%s)", (isHandedOver, en) => {
  const left = { ...taken(0, [["call:c1", called("browser")]]), isHandedOver };
  expect(findRefusal({ servers }, left)?.text.en).toContain(en);
});

test("a run that has ended its process three times without a new record does not go on", () => {
  // A reader over HTTP sees no text of an internal error.
  expect(findRefusal({ servers }, taken(3, []))).toMatchObject({
    code: "server",
    text: { en: expect.stringMatching(/3 times in a row/) },
  });
});

test("a run whose last record is older than store.resumeWithin goes on only when it is asked for", () => {
  const store = { keepDays: 1, maxSize: 1, resumeWithin: 600 };
  const run = { ...newRun("run-1"), owner: undefined, begunAt: at, lastAt: at };
  expect([599, 601].map((s) => toResumable(run, { store }, Date.parse(at) + s * 1000).isOld)).toEqual([false, true]);
});

test("a run that goes on follows the turn that it followed when it began", () => {
  const run = taken(0, []);
  expect(toResumedRequest({ ...run, header: { ...run.header, after: 3 } }).after).toBe(3);
  expect(toResumedRequest(run).after).toBeUndefined();
});
