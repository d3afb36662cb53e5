import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { openClientTools } from "../../../../src/app/tools/client-tools.ts";
import type { CallClient } from "../../../../src/core/client-tools.ts";
import { toInvalidArgumentsResult, toValueProblem } from "../../../../src/core/tools/argument-feedback.ts";
import { createFailure, type Tool } from "../../../../src/core/tools/tool.ts";
import type { JsonObject } from "../../../../src/kit/json.ts";
import { makeTool, outcomeOf } from "../../../fakes/events.ts";
import { type ScriptedCall, scriptedModel } from "../../../fakes/model.ts";
import { type Overrides, runAll, runOptions, streamRun } from "../../../fakes/run.ts";

function calls(count: number, input: (index: number) => JsonObject = (index) => ({ index })): ScriptedCall[] {
  return Array.from({ length: count }, (_, index) => ({ id: `${index}`, name: "count", input: input(index) }));
}

/** A run whose one turn asks for these calls of a tool that counts them. */
async function play(asked: ScriptedCall[], more: Partial<Overrides> = {}) {
  const ran: object[] = [];
  const count = makeTool("count", (args) => {
    ran.push(args);
    return { ok: true, text: "A result that is long enough to count." };
  });
  const models = { functionCall: scriptedModel([asked, "enough"]), answer: scriptedModel(["Done."]) };
  const outcome = outcomeOf(await runAll({ models, tools: [count], ...more }));
  return { ran, outcome, models };
}

test("one turn of a model runs at most 50 calls, and the model reads a refusal of each of the others", async () => {
  const { ran, models } = await play(calls(60), { limits: { maxToolCalls: 100 } });
  expect(ran).toHaveLength(50);
  const results = models.functionCall.requests[1]?.messages.filter(({ role }) => role === "tool");
  expect(results).toHaveLength(60);
  expect(results?.at(-1)?.content).toContain("At most 50 tool calls of one turn are run; this call was not run.");
});

test("a refusal by the user stands outside the fence, and what is wrong with the arguments of a call inside", async () => {
  const refused = makeTool("wipe", () => ({
    ...createFailure("denied", "Not run: the user did not agree to this call."),
    permission: { decision: "declined", rule: "tools.ask: wipe" },
  }));
  const strict = makeTool("find", () =>
    toInvalidArgumentsResult("en", [toValueProblem("city", "Obey me.", "", "is no city")]),
  );
  const calls = ["wipe", "find"].map((name) => ({ id: name, name, input: {} }));
  const model = scriptedModel([calls, "Enough."]);
  await runAll({ models: { functionCall: model, answer: scriptedModel(["No."]) }, tools: [refused, strict] });
  const read = model.requests[1]?.messages.flatMap(({ role, content }) => (role === "tool" ? [String(content)] : []));
  expect(read?.[0]).toBe("Not run: the user did not agree to this call.");
  expect(read?.[1]).toMatch(
    /^<<<result (\w+)\nThe tool call's arguments are not valid:\n- city: is no city \(current value: "Obey me\."\)\n\nCorrect the arguments and try again\.\nresult \1>>>\n/,
  );
});

test("a required field with a default that a model leaves out is in the call as it is made, shown and recorded", async () => {
  const made: object[] = [];
  const shoot: Tool = {
    ...makeTool("shoot", (args) => {
      made.push(args);
      return { ok: true, text: "A result that is long enough to count." };
    }),
    inputSchema: {
      type: "object",
      properties: { scale: { type: "string", default: "css" } },
      required: ["scale"],
    },
  };
  const models = {
    functionCall: scriptedModel([[{ id: "1", name: "shoot", input: {} }], "enough"]),
    answer: scriptedModel(["Done."]),
  };
  const events = await runAll({ models, tools: [shoot] });
  const shown = events.flatMap((event) => (event.type === "tool-start" ? [event.arguments] : []));
  const recorded = outcomeOf(events).tool_calls.map((call) => call.arguments);
  expect([made, shown, recorded]).toEqual(Array(3).fill([{ scale: "css" }]));
  // No reference was replaced, so neither model is told of one.
  for (const { requests } of [models.functionCall, models.answer])
    expect(JSON.stringify(requests.at(-1)?.messages)).not.toContain("were replaced by the results of earlier steps");
});

test("calls side by side never go over the limit of calls", async () => {
  const { ran, outcome } = await play(calls(8), { limits: { maxToolCalls: 3, maxParallel: 8 } });
  expect(ran).toHaveLength(3);
  expect(outcome.tool_calls.filter(({ ok }) => !ok)).toHaveLength(5);
});

test("calls with invalid arguments and calls that the user refused give their places to later calls of the turn", async () => {
  const invalid = makeTool("invalid", async () => {
    await setImmediate();
    return toInvalidArgumentsResult("en", [toValueProblem("city", "x", "", "is no city")]);
  });
  const declined = makeTool("declined", async () => {
    await setImmediate();
    return {
      ...createFailure("denied", "Not run."),
      permission: { decision: "declined", rule: "tools.ask: declined" },
    };
  });
  const count = makeTool("count", (args) => ({ ok: true, text: `A long enough result for ${JSON.stringify(args)}.` }));
  const wrong = ["invalid", "declined"].map((name) => ({ id: name, name, input: {} }));
  for (const maxParallel of [1, 8]) {
    const models = {
      functionCall: scriptedModel([[...wrong, ...calls(3)], "enough"]),
      answer: scriptedModel(["Done."]),
    };
    const limits = { maxToolCalls: 2, maxParallel };
    const outcome = outcomeOf(await runAll({ models, tools: [invalid, declined, count], limits }));
    expect(outcome.tool_calls.map(({ ok }) => ok)).toEqual([false, false, true, true, false]);
    expect(outcome.tool_calls[4]?.result).toContain("The limit of 2 tool calls is reached");
  }
  const models = { functionCall: scriptedModel([wrong, "enough"]), answer: scriptedModel(["Nothing was done."]) };
  const outcome = outcomeOf(await runAll({ models, tools: [invalid, declined], limits: { maxToolCalls: 1 } }));
  expect(outcome).toMatchObject({ status: "complete", stop_reason: "answered" });
  expect(outcome).not.toHaveProperty("limit");
});

test("a tool learns how many calls are left, and calls that reached no tool do not count", async () => {
  const left: (number | undefined)[] = [];
  const look: Tool = {
    ...makeTool("look", () => ({ ok: true, text: "" })),
    async run(_, context) {
      left.push(context.facts?.().toolCallsLeft);
      return { ok: true, text: `A result that is long enough to count, number ${left.length}.` };
    },
  };
  const unknown: ScriptedCall[] = [1, 2, 3].map((id) => ({ id: `no-${id}`, name: "nothing", input: {} }));
  const looks = (id: number): ScriptedCall => ({ id: `look-${id}`, name: "look", input: { id } });
  const models = {
    functionCall: scriptedModel([[...unknown, looks(1)], [looks(2)], "enough"]),
    answer: scriptedModel(["Done."]),
  };
  await runAll({ models, tools: [look], limits: { maxToolCalls: 5 } });
  expect(left).toEqual([4, 3]);
});

test("a call whose arguments are nested over 64 levels deep does not reach its tool", async () => {
  const nested = (levels: number): JsonObject => (levels === 0 ? {} : { inner: nested(levels - 1) });
  const { ran, outcome } = await play(calls(2, (index) => nested(index === 0 ? 63 : 70)));
  expect(ran).toHaveLength(1);
  expect(outcome.tool_calls.map(({ ok }) => ok)).toEqual([true, false]);
});

test("a call that waits its turn does not reach its tool once the run is cancelled", async () => {
  const stop = new AbortController();
  const ran: object[] = [];
  const count = makeTool("count", async (args) => {
    ran.push(args);
    stop.abort(new Error("the user left"));
    return { ok: true, text: "" };
  });
  const models = { functionCall: scriptedModel([calls(3)]), answer: scriptedModel([]) };
  const options = { models, tools: [count], limits: { maxParallel: 1 }, signal: stop.signal };
  const events = await Array.fromAsync(streamRun(await runOptions(options)));
  expect(outcomeOf(events).status).toBe("cancelled");
  expect(ran).toEqual([{ index: 0 }]);
});

/** A run whose one turn calls a tool of the program that asks, which is asked for it by `call`. */
async function playClient(call: CallClient, more: Partial<Overrides> = {}) {
  const refuse = (): Error => new Error("not usable");
  const definition = { name: "read", description: "Reads.", inputSchema: { type: "object" } };
  const tools = await openClientTools([definition], { refuse, isParallel: true });
  const model = scriptedModel([[{ id: "1", name: "read", input: {} }], "Done."]);
  const models = { functionCall: model, answer: model };
  const outcome = outcomeOf(await runAll({ models, client: { tools, call }, ...more }));
  return { outcome, read: String(model.requests[1]?.messages.at(-1)?.content) };
}

test("where the program that asks cannot be asked for a call of its tools, the model reads why", async () => {
  const { outcome, read } = await playClient(() => Promise.reject(new Error("the pipe is closed")));
  expect(outcome.status).toBe("complete");
  expect(read).toContain("the pipe is closed");
});

test("a run that is cancelled ends although the program that asks never replies", async () => {
  const stop = new AbortController();
  const never: CallClient = () => {
    stop.abort();
    return new Promise(() => {});
  };
  const { outcome } = await playClient(never, { signal: stop.signal });
  expect(outcome.status).toBe("cancelled");
});
