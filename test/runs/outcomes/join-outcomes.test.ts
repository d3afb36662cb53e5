import { expect, test } from "vitest";
import { renderPlainResults } from "../../../src/agent/answer/plain-results.ts";
import { renderReferences } from "../../../src/agent/citations/citations.ts";
import type { Citation, Outcome } from "../../../src/core/run/outcome.ts";
import { joinOutcomes } from "../../../src/runs/outcomes/join-outcomes.ts";

const [rome, bari] = [toCitation(1, "Rome"), toCitation(2, "Bari")];

function toCitation(n: number, title: string): Citation {
  return { n, title, url: `https://weather.example/${title}` };
}

const bill = {
  ...{ provider: "fake", model: "scripted", calls: 1, input_tokens: 8, output_tokens: 2, reasoning_tokens: 0 },
  ...{ cached_tokens: 0, elapsed_ms: 1, cost_usd: null },
};
const outcome: Outcome = {
  ...{ success: true, status: "complete", stop_reason: "answered", response: "" },
  ...{ conversation_id: "c", run_id: "r", trace_id: "t", tool_calls: [], citations: [], error: null },
  meta: {
    ...{ total_tokens: 20, tool_calls_count: 0, latency_ms: 2, iterations: 1, mode: "agent", cost_usd: null },
    models: { function_call: bill, answer: bill },
  },
};

function answer(text: string, citations: Citation[], more: Partial<Outcome> = {}): Outcome {
  return { ...outcome, response: text + renderReferences(citations, "en"), citations, ...more };
}

test("a page that both runs cite stands once in the one list, and what only looks like a citation stays", () => {
  const first = answer("Rome [1] is warm.", [rome]);
  const second = answer("Bari [2] is as warm as Rome [1]; $x \\in [1]$, list[2], [2](https://a.example).", [
    rome,
    bari,
  ]);
  const { response, citations } = joinOutcomes(first, second);
  expect(citations).toEqual([rome, bari]);
  expect(response).toBe(
    [
      "Rome [1] is warm.",
      "Bari [2] is as warm as Rome [1]; $x \\in [1]$, list[2], [2](https://a.example).",
      "References",
      "- [1] Rome https://weather.example/Rome\n- [2] Bari https://weather.example/Bari",
    ].join("\n\n"),
  );
});

test("a second run that is still going shows the answer of the first, and one that failed leaves it partial", () => {
  const first = answer("Rome [1] is warm.", [rome]);
  const running = answer("", [], { status: "running", success: false });
  expect(joinOutcomes(first, running)).toMatchObject({ status: "running", response: first.response });
  const error = { code: "network", message: "gone", hint: null } as const;
  const failed = answer("", [], { status: "failed", success: false, error });
  expect(joinOutcomes(first, failed)).toMatchObject({
    status: "partial",
    success: true,
    response: first.response,
    error,
  });
});

test("only a second run whose plan was declined leaves the first as it was; one behind which no other could begin has its answer", () => {
  const first = answer("Rome [1] is warm.", [rome], { status: "partial", stop_reason: "tool_call_limit" });
  const notices = [{ level: "warning", code: "not-gone-on", message: "Did not go on: too many runs." } as const];
  const declined = answer("The plan was cancelled.", [], { status: "cancelled", notices });
  expect(joinOutcomes(first, declined)).toMatchObject({ status: "partial", response: first.response, notices });
  const limited = answer("Bari [2], too.", [bari], { status: "partial", stop_reason: "time_limit", notices });
  expect(joinOutcomes(first, limited)).toMatchObject({
    stop_reason: "time_limit",
    response: expect.stringContaining("Bari [2], too."),
    citations: [rome, bari],
    notices,
  });
});

test("an answer in a form is that of the second run, which has none before its end", () => {
  const first: Outcome = { ...outcome, response: '{"a":1}', output: { a: 1 } };
  const running: Outcome = { ...outcome, response: "", status: "running" };
  expect(joinOutcomes(first, running)).not.toHaveProperty("output");
  const ended: Outcome = { ...outcome, response: '{"a":2}', output: { a: 2 } };
  expect(joinOutcomes(first, ended)).toMatchObject({ response: '{"a":2}', output: { a: 2 } });
  const failed: Outcome = { ...outcome, response: "", status: "failed" };
  expect(joinOutcomes(first, failed)).toMatchObject({ response: '{"a":1}', output: { a: 1 }, status: "partial" });
});

test("a role for which another model has taken over in both runs names that model in the bill of both", () => {
  const fallback = { ...bill, model: "fallback" };
  const answerBill = { ...bill, by_model: [fallback] };
  const run: Outcome = { ...outcome, meta: { ...outcome.meta, models: { function_call: bill, answer: answerBill } } };
  const { models } = joinOutcomes(run, run).meta;
  expect(models.answer).toMatchObject({ calls: 2, by_model: [{ model: "fallback", calls: 2, input_tokens: 16 }] });
  expect(models.function_call).not.toHaveProperty("by_model");
});

test("the results that stand in for an answer are left out once a later run has written it, and stay until then", () => {
  const standIn = (text: string): string => renderPlainResults([], "en") + text;
  const first = answer(standIn("\n\n```\nread {}\n12 °C\n```"), []);
  const second = answer(standIn(""), []);
  expect(joinOutcomes(first, answer("", [], { status: "running" })).response).toBe(first.response);
  const both = joinOutcomes(joinOutcomes(answer("Rome [1] is warm.", [rome]), first), second);
  expect(both.response).toContain("Rome [1] is warm.\n\nNo model could write the answer.");
  expect(joinOutcomes(both, answer("Bari is, too.", []))).toMatchObject({
    response: expect.stringMatching(/^Rome \[1\] is warm\.\n\nBari is, too\.\n\nReferences/),
  });
});
