import { expect, test } from "vitest";
import type { EvaluationFacts, Evaluator } from "../../../src/agent/loop/evaluator.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { makeTool, noticesOf, outcomeOf, verdictsOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";

const look = makeTool("look", () => ({ ok: true, text: "There is a lot to be seen here." }));

function ask(evaluator: Evaluator, limits = {}) {
  const decide = scriptedModel([
    [{ id: "1", name: "look", input: { at: "here" } }],
    [{ id: "2", name: "look", input: { at: "there" } }],
    "Enough.",
  ]);
  const models = { functionCall: decide, answer: scriptedModel(["Seen."]) };
  return runAll({ models, tools: [look], evaluator, limits });
}

test("an evaluator ends the tool calls, and its reason is shown", async () => {
  const events = await ask(() => ({ verdict: "answer", reason: "good enough for me" }));
  expect(verdictsOf(events)).toEqual(["answer custom"]);
  const message = events.flatMap((event) => (event.type === "evaluation" ? [event.message] : []))[0];
  expect(message).toBe("Good enough for me; switching to the answer.");
  expect(outcomeOf(events)).toMatchObject({ status: "complete", stop_reason: "answered" });
});

test("an evaluator goes on where the rules would have stopped, but never over a limit", async () => {
  const goOn: Evaluator = () => ({ verdict: "continue", reason: "more, please" });
  const events = await ask(goOn, { stopWhenSufficient: true });
  expect(verdictsOf(events)).toEqual(["continue custom", "continue custom", "answer model-decided"]);
  const limited = await ask(goOn, { maxToolCalls: 1 });
  expect(verdictsOf(limited)).toEqual(["answer calls-used"]);
});

test("an evaluator is told the question, the counts and the results", async () => {
  const seen: EvaluationFacts[] = [];
  await ask((facts) => {
    seen.push(facts);
    return undefined;
  });
  expect(seen[1]).toMatchObject({ question: "What is Duet?", iterations: 2, toolCalls: 2 });
  expect(seen[1]?.results).toEqual([
    { tool: "look", arguments: { at: "there" }, ok: true, text: "There is a lot to be seen here." },
  ]);
  expect(seen[1]?.allResults).toHaveLength(2);
});

test.each<[string, Evaluator, string]>([
  ["throws", () => Promise.reject(new Error("no idea")), "no idea"],
  // What a JavaScript module may give.
  ["answers with something else", () => JSON.parse('{"verdict":"maybe"}'), '"maybe"'],
])("when an evaluator %s, the rules decide and a notice says so", async (_, evaluator, reason) => {
  const events = await ask(evaluator);
  expect(verdictsOf(events)).toEqual(["continue model-decides", "continue model-decides", "answer model-decided"]);
  expect(noticesOf(events)).toEqual(["evaluator-failed", "evaluator-failed"]);
  expect(events.find((event) => event.type === "notice")?.message).toContain(reason);
  expect(outcomeOf(events).status).toBe("complete");
});

test("what an evaluator's error says in Chinese is told in Chinese", async () => {
  const error = new DuetError({ code: "tool", text: { zh: "评估超时", en: "too late" } });
  const models = {
    functionCall: scriptedModel([[{ id: "1", name: "look", input: {} }], "Enough."]),
    answer: scriptedModel(["Seen."]),
  };
  const events = await runAll({ models, tools: [look], evaluator: () => Promise.reject(error), locale: "zh" });
  expect(events.find((event) => event.type === "notice")?.message).toBe("自定义评估出错，改用内置规则：评估超时");
});
