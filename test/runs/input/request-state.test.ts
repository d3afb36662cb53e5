import { expect, test } from "vitest";
import { createRequestState, readRequestState } from "../../../src/runs/input/request-state.ts";

// No code of random letters has this ID in it by chance, as one of two letters now and then does.
const questionId = "question-number-1";
const question = { runId: "run-1", questionId };
const place = { kind: "agent_ask", owner: "anna", rounds: 3 };

test("a state is for the question, the tool and the caller that it was made for, and for nothing else", () => {
  const state = createRequestState(question, place);
  expect(createRequestState(question, place)).not.toBe(state);
  expect(state).not.toContain(questionId);
  const isFor = (text: string, id = questionId, other: Partial<typeof place> = {}): boolean =>
    readRequestState(text, { ...place, ...other })?.isAbout(id) ?? false;
  expect(isFor(state)).toBe(true);
  expect([
    isFor(state, "question-number-2"),
    isFor(state, questionId, { kind: "agent_result" }),
    isFor(state, questionId, { owner: "ben" }),
  ]).toEqual([false, false, false]);
  expect(readRequestState(state, place)?.rounds).toBe(3);
  for (const at of Array.from(state).keys()) {
    const changed = state.slice(0, at) + (state[at] === "A" ? "B" : "A") + state.slice(at + 1);
    expect(isFor(changed), changed).toBe(false);
  }
  for (const changed of [`${state}=`, `${state}.`, state.slice(1), ""]) expect(isFor(changed), changed).toBe(false);
});

test("the name of other work tells nothing", () => {
  expect(readRequestState(createRequestState(undefined, place), place)).toBeUndefined();
});
