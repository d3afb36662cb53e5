import { describe, expect, test } from "vitest";
import { toPlainText } from "../../../src/core/model/message-content.ts";
import type { Tool, ToolResult } from "../../../src/core/tools/tool.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { createBuiltinTools } from "../../../src/tools/builtin/builtin-tools.ts";
import { makeTool, noticesOf, outcomeOf, textOf, verdictsOf } from "../../fakes/events.ts";
import { scriptedModel, withoutDay } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";
import { callsOf, lastAsked, planners, plansOf, statesOf, written } from "./planning.ts";

const tools = createBuiltinTools({ roots: ["."], locale: "en", search: undefined });
const add = { description: "Add", tool: "calculator", parameters: { expression: "2+3" } };
const sayIt = { description: "Say it", tool: "echo", parameters: { text: "So: {{step_1}}" } };

describe("a plan", () => {
  test("is made in one turn, carried out in order and summed up by the answer model, and each change of a state is told", async () => {
    const models = planners([written(add, sayIt, { description: "Judge" })], "It is 5.");
    const events = await runAll({ mode: "plan", models, tools });
    expect(statesOf(events)).toEqual([
      "pending pending pending",
      "running pending pending",
      "done pending pending",
      "done running pending",
      "done done pending",
      "done done done",
    ]);
    expect(plansOf(events)[0]?.[1]).toEqual({ step: 2, ...sayIt, state: "pending" });
    expect(callsOf(events)).toEqual(['1 calculator {"expression":"2+3"}', '2 echo {"text":"So: 2+3 = 5"}']);
    expect(verdictsOf(events)).toEqual(["answer plan-done"]);
    expect(events.flatMap((event) => (event.type === "phase-start" ? [`${event.phase} ${event.model}`] : []))).toEqual([
      "plan fake/cheap",
      "answer fake/strong",
    ]);
    expect(outcomeOf(events)).toMatchObject({
      status: "complete",
      stop_reason: "answered",
      response: "It is 5.",
      meta: { mode: "plan", iterations: 1, tool_calls_count: 2 },
    });
    expect(lastAsked(models.answer, 0)).toContain("So: 2+3 = 5");
  });

  test("is asked for with the conversation, the question and the tools, fenced, and no tool to call", async () => {
    const models = planners([written(add)]);
    await runAll({ mode: "plan", models, tools, question: "What is 2+3?" });
    const [request] = models.functionCall.requests;
    expect(request?.tools).toEqual([]);
    const asked = request?.messages.at(-1);
    expect([asked?.role, withoutDay(toPlainText(asked?.content ?? "", "en"))]).toEqual(["user", "What is 2+3?"]);
    const prompt = toPlainText(request?.messages[0]?.content ?? "", "en");
    const offer = /<<<result (\w+)\n([\s\S]*?)\nresult \1>>>/.exec(prompt)?.[2] ?? "";
    expect(offer.split("\n").map((line): unknown => JSON.parse(line))).toEqual(
      tools.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema })),
    );
  });

  test("with one model is summed up by that model, in a phase of its own", async () => {
    const model = scriptedModel([written(add), "It is 5."]);
    const events = await runAll({ mode: "plan", models: { functionCall: model, answer: model }, tools });
    expect(outcomeOf(events)).toMatchObject({ status: "complete", response: "It is 5." });
    expect(outcomeOf(events).meta.models).toMatchObject({ function_call: { calls: 1 }, answer: { calls: 1 } });
  });

  test("without steps is answered directly", async () => {
    const models = planners(['{"steps":[]}'], "Hello.");
    const events = await runAll({ mode: "plan", models, tools });
    expect(plansOf(events)).toEqual([]);
    expect(verdictsOf(events)).toEqual(["answer model-decided"]);
    expect(outcomeOf(events)).toMatchObject({ status: "complete", response: "Hello." });
  });

  test("is not asked for where there are no tools", async () => {
    const models = planners([], "Hello.");
    expect(outcomeOf(await runAll({ mode: "plan", models }))).toMatchObject({ response: "Hello." });
    expect(models.functionCall.requests).toEqual([]);
  });

  test("whose text is running JSON is never shown as a thought or an answer", async () => {
    const events = await runAll({ mode: "plan", models: planners([written(add)], "5"), tools });
    expect(textOf(events, "thought-delta")).toBe("");
    expect(textOf(events, "answer-delta")).toBe("5");
  });
});

describe("a plan that cannot be used", () => {
  test("is handed back with what is wrong, and the corrected one is carried out", async () => {
    const models = planners([written({ ...add, tool: "calc" }), "Sorry:", written(add)]);
    const events = await runAll({ mode: "plan", models, tools });
    expect(lastAsked(models.functionCall, 1)).toContain("step 1: there is no tool named calc");
    expect(lastAsked(models.functionCall, 2)).toContain("the reply is not JSON");
    expect(models.functionCall.requests[2]?.messages.map(({ role }) => role).slice(-5)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(statesOf(events)).toEqual(["pending", "running", "done"]);
    expect(outcomeOf(events)).toMatchObject({ status: "complete", meta: { iterations: 3 } });
  });

  test("for the third time gives way to deciding step by step, with a notice", async () => {
    const call = [{ id: "1", name: "calculator", input: { expression: "2+3" } }];
    const models = planners(["a", "b", "c", call, "enough"]);
    const events = await runAll({ mode: "plan", models, tools, limits: { maxIterations: 10 } });
    expect(noticesOf(events)).toEqual(["plan-unusable"]);
    expect(outcomeOf(events).notices).toMatchObject([{ code: "plan-unusable" }]);
    expect(callsOf(events)).toEqual(['1 calculator {"expression":"2+3"}']);
    expect(statesOf(events)).toEqual(["pending", "running", "done"]);
    expect(verdictsOf(events)).toEqual(["continue result-thin", "answer model-decided"]);
    expect(outcomeOf(events)).toMatchObject({ status: "complete", response: "Done." });
  });

  test("because it was cut off is told so", async () => {
    const models = planners([{ text: written(add), finish: "length" }, written(add)]);
    const events = await runAll({ mode: "plan", models, tools });
    expect(lastAsked(models.functionCall, 1)).toContain("give a shorter plan");
    expect(outcomeOf(events).status).toBe("complete");
  });

  test("because it has more steps than calls are allowed is handed back", async () => {
    const models = planners([written(add, add, add), written(add)]);
    await runAll({ mode: "plan", models, tools, limits: { maxToolCalls: 2 } });
    expect(lastAsked(models.functionCall, 1)).toContain("3 times (allowed: at most 2)");
  });

  test("is shortened, and the steps that it has lost are shown and handed to the answer model", async () => {
    const lost = { tool: "echo", description: "Name the best month", parameters: { text: "best" } };
    const models = planners([written(add, add, lost), written(add, add)]);
    const events = await runAll({ mode: "plan", models, tools, limits: { maxToolCalls: 2 } });
    expect(
      plansOf(events)
        .at(-1)
        ?.map(({ step, state, reason }) => [step, state, reason]),
    ).toEqual([
      [1, "done", undefined],
      [2, "done", undefined],
      [3, "skipped", "dropped"],
    ]);
    expect(lastAsked(models.answer, 0)).toContain(
      "Steps that were left out of the plan to keep within its limit (other steps may cover them):\n\n- Name the best month (echo)",
    );
    expect(outcomeOf(events).status).toBe("complete");
  });

  test("that is shortened loses a step whose values were open too, although another has the same call", async () => {
    const open = (month: string) => ({ tool: "echo", description: month, parameters: { text: "?" } });
    const filled = [{ id: "a", name: "echo", input: { text: "a" } }];
    const models = planners([written(open("May"), open("June")), written(open("May")), filled]);
    const events = await runAll({ mode: "plan", models, tools, limits: { maxToolCalls: 1 } });
    expect(
      plansOf(events)
        .at(-1)
        ?.map(({ description, state }) => `${description} ${state}`),
    ).toEqual(["May done", "June skipped"]);
  });

  test("is told how many steps may use a tool before it is written", async () => {
    const models = planners([written(add)]);
    await runAll({ mode: "plan", models, tools, limits: { maxToolCalls: 7, maxIterations: 3 } });
    expect(models.functionCall.requests[0]?.messages[0]?.content).toContain("at most 7 steps use a tool");
  });

  test("is corrected no more often than the iterations allow, and the answer is partial", async () => {
    const models = planners(["a"], "I could not look it up.");
    const events = await runAll({ mode: "plan", models, tools, limits: { maxIterations: 1 } });
    expect(outcomeOf(events)).toMatchObject({ status: "partial", stop_reason: "iteration_limit" });
    expect(noticesOf(events)).toEqual(["iteration-limit"]);
  });

  test("because the model refuses ends in an answer that says so", async () => {
    const models = planners([{ text: "No.", finish: "refused" }], "I will not.");
    expect(outcomeOf(await runAll({ mode: "plan", models, tools }))).toMatchObject({
      status: "partial",
      stop_reason: "refused",
    });
  });

  test("because the model fails ends the run with the model's error", async () => {
    const models = planners([{ error: failing("overloaded") }]);
    expect(outcomeOf(await runAll({ mode: "plan", models, tools }))).toMatchObject({
      status: "failed",
      error: { code: "overloaded" },
    });
  });
});

describe("parameters", () => {
  const people = makeTool("people", () => ({ ok: true, text: '{"people":[{"name":"Ada","age":36}]}' }));
  const lookUp = { tool: "people" };

  test("take fields of an earlier result, as the values that they are", async () => {
    const mean = { tool: "calculator", parameters: { numbers: ["{{step_1.people.0.age}}", 40], operations: ["mean"] } };
    const models = planners([written(lookUp, mean)]);
    const events = await runAll({ mode: "plan", models, tools: [...tools, people] });
    expect(callsOf(events)[1]).toBe('2 calculator {"numbers":[36,40],"operations":["mean"]}');
    expect(models.functionCall.requests).toHaveLength(1);
  });

  test("that must be text take a result that looks like a number as text", async () => {
    const count = makeTool("count", () => ({ ok: true, text: "42" }));
    const models = planners([written({ tool: "count" }, { tool: "echo", parameters: { text: "{{step_1}}" } })]);
    const events = await runAll({ mode: "plan", models, tools: [...tools, count] });
    expect(callsOf(events)[1]).toBe('2 echo {"text":"42"}');
  });

  test.each([
    ["a question mark", "?"],
    ["a field that the result does not have", "{{step_1.city}}"],
    ["a result of another type", "{{step_1}}"],
  ])("that cannot be filled from a reference alone are filled in by the model: %s", async (_, value) => {
    const step = { tool: "calculator", parameters: { numbers: value, operations: ["mean"] } };
    const filled = [{ id: "a", name: "calculator", input: { numbers: [36], operations: ["max"] } }];
    const models = planners([written(lookUp, step), { text: "The age is 36.", calls: filled }]);
    const events = await runAll({ mode: "plan", models, tools: [...tools, people] });

    const [, request] = models.functionCall.requests;
    expect(request?.tools.map(({ name }) => name)).toEqual(["calculator"]);
    // Nothing is said of searching where there is no search.
    expect(request?.messages[0]?.content).not.toContain("Search");
    expect(lastAsked(models.functionCall, 1)).toContain('{"people":[{"name":"Ada","age":36}]}');
    // What the plan gives in full stays as it was planned.
    expect(callsOf(events)[1]).toBe('2 calculator {"numbers":[36],"operations":["mean"]}');
    expect(textOf(events, "thought-delta")).toBe("The age is 36.");
    expect(outcomeOf(events)).toMatchObject({ status: "complete", meta: { iterations: 2 } });
  });

  test("whose names hold a dot or a bracket are filled in like any other", async () => {
    const step = { tool: "find", parameters: { "filter.name": "?", "page[size]": "?", "sort.by": "age" } };
    const input = { "filter.name": "Ada", "page[size]": 5, "sort.by": "name" };
    const models = planners([written(step), [{ id: "a", name: "find", input }]]);
    const events = await runAll({ mode: "plan", models, tools: [makeTool("find", () => ({ ok: true, text: "Ada" }))] });
    expect(callsOf(events)).toEqual(['1 find {"filter.name":"Ada","page[size]":5,"sort.by":"age"}']);
  });

  test("that a step needs several times over are filled in by as many calls in one turn", async () => {
    const step = { tool: "calculator", parameters: { numbers: "?", operations: ["sum"] } };
    const echo = { tool: "echo", parameters: { text: "{{step_1}}" } };
    const calls = [
      [1, 2],
      [3, 4],
      [5, 6],
    ].map((numbers, index) => ({
      id: `${index}`,
      name: "calculator",
      input: { numbers, operations: ["sum"] },
    }));
    const models = planners([written(step, echo), calls]);
    const events = await runAll({ mode: "plan", models, tools });
    const asked = lastAsked(models.functionCall, 1);
    expect(asked).toContain("call calculator as often as this step needs, in this one turn and at most 5 times");
    // What the model has to do is no data.
    expect(asked).toContain("\nParameters without a value yet: numbers\nTake");
    expect(callsOf(events).slice(0, 3)).toEqual([
      '1 calculator {"numbers":[1,2],"operations":["sum"]}',
      '1 calculator {"numbers":[3,4],"operations":["sum"]}',
      '1 calculator {"numbers":[5,6],"operations":["sum"]}',
    ]);
    expect(statesOf(events).at(-1)).toBe("done done");
    for (const sum of ["3", "7", "11"]) expect(callsOf(events)[3]).toContain(sum);
  });

  test("that a reference does not find are named with it", async () => {
    const json = makeTool("list", () => ({ ok: true, text: '{"items":[{"name":"a"}]}' }));
    const step = { tool: "echo", parameters: { text: "{{step_1.items.9.name}}" } };
    const models = planners([
      written({ tool: "list", parameters: {} }, step),
      [{ id: "e", name: "echo", input: { text: "none" } }],
    ]);
    await runAll({ mode: "plan", models, tools: [json, ...tools] });
    expect(lastAsked(models.functionCall, 1)).toContain(
      "\nParameters without a value yet: text (the results have no {{step_1.items.9.name}})\n",
    );
  });

  test("that the model does not fill in either fail the step", async () => {
    const step = { tool: "echo", parameters: { text: "?" } };
    const models = planners([written(step), "Which text?", "Tell me."], "I lack the text.");
    const events = await runAll({ mode: "plan", models, tools, planPolicy: policy({ onFailure: "skip" }) });
    expect(lastAsked(models.functionCall, 2)).toContain("Which text?");
    expect(statesOf(events).at(-1)).toBe("failed");
    expect(outcomeOf(events)).toMatchObject({ status: "partial", stop_reason: "error", response: "I lack the text." });
  });

  test("that only the tool itself can judge are corrected by the model", async () => {
    const planned = { tool: "calculator", parameters: { operations: ["mean"] } };
    const corrected = [{ id: "a", name: "calculator", input: { numbers: [4], operations: ["mean"] } }];
    const models = planners([written(planned), corrected]);
    const events = await runAll({ mode: "plan", models, tools });
    expect(lastAsked(models.functionCall, 1)).toContain("numbers: this field is required");
    expect(callsOf(events)).toHaveLength(2);
    expect(outcomeOf(events).status).toBe("complete");
  });
});

describe("a step that fails", () => {
  test("is tried again, and the plan goes on when that helps", async () => {
    const { tool, calls } = flaky(1);
    const models = planners([written({ tool: "flaky" }, sayIt)]);
    const events = await runAll({ mode: "plan", models, tools: [...tools, tool], planPolicy: policy({ retries: 1 }) });
    expect(calls()).toBe(2);
    expect(statesOf(events)).toEqual([
      "pending pending",
      "running pending",
      "done pending",
      "done running",
      "done done",
    ]);
    expect(outcomeOf(events).status).toBe("complete");
  });

  test("with the same words each time is tried as often as the policy says", async () => {
    const { tool, calls } = flaky(9);
    const models = planners([written({ tool: "flaky" })]);
    const planPolicy = policy({ retries: 3, onFailure: "stop" });
    await runAll({ mode: "plan", models, tools: [tool], planPolicy });
    expect(calls()).toBe(4);
  });

  test.each<[string, FlakyOptions]>([
    ["its failure is final", { error: "auth" }],
    ["it may have done its harm already", { annotations: { destructive: true } }],
    ["it was lost, and nobody says that it may be made twice", { error: "timeout", annotations: {} }],
    ["its server ended meanwhile, and nobody says that it may be made twice", { error: "server", annotations: {} }],
    [
      "it was lost, and what says that it may be made twice was not approved",
      { error: "timeout", annotations: { readOnly: true, idempotent: true }, canRepeat: false },
    ],
    [
      "it may have done its harm already, and what says that it may be made twice was not approved",
      { annotations: { destructive: true, idempotent: true }, canRepeat: false },
    ],
  ])("is not tried again when %s", async (_, options) => {
    const { tool, calls } = flaky(9, options);
    const models = planners([written({ tool: "flaky" })]);
    await runAll({ mode: "plan", models, tools: [tool], planPolicy: policy({ retries: 3, onFailure: "stop" }) });
    expect(calls()).toBe(1);
  });

  test.each<[string, FlakyOptions]>([
    ["was lost", { error: "timeout", canRepeat: true }],
    ["may have done harm", { annotations: { destructive: true }, canRepeat: true }],
  ])("that %s is tried again where the tool may be called twice", async (_, options) => {
    const { tool, calls } = flaky(1, options);
    const models = planners([written({ tool: "flaky" })]);
    await runAll({ mode: "plan", models, tools: [tool], planPolicy: policy({ retries: 1, onFailure: "stop" }) });
    expect(calls()).toBe(2);
  });

  test("is skipped with all that depends on it, and the answer model reads what is missing", async () => {
    const { tool } = flaky(9);
    const models = planners([
      written(
        { tool: "flaky", description: "Ask the moon" },
        { ...sayIt, description: "Say what it said" },
        { tool: "echo", description: "Say that again", parameters: { text: "{{step_2}}" } },
        add,
      ),
    ]);
    const planPolicy = policy({ onFailure: "skip" });
    const events = await runAll({ mode: "plan", models, tools: [...tools, tool], planPolicy });
    expect(statesOf(events).at(-1)).toBe("failed skipped skipped done");
    expect(verdictsOf(events)).toEqual(["continue tool-failed", "answer plan-failed"]);
    const asked = lastAsked(models.answer, 0);
    expect(asked).toContain("2+3 = 5");
    expect(asked).toContain("1. Ask the moon (flaky): failed (the moon is away)");
    expect(asked).toContain("3. Say that again (echo): not run, no result");
    expect(outcomeOf(events)).toMatchObject({ status: "partial", stop_reason: "error", success: true });
  });

  test("with a page of words says the first of them on its line", async () => {
    const message = `no\n${"x".repeat(50_000)}`;
    const wordy = makeTool("wordy", () => ({ ok: false, text: message, error: { code: "auth", message } }));
    const models = planners([written({ tool: "wordy" }), '{"steps":[]}']);
    await runAll({ mode: "plan", models, tools: [wordy] });
    const line =
      lastAsked(models.functionCall, 1)
        .split("\n")
        .find((one) => one.startsWith("1. Use wordy")) ?? "";
    expect(line).toContain("failed (no xxx");
    expect(line.length).toBeLessThan(700);
  });

  test("ends the plan where the policy says so", async () => {
    const { tool } = flaky(9);
    const models = planners([written(add, { tool: "flaky" }, add)]);
    const events = await runAll({
      mode: "plan",
      models,
      tools: [...tools, tool],
      planPolicy: policy({ onFailure: "stop" }),
    });
    expect(statesOf(events).at(-1)).toBe("done failed skipped");
    expect(verdictsOf(events)).toEqual(["answer plan-failed"]);
    expect(outcomeOf(events).status).toBe("partial");
  });

  test("has the rest planned anew from the results so far, and the answer is complete when that works", async () => {
    const { tool } = flaky(9);
    const models = planners([
      written(add, { tool: "flaky", description: "Ask the moon" }, sayIt),
      written({ ...sayIt, step: 3 }),
    ]);
    const events = await runAll({ mode: "plan", models, tools: [...tools, tool] });
    const asked = lastAsked(models.functionCall, 1);
    expect(asked).toContain("2. Ask the moon (flaky): failed (the moon is away)");
    expect(asked).toContain("2+3 = 5");
    expect(asked).toContain("numbered from 3 on");
    expect(statesOf(events).slice(-3)).toEqual(["done failed pending", "done failed running", "done failed done"]);
    expect(callsOf(events).at(-1)).toBe('3 echo {"text":"So: 2+3 = 5"}');
    expect(outcomeOf(events)).toMatchObject({ status: "complete", stop_reason: "answered" });
  });

  test("has the rest planned anew twice at most; after that it is gone on without", async () => {
    const { tool, calls } = flaky(99);
    const again = (step: number) => written({ tool: "flaky", step }, { ...add, step: step + 1 });
    const models = planners([again(1), again(2), again(3)]);
    const limits = { maxIterations: 10, maxToolCalls: 10 };
    const planPolicy = policy({ retries: 0 });
    const events = await runAll({ mode: "plan", models, tools: [...tools, tool], limits, planPolicy });
    expect(calls()).toBe(3);
    expect(statesOf(events).at(-1)).toBe("failed failed failed done");
    expect(outcomeOf(events).status).toBe("partial");
  });

  test.each([
    ["the model knows no other way", ['{"steps":[]}'], []],
    ["no new plan can be used", ["a", "b", "c"], ["plan-unusable"]],
  ])("lets the rest go on as it was when %s", async (_, replies, notices) => {
    const { tool } = flaky(9);
    const models = planners([written({ tool: "flaky" }, add), ...replies]);
    const events = await runAll({ mode: "plan", models, tools: [...tools, tool] });
    expect(statesOf(events).at(-1)).toBe("failed done");
    expect(noticesOf(events)).toEqual(notices);
    expect(outcomeOf(events).status).toBe("partial");
  });

  test("and a model that fails too leave an answer from what there is", async () => {
    const { tool } = flaky(9);
    const models = planners([written(add, { tool: "flaky" }), { error: failing("server") }], "It is 5, I think.");
    const events = await runAll({ mode: "plan", models, tools: [...tools, tool] });
    expect(outcomeOf(events)).toMatchObject({
      status: "partial",
      response: "It is 5, I think.",
      error: { code: "server" },
    });
    expect(noticesOf(events)).toEqual(["decide-failed"]);
  });
});

interface FlakyOptions {
  error?: "auth" | "timeout" | "server";
  annotations?: Tool["annotations"];
  canRepeat?: boolean;
}

/** Creates a tool that fails this many times before it works. */
function flaky(times: number, { error, annotations = { destructive: false }, canRepeat }: FlakyOptions = {}) {
  let calls = 0;
  const run = (): ToolResult => {
    calls++;
    if (calls > times) return { ok: true, text: "the moon is full" };
    const message = "the moon is away";
    return { ok: false, text: message, error: { code: error ?? "tool", message } };
  };
  const tool: Tool = { ...makeTool("flaky", run), annotations, canRepeat: () => canRepeat === true };
  return { tool, calls: () => calls };
}

function policy(more: object) {
  return { unattended: "run", onFailure: "replan", retries: 0, ...more } as const;
}

function failing(code: "overloaded" | "server"): DuetError {
  return new DuetError({ code, text: { zh: code, en: code } });
}
