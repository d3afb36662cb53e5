import { expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/run/events.ts";
import type { RunHandle } from "../../src/runs/live/run-handle.ts";
import { waitForEnd } from "../../src/runs/live/wait-until.ts";
import { createRunRegistry } from "../../src/runs/run-registry.ts";

const bigAnswer = "x".repeat(4000);

/** Runs that say a long answer, piece by piece, where so much of ended ones may be kept. */
function openRuns(kept: { ends: number; events: number }) {
  const registry = createRunRegistry({ most: 10, keepMs: 60_000, kept });
  async function run(response: string): Promise<RunHandle> {
    const begun: RunHandle = registry.begin({
      key: response,
      caller: {},
      locale: "en",
      request: { question: "Hello" },
      canAsk: () => false,
      patienceMs: 60_000,
      async *ask(): AsyncGenerator<AgentEvent> {
        for (let at = 0; at < response.length; at += 100)
          yield { type: "answer-delta", text: response.slice(at, at + 100) };
        yield { type: "run-end", outcome: { ...begun.snapshot(), status: "complete", response } };
      },
    });
    await waitForEnd(begun, AbortSignal.timeout(20_000));
    // It is kept a moment after its end was reported.
    await new Promise(setImmediate);
    return begun;
  }
  const known = (): string[] => [...registry.listRuns({})].map(({ id }) => id);
  return { registry, run, known };
}

test("of big ends the oldest are forgotten first, as soon as there is no room for all", async () => {
  const { registry, run, known } = openRuns({ ends: 12_000, events: 1_000_000 });
  const runs: RunHandle[] = [];
  for (let count = 0; count < 5; count++) runs.push(await run(`${count}${bigAnswer}`));
  expect(known()).toEqual([4, 3].map((at) => runs[at]?.id));
  expect(registry.findSame(`0${bigAnswer}`, undefined, {})).toBeUndefined();
  expect(runs[0]?.events).toEqual([]);
  expect(runs[4]?.events).toHaveLength(42);
});

test("events give way before ends do", async () => {
  const { run, known } = openRuns({ ends: 1_000_000, events: 20_000 });
  const runs = [await run(bigAnswer), await run(bigAnswer), await run("short")];
  expect(known()).toHaveLength(3);
  expect(runs.map(({ events }) => events.length > 0)).toEqual([false, true, true]);
  expect(runs[0]?.outcome?.response).toBe(bigAnswer);
});

test("an end that is bigger than all that may be kept is there for whoever reads it now, and for nobody else", async () => {
  const { registry, run, known } = openRuns({ ends: 3000, events: 3000 });
  const big = await run(bigAnswer);
  expect(big.outcome?.response).toBe(bigAnswer);
  expect(big.events).toEqual([]);
  expect(known()).toEqual([]);
  expect(registry.find(big.id, {})).toBeUndefined();
  expect(registry.findSame(bigAnswer, undefined, {})).toBeUndefined();
});
