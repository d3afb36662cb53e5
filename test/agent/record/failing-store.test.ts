import { expect, test } from "vitest";
import { LostRunError, type RunJournal } from "../../../src/core/store/journal.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { makeTool, noticesOf, outcomeOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runOptions, streamRun } from "../../fakes/run.ts";

/** Runs one call and an answer with a journal whose method `fails` from its `nth` step on. */
async function runWith({ begins = true, failsAt = Number.POSITIVE_INFINITY, signal, onCall }: Failing) {
  const log: string[] = [];
  let steps = 0;
  let isForbidden = false;
  const journal: RunJournal = {
    runId: "run-1",
    async add({ name }) {
      steps += 1;
      if (isForbidden) throw new LostRunError("run-1");
      if (steps >= failsAt) throw new Error("disk full");
      log.push(name);
    },
    async addEvents() {},
    async forbid(reason) {
      isForbidden = true;
      log.push(`forbidden: ${reason}`);
    },
  };
  const model = scriptedModel([[{ id: "c1", name: "work", input: {} }], "It is done."]);
  const options = await runOptions({
    models: { functionCall: model, answer: model },
    tools: [
      makeTool("work", () => {
        onCall?.();
        return { ok: true, text: "The work is done, as it should be." };
      }),
    ],
    signal,
    recording: {
      async begin() {
        if (!begins) throw new Error("disk full");
        return journal;
      },
    },
  });
  return { events: await Array.fromAsync(streamRun(options)), log };
}

interface Failing {
  begins?: boolean;
  failsAt?: number;
  signal?: AbortSignal;
  onCall?(): void;
}

test("a run that another process goes on with does nothing more here once a step of it is refused", async () => {
  const done: string[] = [];
  const model = scriptedModel([[{ id: "c1", name: "work", input: {} }], "It is done."]);
  const journal: RunJournal = {
    runId: "run-1",
    async add() {
      throw new LostRunError("run-1");
    },
    async addEvents() {},
    async forbid() {},
    moved: new AbortController().signal,
  };
  const tools = [
    makeTool("work", () => {
      done.push("work");
      return { ok: true, text: "The work is done." };
    }),
  ];
  const models = { functionCall: model, answer: model };
  const options = await runOptions({ models, tools, recording: { begin: async () => journal } });
  await expect(Array.fromAsync(streamRun(options))).rejects.toThrow(LostRunError);
  expect(done).toEqual([]);
});

test("the end of a run that another process goes on with is told by that one alone", async () => {
  const model = scriptedModel(["It is done.", "It is done."]);
  const memory = createMemoryStore();
  const store = {
    ...memory,
    async append() {
      throw new LostRunError("run-1");
    },
  };
  const options = await runOptions({ models: { functionCall: model, answer: model }, store });
  const told: string[] = [];
  async function run() {
    for await (const { type } of streamRun(options)) told.push(type);
  }
  await expect(run()).rejects.toThrow(LostRunError);
  expect(told).toContain("answer-delta");
  expect(told).not.toContain("run-end");
});

test("a run that cannot be recorded goes on, says so once, and must not be resumed", async () => {
  const { events, log } = await runWith({ failsAt: 3 });
  expect(noticesOf(events)).toEqual(["not-resumable"]);
  expect(outcomeOf(events)).toMatchObject({ status: "complete", notices: [{ code: "not-resumable" }] });
  // Nothing else would tell the store after the last step.
  expect(log).toEqual(["turn:decide:1", "call:c1", "forbidden: unrecorded"]);
});

test("a run whose beginning cannot be recorded goes on, and says so", async () => {
  const { events, log } = await runWith({ begins: false });
  expect(outcomeOf(events)).toMatchObject({ status: "complete", notices: [{ code: "not-resumable" }] });
  expect(log).toEqual([]);
});

test("a run that is recorded says nothing about it, and one that somebody ends must not be resumed", async () => {
  expect(noticesOf((await runWith({})).events)).toEqual([]);
  const { log } = await runWith({ signal: AbortSignal.abort(new Error("enough")) });
  expect(log).toEqual(["forbidden: stopped"]);
});

test("a run that somebody ends during a call says nothing about its records", async () => {
  const person = new AbortController();
  const { events, log } = await runWith({ signal: person.signal, onCall: () => person.abort(new Error("enough")) });
  expect(outcomeOf(events)).toMatchObject({ status: "cancelled" });
  expect(noticesOf(events)).toEqual([]);
  expect(log).toEqual(["turn:decide:1", "forbidden: stopped"]);
});
