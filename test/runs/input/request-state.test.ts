import { expect, test } from "vitest";
import { createRequestState, readRequestState } from "../../../src/runs/input/request-state.ts";

const question = { runId: "run-1", questionId: "q1" };
const place = { kind: "agent_ask", owner: "anna" };

test("a state is for the question, the tool and the caller that it was made for, and for nothing else", () => {
  const state = createRequestState(question, place);
  expect(createRequestState(question, place)).not.toBe(state);
  expect(state).not.toContain(question.questionId);
  const isFor = (text: string, questionId = "q1", other: Partial<typeof place> = {}): boolean =>
    readRequestState(text, { ...place, ...other })?.isAbout(questionId) ?? false;
  expect(isFor(state)).toBe(true);
  expect([
    isFor(state, "q2"),
    isFor(state, "q1", { kind: "agent_result" }),
    isFor(state, "q1", { owner: "ben" }),
  ]).toEqual([false, false, false]);
  for (const at of Array.from(state).keys()) {
    const changed = state.slice(0, at) + (state[at] === "A" ? "B" : "A") + state.slice(at + 1);
    expect(isFor(changed), changed).toBe(false);
  }
  for (const changed of [`${state}=`, `${state}.`, state.slice(1), ""]) expect(isFor(changed), changed).toBe(false);
});

test("the name of other work tells nothing", () => {
  expect(readRequestState(createRequestState(undefined, place), place)).toBeUndefined();
});
