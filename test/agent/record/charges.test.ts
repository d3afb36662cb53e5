import { expect, test } from "vitest";
import { withTurnBudgets } from "../../../src/app/models/with-turn-budget.ts";
import { replaceStream } from "../../../src/core/model.ts";
import type { Spend } from "../../../src/core/store/daily-usage.ts";
import { LostRunError, type NewStep, type RunJournal } from "../../../src/core/store/journal.ts";
import type { TurnBudget } from "../../../src/core/turn-budget.ts";
import { makeTool } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runOptions, streamRun } from "../../fakes/run.ts";

interface World {
  /** Records a step; it counts it where it resolves. */
  add?(step: NewStep): Promise<Spend | undefined>;
  moved?: AbortSignal;
  signal?: AbortSignal;
  onCall?(): void;
  isRecorded?: boolean;
}

/** Runs one call and an answer, each of which uses 20 tokens. Returns what was counted with steps and what by itself. */
async function runCharged({ add = async () => undefined, moved, signal, onCall, isRecorded = true }: World) {
  const steps: [string, number | undefined, readonly string[] | undefined][] = [];
  const alone: Spend[] = [];
  let reserved = 0;
  const budget: TurnBudget = {
    async reserve() {
      reserved += 1;
      return {
        id: `r${reserved}`,
        settle: async (used) => void alone.push(used),
        settleWith: async (_used, recording) => void (await recording),
      };
    },
  };
  const journal: RunJournal = {
    runId: "run-1",
    async add(step) {
      const today = await add(step);
      steps.push([step.name, step.usage?.used.tokens, step.usage?.reservations]);
      return today;
    },
    async addEvents() {},
    async forbid() {},
    ...(moved && { moved }),
  };
  const model = scriptedModel([[{ id: "c1", name: "work", input: {} }], "It is done."]);
  const work = makeTool("work", () => {
    onCall?.();
    return { ok: true, text: "The work is done, as it should be." };
  });
  const options = await runOptions({
    models: withTurnBudgets({ functionCall: model, answer: model }, budget),
    tools: [work],
    signal,
    recording: isRecorded ? { begin: async () => journal } : undefined,
  });
  await Array.fromAsync(streamRun(options)).catch(() => {});
  return { steps, alone: alone.map(({ tokens }) => tokens), reserved };
}

test("what a turn has used is counted with the step that records it, and not by itself", async () => {
  expect(await runCharged({})).toEqual({
    steps: [
      ["turn:decide:1", 20, ["r1"]],
      ["call:c1", undefined, undefined],
      ["turn:decide:2", 20, ["r2"]],
    ],
    alone: [],
    reserved: 2,
  });
});

test("what a turn has used is counted by itself where the run is not recorded, or its step cannot be", async () => {
  expect(await runCharged({ isRecorded: false })).toEqual({ steps: [], alone: [20, 20], reserved: 2 });
  const add = () => Promise.reject(new Error("disk full"));
  expect(await runCharged({ add })).toEqual({ steps: [], alone: [20, 20], reserved: 2 });
});

test("a run that another process has taken counts nothing more, and its reservation ends", async () => {
  const moved = new AbortController();
  const lose = (): never => {
    moved.abort(new LostRunError("run-1"));
    throw new LostRunError("run-1");
  };
  const add = async () => lose();
  expect(await runCharged({ add, moved: moved.signal })).toEqual({ steps: [], alone: [0], reserved: 1 });
});

test("a turn whose run somebody ends while it is being recorded is counted once, also where the record is refused", async () => {
  for (const isRefused of [false, true]) {
    const person = new AbortController();
    const add = async ({ name }: NewStep) => {
      if (name !== "turn:decide:1") return undefined;
      person.abort(new Error("enough"));
      if (isRefused) throw new LostRunError("run-1");
      return undefined;
    };
    const { alone, steps } = await runCharged({ add, signal: person.signal });
    expect([alone, steps.flatMap(([, tokens]) => tokens ?? [])]).toEqual(isRefused ? [[20], []] : [[], [20]]);
  }
});

test("a turn that is cut off is counted by itself", async () => {
  const person = new AbortController();
  const alone: number[] = [];
  const budget: TurnBudget = {
    reserve: async () => ({
      id: "r1",
      settle: async ({ tokens }) => void alone.push(tokens),
      settleWith: async () => {},
    }),
  };
  const spent = { inputTokens: 7, outputTokens: 3, reasoningTokens: 0, cachedTokens: 0 };
  const model = replaceStream(scriptedModel([]), async (_, onEvent) => {
    onEvent({ type: "spent", usage: spent });
    person.abort(new Error("enough"));
    throw new Error("enough");
  });
  const names: string[] = [];
  const journal: RunJournal = {
    runId: "run-1",
    add: async ({ name }) => void names.push(name),
    async addEvents() {},
    async forbid() {},
  };
  const options = await runOptions({
    models: withTurnBudgets({ functionCall: model, answer: model }, budget),
    signal: person.signal,
    recording: { begin: async () => journal },
  });
  await Array.fromAsync(streamRun(options));
  expect([alone, names]).toEqual([[10], []]);
});
