import { describe, expect, test } from "vitest";
import type { AnswerForm } from "../../../src/core/answer-form.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { createSuccess } from "../../../src/tools/create-tool.ts";
import { jsonObjectForm, openAnswerForm } from "../../../src/tools/schema/answer-form.ts";
import { makeTool, noticesOf, outcomeOf, textOf } from "../../fakes/events.ts";
import { type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { type Overrides, runAll } from "../../fakes/run.ts";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, celsius: { type: "number" }, note: { type: "string" } },
  required: ["city", "celsius"],
};

function form(): AnswerForm {
  const opened = openAnswerForm(schema);
  if ("problem" in opened) throw new Error(opened.problem.en);
  return opened.form;
}

const search = makeTool("web_search", () => ({
  ...createSuccess("Paris has 21 degrees. It is the capital of France."),
  sources: [{ title: "Weather", url: "https://example.com/w", snippet: "21 degrees in Paris" }],
}));

interface Asked extends Omit<Overrides, "models"> {
  decide?: ScriptedTurn[];
  answers: ScriptedTurn[];
  /** One model plays both roles, and takes `decide` and `answers` one after the other. */
  alone?: boolean;
}

async function ask({ decide = [], answers, alone = false, ...more }: Asked) {
  const answer = scriptedModel(alone ? [...decide, ...answers] : answers, "strong");
  const functionCall = alone ? answer : scriptedModel(decide, "cheap");
  const events = await runAll({ tools: [search], answerForm: form(), ...more, models: { functionCall, answer } });
  return { events, outcome: outcomeOf(events), text: textOf(events, "answer-delta"), answer };
}

const call: ScriptedTurn = [{ id: "c1", name: "web_search", input: { query: "weather Paris" } }];
const valid = '{"city":"Paris","celsius":21}';
const output = { city: "Paris", celsius: 21 };
const plan = JSON.stringify({
  steps: [{ step: 1, description: "Search", tool: "web_search", parameters: { query: "weather" } }],
});

test.each<[string, Asked]>([
  ["two models", { decide: [call, "done"], answers: [valid] }],
  ["one model", { decide: [call, "It is 21 degrees."], answers: [valid], alone: true }],
  ["plan mode", { mode: "plan", decide: [plan], answers: [valid] }],
  ["chat mode", { mode: "chat", answers: [valid] }],
])("the answer is the object that was asked for, with %s", async (_, asked) => {
  const { outcome, text, answer } = await ask(asked);
  expect(outcome).toMatchObject({ status: "complete", response: valid, output, citations: [], error: null });
  expect(text).toBe(valid);
  const request = answer.requests.at(-1);
  expect(request).toMatchObject({ tools: [], responseFormat: { type: "json_schema", name: "answer", schema } });
  expect(request?.messages.at(-1)?.content).toContain("Answer with one JSON object");
});

test("fields that the model filled with null for want of a value are left out, and a code fence is no fault", async () => {
  const { outcome } = await ask({ mode: "chat", answers: ['```json\n{"city":"Paris","celsius":21,"note":null}\n```'] });
  expect(outcome).toMatchObject({ response: valid, output });
});

test("an answer that does not fit is corrected once: the model reads what is wrong, and the reader sees the corrected one alone", async () => {
  const { events, outcome, text, answer } = await ask({ mode: "chat", answers: ['{"city":7}', valid] });
  expect(text).toBe(valid);
  expect(outcome).toMatchObject({ status: "complete", output, meta: { models: { answer: { calls: 2 } } } });
  const [said, problems] = answer.requests[1]?.messages.slice(-2) ?? [];
  expect(said).toMatchObject({ role: "assistant", content: '{"city":7}' });
  expect(problems?.content).toMatch(/celsius: this field is required[\s\S]*city: must be a string/);
  expect(noticesOf(events)).toContain("output-corrected");
  // The trace shows what was refused.
  expect(events).toContainEqual({ type: "thought-delta", text: '{"city":7}' });
});

describe("a run without such an answer fails, shows nothing else, and says why", () => {
  test.each<[string, ScriptedTurn[], string]>([
    ["after one correction", ["no", '{"city":"Paris"}'], "celsius: this field is required"],
    ["when the output limit cuts it", [{ text: '{"city":', finish: "length" }], "reached the output limit"],
  ])("%s", async (_, answers, why) => {
    const { outcome, text, answer } = await ask({ decide: [call, "done"], answers });
    expect(outcome).toMatchObject({ status: "failed", response: "", error: { code: "invalid_output" } });
    expect(outcome.error?.message).toContain(why);
    // Chat mode asks for the same form.
    expect(outcome.error?.hint).not.toContain("Chat mode");
    expect(outcome).not.toHaveProperty("output");
    expect(text).toBe("");
    expect(answer.requests).toHaveLength(answers.length);
  });

  test("when the model refuses, in whose words the error says it", async () => {
    const answers: ScriptedTurn[] = [{ finish: "refused", refusal: "Not\nthis." }];
    const { outcome } = await ask({ mode: "chat", answers });
    expect(outcome).toMatchObject({
      stop_reason: "refused",
      error: { code: "content_filter", message: "The model refused to answer: Not this." },
    });
  });

  test("when no model can write it, although there are results", async () => {
    const error = new DuetError({ code: "quota", text: { zh: "没有余额", en: "no credit" } });
    const { outcome, text } = await ask({ decide: [call, "done", { error }], answers: [{ error }] });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "quota" } });
    expect(text).toBe("");
  });
});

test("any JSON object will do where no schema is given", async () => {
  const { outcome, answer } = await ask({ mode: "chat", answers: ["[1]", '{"a":[1]}'], answerForm: jsonObjectForm });
  expect(outcome).toMatchObject({ output: { a: [1] } });
  expect(answer.requests[0]).toMatchObject({ responseFormat: { type: "json_object" } });
});

test("the model that fails at once is replaced by the other one, in the same form", async () => {
  const error = new DuetError({ code: "server", text: { zh: "坏了", en: "broken" } });
  const { outcome } = await ask({ decide: [call, "done", valid], answers: [{ error }] });
  expect(outcome).toMatchObject({ output, response: valid });
});

describe("options of the calls", () => {
  test("stop texts go to the turn that writes the answer, which a single model then writes apart", async () => {
    const asked = { decide: [call, "I know."], answers: ["It is 21"], alone: true, answerForm: undefined };
    const { outcome, answer } = await ask({ ...asked, stop: ["."] });
    expect(answer.requests.map(({ stop }) => stop)).toEqual([undefined, undefined, ["."]]);
    expect(outcome).toMatchObject({ status: "complete", response: "It is 21" });
  });

  test("a call is forced in the first round only, and with none there are no tools", async () => {
    const first = await ask({
      decide: [call, "done"],
      answers: ["a"],
      alone: true,
      answerForm: undefined,
      toolChoice: "required",
    });
    expect(first.answer.requests.map(({ toolChoice }) => toolChoice)).toEqual(["required", undefined]);
    const none = await ask({ answers: ["It may be warm."], alone: true, answerForm: undefined, toolChoice: "none" });
    expect(none.answer.requests[0]?.tools).toEqual([]);
    const { outcome, answer } = await ask({ answers: [], toolChoice: { tool: "no_such" } });
    expect(outcome.error?.message).toBe('toolChoice: there is no tool "no_such" (allowed: web_search)');
    expect(answer.requests).toEqual([]);
  });
});
