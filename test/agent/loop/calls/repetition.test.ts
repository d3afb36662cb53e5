import { expect, test } from "vitest";
import { createRepetition } from "../../../../src/agent/loop/calls/repetition.ts";
import type { ToolCall } from "../../../../src/core/model/messages.ts";
import type { JsonObject } from "../../../../src/kit/json.ts";

function call(args: JsonObject, name = "job_state"): ToolCall {
  return { id: "1", name, argumentsText: JSON.stringify(args), arguments: args };
}

const poll = call({ job: 7, full: true });

test("a call that brought one result twice in a row is refused the third time, in whatever order its arguments stand", () => {
  const repetition = createRepetition([]);
  expect(repetition.learn(poll, "running")).toBe(true);
  expect(repetition.isRepeated(poll)).toBe(false);
  expect(repetition.learn(poll, "running")).toBe(false);
  expect(repetition.isRepeated(poll)).toBe(true);
  expect(repetition.isRepeated(call({ full: true, job: 7 }))).toBe(true);
  expect(repetition.isRepeated(call({ job: 8, full: true }))).toBe(false);
  expect(repetition.isRepeated(call({ job: 7, full: true }, "job_log"))).toBe(false);
});

test("a call whose result changes each time is never refused", () => {
  const repetition = createRepetition([]);
  for (let percent = 0; percent < 100; percent += 1) {
    expect(repetition.isRepeated(poll)).toBe(false);
    expect(repetition.learn(poll, `${percent} %`)).toBe(true);
  }
});

test("a result that comes back after another one counts anew", () => {
  const repetition = createRepetition([]);
  for (const result of ["running", "waiting", "running", "waiting"]) repetition.learn(poll, result);
  expect(repetition.isRepeated(poll)).toBe(false);
});

test("a tool that may be asked again and again is never refused", () => {
  const repetition = createRepetition(["job_*"]);
  for (let round = 0; round < 5; round += 1) repetition.learn(poll, "running");
  expect(repetition.isRepeated(poll)).toBe(false);
});
