import { expect, test } from "vitest";
import {
  findReachedLimit,
  type Progress,
  toBudgetUse,
  toCountUse,
  toTimeUse,
} from "../../../src/agent/limits/reached-limit.ts";
import type { Limits } from "../../../src/agent/limits/run-clock.ts";
import type { Observation } from "../../../src/agent/loop/calls/observe-call.ts";
import { evaluate } from "../../../src/agent/loop/evaluate.ts";
import { explainVerdict } from "../../../src/agent/loop/explain-verdict.ts";
import { mapLimits, stoppingLimits } from "../../../src/core/limits/limits.ts";
import { defaultLimits } from "../../fakes/run.ts";

const begun: Progress = mapLimits(
  stoppingLimits,
  ({ key }) => key,
  () => ({ used: 0, next: 0 }),
);

test.each<[string, Partial<Progress>, Partial<Limits>, string | undefined]>([
  [
    "ends when another turn and an answer would go over the tokens",
    { tokenBudget: toBudgetUse(801, 100) },
    { tokenBudget: 1000 },
    "token-limit",
  ],
  ["goes on while both fit into the tokens", { tokenBudget: toBudgetUse(800, 100) }, { tokenBudget: 1000 }, undefined],
  [
    "ends when another turn and an answer would go over the money",
    { costBudget: toBudgetUse(0.75, 0.25) },
    { costBudget: 1 },
    "cost-limit",
  ],
  ["goes on while both fit into the money", { costBudget: toBudgetUse(0.5, 0.25) }, { costBudget: 1 }, undefined],
  ["has no limit of money where none is set", { costBudget: toBudgetUse(1e9, 1e9) }, {}, undefined],
  [
    "ends after as many turns as it may take",
    { maxIterations: toCountUse(3) },
    { maxIterations: 3 },
    "iteration-limit",
  ],
  ["goes on one turn before that", { maxIterations: toCountUse(2) }, { maxIterations: 3 }, undefined],
  ["ends after as many calls as it may make", { maxToolCalls: toCountUse(3) }, { maxToolCalls: 3 }, "tool-call-limit"],
  ["goes on one call before that", { maxToolCalls: toCountUse(2) }, { maxToolCalls: 3 }, undefined],
  [
    "ends when its time is over, whatever else is over too",
    { maxExecutionTime: toTimeUse(true), maxToolCalls: toCountUse(9) },
    { maxToolCalls: 3 },
    "time-limit",
  ],
])("a run %s", (_, progress, limits, reason) => {
  expect(findReachedLimit({ ...begun, ...progress }, { ...defaultLimits, ...limits })).toBe(reason);
});

const limits: Limits = { ...defaultLimits, minResultLength: 20, stopWhenSufficient: true };

function observed(text: string, ok = true): Observation {
  const call = { id: "1", name: "lookup", argumentsText: "{}", arguments: {} };
  return {
    call,
    result: { ok, text },
    text,
    images: [],
    ran: true,
    isRepeated: false,
    isOverLimit: false,
    isNews: true,
  };
}

const rich = observed("A result that is long enough.");

test("a run whose calls are used up ends there, as a limit only if a call was refused", () => {
  const used = { ...begun, maxToolCalls: toCountUse(3) };
  const most = { ...limits, maxToolCalls: 3 };
  const refused = { ...observed("not run", false), ran: false, isOverLimit: true };
  expect(evaluate(used, { observations: [rich], isCircle: false }, most).reason).toBe("calls-used");
  expect(evaluate(used, { observations: [rich, refused], isCircle: false }, most).reason).toBe("tool-call-limit");
});

test.each<[string, Observation[], boolean, string]>([
  ["calls that only repeat what is known end it", [rich], true, "repetition"],
  ["it goes on after calls that all failed", [observed("no", false)], false, "tool-failed"],
  ["it goes on after results that are all thin", [observed("a"), observed("no", false)], false, "result-thin"],
  ["one result that is long enough is sufficient", [rich, observed("a")], false, "sufficient"],
])("of a round of calls: %s", (_, observations, isCircle, reason) => {
  expect(evaluate(begun, { observations, isCircle }, limits).reason).toBe(reason);
});

test.each([
  ["calls-used", 1, "The only allowed tool call is used; "],
  ["calls-used", 5, "All 5 tool calls are used; "],
  ["tool-call-limit", 1, "The limit of 1 tool call is reached; "],
  ["tool-call-limit", 5, "The limit of 5 tool calls is reached; "],
] as const)(
  "the verdict %s with a limit of %i is explained in a sentence that fits the number",
  (reason, maxToolCalls, said) => {
    const options = { limits: { ...defaultLimits, maxToolCalls }, locale: "en", results: "some" } as const;
    expect(explainVerdict({ verdict: "answer", reason }, options)).toContain(said);
  },
);
