import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { noticeKinds } from "../../../src/core/notices/notice-kinds.ts";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import { reduceRun } from "../../../src/core/run/reduce-run.ts";
import { createRunState } from "../../../src/core/run/run-state.ts";
import { createEventRecorder } from "../../../src/runs/live/event-recorder.ts";
import { createRepeatFilter } from "../../../src/runs/live/repeat-filter.ts";

const begins = (step: number): AgentEvent => ({ type: "phase-start", phase: "answer", step, model: "a/b", reason: "" });
const says = (text: string): AgentEvent => ({ type: "answer-delta", text });
const thinks = (text: string): AgentEvent => ({ type: "thought-delta", text });
const call: AgentEvent = { type: "tool-start", callId: "c1", step: 1, tool: "work", arguments: {} };

/** What a reader gets of a run that goes on, after what it was told. */
function goOn(told: AgentEvent[], again: AgentEvent[]): AgentEvent[] {
  const { filter } = createRepeatFilter(told);
  return again.flatMap(filter);
}

function answerOf(events: AgentEvent[]): string {
  const state = createRunState();
  for (const event of events) reduceRun(state, event, 0);
  return state.answer.text;
}

describe("the reader of a run that goes on", () => {
  test("is told no event again, and what comes after it once", () => {
    const notice: AgentEvent = { type: "notice", level: "info", code: "x", message: "y" };
    expect(goOn([begins(1), thinks("Let me"), call], [begins(1), thinks("Let me see."), call, notice, notice])).toEqual(
      [thinks(" see."), notice, notice],
    );
  });

  test("is told of each process that goes on with it, though the words are the same", () => {
    const handedOver = noticeKinds.runHandedOver(undefined, "en");
    expect(goOn([begins(1), handedOver], [handedOver, begins(1), call])).toEqual([handedOver, call]);
  });

  test("has the whole answer at the end, whatever it was told and however it is written anew", () => {
    const pieces = fc.array(fc.constantFrom("a", "b", "ab", " "), { maxLength: 6 });
    fc.assert(
      fc.property(pieces, pieces, (told, again) => {
        const before = told.map(says);
        const after = goOn(before, [...again.map(says), { type: "run-end", outcome: {} as never }]);
        expect(answerOf([...before, ...after])).toBe(again.join(""));
        // An answer that says the same does not begin anew.
        const isSame = again.join("").startsWith(told.join(""));
        expect(after.some(({ type }) => type === "answer-restart")).toBe(!isSame);
      }),
    );
  });

  test("reads the thought of a turn that is asked again from its beginning", () => {
    expect(goOn([begins(1), thinks("Perhaps")], [begins(1), thinks("I"), thinks(" know.")])).toEqual([
      thinks("I"),
      thinks(" know."),
    ]);
  });
});

test("an event is passed on once it is recorded, under its number, and text waits for more of it", async () => {
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const recorder = createEventRecorder({
    from: 5,
    handle: (event) => void log.push(`told ${"text" in event ? event.text : event.type}`),
    journal: {
      async addEvents(from, events) {
        log.push(`recording ${from}: ${events.length}`);
        await gate.promise;
      },
    },
  });
  recorder.add(says("a"));
  recorder.add(says("b"));
  recorder.add(says("c"));
  recorder.add(call);
  expect(log).toEqual(["recording 5: 1"]);
  gate.resolve();
  await recorder.finish();
  expect(log).toEqual(["recording 5: 1", "told a", "recording 6: 2", "told bc", "told tool-start"]);
});

test("a wait for more text that ends when all is recorded holds up nothing that follows", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: AgentEvent[] = [];
  const journal = { addEvents: async () => {} };
  const recorder = createEventRecorder({ from: 0, journal, handle: (event) => void told.push(event) });
  recorder.add(says("a"));
  // Waits, and is recorded with what is under way.
  recorder.add(says("b"));
  await vi.advanceTimersByTimeAsync(100);
  recorder.add(call);
  await recorder.finish();
  expect(told).toEqual([says("a"), says("b"), call]);
});

test("events are passed on although they cannot be recorded", async () => {
  const told: AgentEvent[] = [];
  let tries = 0;
  const recorder = createEventRecorder({
    from: 0,
    handle: (event) => void told.push(event),
    journal: {
      async addEvents() {
        tries += 1;
        throw new Error("disk full");
      },
    },
  });
  recorder.add(says("a"));
  await recorder.finish();
  recorder.add(call);
  await recorder.finish();
  expect([told, tries]).toEqual([[says("a"), call], 1]);
});

test("drafts are passed on in their place and not recorded, and end together with what they were", async () => {
  const log: string[] = [];
  let gate = Promise.withResolvers<void>();
  const recorder = createEventRecorder({
    from: 0,
    handle: (event) => void log.push("text" in event ? event.text : event.type),
    journal: {
      async addEvents(from, events) {
        log.push(`recording ${from}: ${events.map(({ type }) => type)}`);
        await gate.promise;
      },
    },
  });
  recorder.add(begins(1));
  gate.resolve();
  await recorder.finish();
  recorder.add({ type: "draft-start", draft: 1, step: 1 });
  recorder.add({ type: "draft-delta", draft: 1, text: "It" });
  expect(log.splice(0)).toEqual(["recording 0: phase-start", "phase-start", "draft-start", "It"]);
  gate = Promise.withResolvers();
  recorder.add({ type: "draft-end", draft: 1, kept: "answer" });
  recorder.add(call);
  expect(log.splice(0)).toEqual(["recording 1: tool-start"]);
  gate.resolve();
  await recorder.finish();
  expect(log).toEqual(["draft-end", "tool-start"]);
});
