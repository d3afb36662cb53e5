import { describe, expect, test } from "vitest";
import { splitBySigns, toFailedTurn, toTurnError } from "../../../src/agent/record/recorded-steps.ts";
import { reopenAnswerForm } from "../../../src/app/ask/resume-run.ts";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { openAnswerForm } from "../../../src/tools/schema/answer-form.ts";
import { makeTool, outcomeOf, textOf } from "../../fakes/events.ts";
import type { ScriptedTurn } from "../../fakes/model.ts";
import { play } from "./interrupted.ts";

const busy = new DuetError({
  code: "overloaded",
  text: { zh: "繁忙", en: "busy" },
  retryable: true,
  retryAfterMs: 2000,
  status: 529,
});

/** Returns what each phase tells of its model. */
function phasesOf(events: readonly AgentEvent[]): unknown[] {
  return events.flatMap((event) => {
    if (event.type === "phase-start") return [[event.model, event.reason]];
    return event.type === "phase-end" ? [[event.model, event.error, event.costUsd, event.usage.inputTokens]] : [];
  });
}

const notices = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) => (event.type === "notice" && event.code !== "run-resumed" ? [event.message] : []));

describe("a run whose process ends", () => {
  test("goes on with the fallback that took over, under its name and at its cost", async () => {
    const known = makeTool("work", () => ({ ok: true, text: "It is known, and it takes many words to say it." }));
    const tools = [{ ...known, canRepeat: () => true }];
    const fallback: ScriptedTurn[] = [[{ id: "c1", name: "work", input: {} }], "enough", "It is known."];
    const script = { decide: [{ error: busy }], answer: [{ error: busy }], fallback };
    const store = createMemoryStore();
    const whole = await play(script, { tools, store });
    const names = whole.steps.map(({ name }) => name);
    expect(names).toEqual([
      "turn:decide:1",
      "turn:decide:2",
      "call:c1",
      "turn:decide:3",
      "turn:answer:1",
      "turn:answer:2",
    ]);
    for (let cut = 0; cut <= names.length; cut++) {
      const steps = whole.steps.slice(0, cut);
      const asked = new Set(names.slice(0, cut));
      const taken = ["turn:decide:2", "turn:decide:3", "turn:answer:2"].filter((name) => asked.has(name)).length;
      const left = {
        decide: asked.has("turn:decide:1") ? [] : script.decide,
        answer: asked.has("turn:answer:1") ? [] : script.answer,
        fallback: fallback.slice(taken),
      };
      const resumed = await play(left, { tools, store }, { ...whole, steps });
      expect(phasesOf(resumed.events)).toEqual(phasesOf(whole.events));
      expect(notices(resumed.events)).toEqual(notices(whole.events));
      expect(resumed.asked.fallback).toEqual(whole.asked.fallback.slice(taken));
      const { meta, ...outcome } = outcomeOf(resumed.events);
      expect(outcome.response).toBe("It is known.");
      expect(meta.models.function_call?.by_model).toMatchObject([
        { model: "one", calls: 1 },
        { model: "three", calls: 2, cost_usd: 1 },
      ]);
    }
  });

  test("knows how much a model reads that had refused a request as too long", async () => {
    const tooLong = new DuetError({ code: "context_overflow", text: { zh: "太长", en: "too long" } });
    const text = "line of a long result\n".repeat(850);
    const tools = [makeTool("work", (args) => ({ ok: true, text: `${JSON.stringify(args)} begins. ${text}` }))];
    const toCalls = (n: number) => [{ id: `c${n}`, name: "work", input: { n } }];
    const decide: ScriptedTurn[] = [toCalls(1), { error: tooLong }, toCalls(2), "It is known."];
    const store = createMemoryStore();
    const whole = await play({ decide }, { tools, store });
    const names = whole.steps.map(({ name }) => name);
    expect(names).toEqual(["turn:decide:1", "call:c1", "turn:decide:2", "call:c2", "turn:decide:3"]);
    const resumed = await play(
      { decide: decide.slice(3) },
      { tools, store },
      { ...whole, steps: whole.steps.slice(0, 4) },
    );
    expect(resumed.asked.decide).toEqual(whole.asked.decide.slice(3));
    expect(notices(resumed.events)).toEqual(notices(whole.events));
  });

  test("asks for no correction of a structured answer that it had asked for before", async () => {
    const schema = { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] };
    const opened = openAnswerForm(schema);
    if ("problem" in opened) throw new Error(opened.problem.en);
    const answer = ['{"celsius":"warm"}', '{"celsius":21}'];
    const store = createMemoryStore();
    const whole = await play({ decide: ["enough"], answer }, { answerForm: opened.form, store });
    expect(whole.steps.map(({ name }) => name)).toEqual(["turn:decide:1", "turn:answer:1", "turn:answer:2"]);
    for (let cut = 0; cut <= 3; cut++) {
      const steps = whole.steps.slice(0, cut);
      const taken = { ...whole, steps };
      const left = { decide: cut > 0 ? [] : ["enough"], answer: answer.slice(Math.max(0, cut - 1)) };
      const answerForm = await reopenAnswerForm(taken);
      const resumed = await play(left, { answerForm, store }, taken);
      expect(resumed.asked.answer).toEqual(whole.asked.answer.slice(Math.max(0, cut - 1)));
      expect(notices(resumed.events)).toEqual(notices(whole.events));
      expect(textOf(resumed.events, "answer-delta")).toBe('{"celsius":21}');
      expect(textOf(resumed.events, "thought-delta")).toBe(textOf(whole.events, "thought-delta"));
      expect(outcomeOf(resumed.events)).toMatchObject({ status: "complete", output: { celsius: 21 } });
    }
  });
});

test("a recorded failure is the error that it was", () => {
  const recorded = JSON.parse(JSON.stringify(toFailedTurn(busy, "")));
  const { code, text, retryable, retryAfterMs, status } = busy;
  expect(toTurnError(recorded)).toMatchObject({ code, text, retryable, retryAfterMs, status });
});

test("a recorded text is divided where the wire said what follows", () => {
  const signs = [
    { at: 0, phase: "commentary" },
    { at: 6, phase: "final_answer" },
  ] as const;
  expect(splitBySigns("First.Then.", signs)).toEqual([
    { text: "First.", phase: "commentary" },
    { text: "Then.", phase: "final_answer" },
  ]);
  expect(splitBySigns("First.Then.", signs.slice(1))).toEqual([
    { text: "First.", phase: undefined },
    { text: "Then.", phase: "final_answer" },
  ]);
  expect(splitBySigns("", [])).toEqual([]);
});
