import { expect, test } from "vitest";
import { withTurnBudgets } from "../../../src/app/models/with-turn-budget.ts";
import { replaceStream } from "../../../src/core/model/model.ts";
import type { DayBudget, TurnBudget } from "../../../src/core/model/turn-budget.ts";
import type { TurnReservation } from "../../../src/core/model/turn-charge.ts";
import type { Spend } from "../../../src/core/store/daily-usage.ts";
import {
  LostRunError,
  type NewStep,
  type RecordedStep,
  type RunJournal,
  type TakenRun,
} from "../../../src/core/store/journal.ts";
import type { AgentUsage } from "../../../src/core/tools/tool.ts";
import { makeTool } from "../../fakes/events.ts";
import { type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { runOptions, streamRun } from "../../fakes/run.ts";
import { newRun } from "../../store/journal-runs.ts";

const begunAt = "2026-11-22T12:00:00.000Z";

interface World {
  /** Records a step; it counts it where it resolves. */
  add?(step: NewStep): Promise<Spend | undefined>;
  moved?: AbortSignal;
  signal?: AbortSignal;
  onCall?(): void;
  isRecorded?: boolean;
  /** Is what another agent bills for the call. */
  usage?: AgentUsage;
  /** Is what an earlier process has recorded. */
  known?: readonly RecordedStep[];
}

/** Runs one call and an answer, each of which uses 20 tokens. Returns what was counted with steps and what by itself. */
async function runCharged({
  add = async () => undefined,
  moved,
  signal,
  onCall,
  isRecorded = true,
  usage,
  known,
}: World) {
  const steps: [string, number | undefined, readonly string[] | undefined][] = [];
  const alone: Spend[] = [];
  const stored: RecordedStep[] = [];
  let reserved = 0;
  const open = (id: string): TurnReservation => ({
    id,
    settle: async (used) => void alone.push(used),
    settleWith: async (_used, recording) => void (await recording),
  });
  const budget: DayBudget = {
    async reserve() {
      reserved += 1;
      return open(`r${reserved}`);
    },
    openBill: () => open("bill"),
  };
  const journal: RunJournal = {
    runId: "run-1",
    async add(step) {
      const today = await add(step);
      steps.push([step.name, step.usage?.used.tokens, step.usage?.reservations]);
      stored.push(JSON.parse(JSON.stringify({ ...step, at: begunAt })));
      return today;
    },
    async addEvents() {},
    async forbid() {},
    ...(moved && { moved }),
  };
  const script: ScriptedTurn[] = [[{ id: "c1", name: "work", input: {} }], "It is done."];
  const model = scriptedModel(known ? script.slice(1) : script);
  const work = makeTool("work", () => {
    onCall?.();
    return { ok: true, text: "The work is done, as it should be.", usage };
  });
  const times = { begunAt, lastAt: begunAt, ends: 0 };
  const taken: TakenRun | undefined = known && {
    ...newRun("run-1"),
    owner: undefined,
    ...times,
    steps: known,
    events: [],
    files: [],
    journal,
  };
  const options = await runOptions({
    models: withTurnBudgets({ functionCall: model, answer: model }, budget),
    budget,
    tools: [work],
    signal,
    recording: isRecorded ? { taken, begin: async () => journal } : undefined,
  });
  await Array.fromAsync(streamRun(options)).catch(() => {});
  return { counted: { steps, alone: alone.map(({ tokens }) => tokens), reserved }, stored };
}

test("what a turn has used is counted with the step that records it, and not by itself", async () => {
  expect((await runCharged({})).counted).toEqual({
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
  expect((await runCharged({ isRecorded: false })).counted).toEqual({ steps: [], alone: [20, 20], reserved: 2 });
  const add = () => Promise.reject(new Error("disk full"));
  expect((await runCharged({ add })).counted).toEqual({ steps: [], alone: [20, 20], reserved: 2 });
});

test("a run that another process has taken counts nothing more, and its reservation ends", async () => {
  const moved = new AbortController();
  const lose = (): never => {
    moved.abort(new LostRunError("run-1"));
    throw new LostRunError("run-1");
  };
  const add = async () => lose();
  expect((await runCharged({ add, moved: moved.signal })).counted).toEqual({ steps: [], alone: [0], reserved: 1 });
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
    const { alone, steps } = (await runCharged({ add, signal: person.signal })).counted;
    expect([alone, steps.flatMap(([, tokens]) => tokens ?? [])]).toEqual(isRefused ? [[20], []] : [[], [20]]);
  }
});

test("what another agent bills is counted once with the record of its call, and no more where the run goes on elsewhere", async () => {
  const usage = { runId: "run-below", runs: 1, tokens: 50, cost: 0.5, isCostKnown: true, isOver: true };
  const { counted, stored } = await runCharged({ usage });
  expect(counted.steps[1]).toEqual(["call:c1", 50, ["bill"]]);
  expect((await runCharged({ usage, isRecorded: false })).counted.alone).toEqual([20, 50, 20]);
  const { counted: later } = await runCharged({ usage, known: stored.slice(0, 2) });
  expect(later).toEqual({ steps: [["turn:decide:2", 20, ["r1"]]], alone: [], reserved: 1 });
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
