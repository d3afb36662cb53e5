// Fault group P (docs/development/faults-models.md#p-loops-budgets-chains-of-agents): loops and budgets. A case's number stands
// first in its title.
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { toCanonicalJson } from "../../src/agent/loop/calls/repetition.ts";
import type { Model } from "../../src/core/model/model.ts";
import { createDuet } from "../../src/index.ts";
import type { JsonValue } from "../../src/kit/json.ts";
import { makeTool, noticesOf, outcomeOf, verdictsOf } from "../fakes/events.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../fakes/model.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { runAll } from "../fakes/run.ts";

const roomy = { maxIterations: 10, maxToolCalls: 50 };

function call(name: string, input: ScriptedCall["input"], id = "1"): ScriptedCall {
  return { id, name, input };
}

/** A model that decides for ever, each turn made by its number. */
function restless(turn: (index: number) => ScriptedTurn, turns = 40) {
  return scriptedModel(
    Array.from({ length: turns }, (_, index) => turn(index)),
    "restless",
  );
}

/** A tool that counts its calls. */
function counting(name: string, answer: (times: number) => string) {
  let times = 0;
  const tool = makeTool(name, () => ({ ok: true, text: answer(++times) }));
  return { tool, calls: () => times };
}

test("180: the same call with the same result is refused the third time, then the loop ends in an answer", async () => {
  const { tool, calls } = counting("look", () => "always the same long result");
  // The order of the keys makes no difference.
  const decide = restless((index) => [call("look", index % 2 ? { a: 1, b: 2 } : { b: 2, a: 1 })]);
  const answer = scriptedModel(["The best there is."], "strong");
  const events = await runAll({ models: { functionCall: decide, answer }, tools: [tool], limits: roomy });
  expect(calls()).toBe(2);
  expect(decide.requests).toHaveLength(4);
  const outcome = outcomeOf(events);
  expect(outcome).toMatchObject({ success: true, status: "partial", stop_reason: "repetition" });
  expect(outcome.response).toBe("The best there is.");
  expect(outcome.tool_calls[2]?.result).toContain("was not run again");
  expect(decide.requests[3]?.messages.at(-1)?.content).toContain("was not run again");
  expect(verdictsOf(events).at(-1)).toBe("answer repetition");
  expect(noticesOf(events)).toContain("repetition");
  expect(answer.requests[0]?.messages.at(-1)?.content).toContain("say what is still missing");
});

test("180: parallel calls in another order are the same calls", async () => {
  const left = counting("left", () => "left, always the same");
  const right = counting("right", () => "right, always the same");
  const both = [call("left", {}, "1"), call("right", {}, "2")];
  const decide = restless((index) => (index % 2 ? both : both.toReversed()));
  const models = { functionCall: decide, answer: scriptedModel(["Done."]) };
  const events = await runAll({ models, tools: [left.tool, right.tool], limits: roomy });
  expect([left.calls(), right.calls()]).toEqual([2, 2]);
  expect(outcomeOf(events).stop_reason).toBe("repetition");
});

test("180: polling goes on while the result changes, and where the configuration allows it", async () => {
  const job = counting("job_state", (times) => `the job is ${times * 10} % done`);
  const decide = scriptedModel([...Array.from({ length: 5 }, () => [call("job_state", { id: 7 })]), "enough"]);
  const models = { functionCall: decide, answer: scriptedModel(["60 %."]) };
  expect(outcomeOf(await runAll({ models, tools: [job.tool], limits: roomy })).status).toBe("complete");
  expect(job.calls()).toBe(5);

  const still = counting("job_state", () => "the job is still queued");
  const patient = scriptedModel([...Array.from({ length: 5 }, () => [call("job_state", { id: 7 })]), "enough"]);
  const limits = { ...roomy, repeatable: ["job_*"] };
  const events = await runAll({
    models: { functionCall: patient, answer: scriptedModel(["Queued."]) },
    tools: [still.tool],
    limits,
  });
  expect(outcomeOf(events).status).toBe("complete");
  expect(still.calls()).toBe(5);
});

test("180: paging with other arguments is no repetition", async () => {
  const page = makeTool("page", (args) => ({ ok: true, text: `a page of results ${JSON.stringify(args)}` }));
  const decide = scriptedModel([...[1, 2, 3, 4].map((number) => [call("page", { number })]), "enough"]);
  const models = { functionCall: decide, answer: scriptedModel(["All pages."]) };
  const outcome = outcomeOf(await runAll({ models, tools: [page], limits: roomy }));
  expect(outcome.status).toBe("complete");
  expect(outcome.tool_calls.every(({ ok }) => ok)).toBe(true);
});

test("180: the way a value is written makes no difference, the value does", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value: JsonValue = JSON.parse(text);
      expect(toCanonicalJson(reversed(value))).toBe(toCanonicalJson(value));
    }),
  );
  expect(toCanonicalJson([1, 2])).not.toBe(toCanonicalJson([2, 1]));
  expect(toCanonicalJson({ a: "1" })).not.toBe(toCanonicalJson({ a: 1 }));
});

test("181: ping-pong between two calls ends as one call repeated does", async () => {
  const ping = counting("ping", () => "pong, as ever and ever");
  const pong = counting("pong", () => "ping, as ever and ever");
  const decide = restless((index) => [call(index % 2 ? "pong" : "ping", {})]);
  const models = { functionCall: decide, answer: scriptedModel(["Enough."]) };
  const outcome = outcomeOf(await runAll({ models, tools: [ping.tool, pong.tool], limits: roomy }));
  expect(outcome.stop_reason).toBe("repetition");
  expect([ping.calls(), pong.calls()]).toEqual([2, 2]);
});

test("181: a counter in the arguments meets the hard caps", async () => {
  const step = counting("step", (times) => `step ${times} is done, call again`);
  const decide = restless((index) => [call("step", { counter: index })]);
  const models = { functionCall: decide, answer: scriptedModel(["Stopped."]) };
  const outcome = outcomeOf(
    await runAll({ models, tools: [step.tool], limits: { maxIterations: 7, maxToolCalls: 50 } }),
  );
  expect(outcome).toMatchObject({ status: "partial", stop_reason: "iteration_limit" });
  expect(step.calls()).toBe(7);
});

test("182: tools that ask for ever more never push tokens or money over the limit by more than a turn", async () => {
  const price = 0.001;
  for (const limits of [{ tokenBudget: 200 }, { costBudget: 10 * price }]) {
    const refine = counting("refine", (times) => `refine again at stage 1, round ${times}`);
    const decide = priced(
      restless((index) => ({ calls: [call("refine", { index })], tokens: 10 })),
      price,
    );
    const answer = priced(scriptedModel([{ text: "As far as it went.", tokens: 10 }], "strong"), price);
    const events = await runAll({
      models: { functionCall: decide, answer },
      tools: [refine.tool],
      limits: { ...roomy, maxIterations: 40, ...limits },
    });
    const { stop_reason, meta, response } = outcomeOf(events);
    expect(response).toBe("As far as it went.");
    if (limits.tokenBudget) {
      expect(stop_reason).toBe("token_limit");
      expect(meta.total_tokens).toBeLessThanOrEqual(limits.tokenBudget + 20);
    } else {
      expect(stop_reason).toBe("cost_limit");
      expect(meta.cost_usd).toBeLessThanOrEqual(11 * price);
    }
  }
});

test("186: after the budget is used no more is paid for but the answer", async () => {
  const decide = restless((index) => ({ calls: [call("look", { index })], tokens: 100 }));
  const answer = scriptedModel([{ text: "From one look.", tokens: 5 }]);
  const { tool, calls } = counting("look", () => "what there is to be seen");
  const events = await runAll({
    models: { functionCall: decide, answer },
    tools: [tool],
    limits: { ...roomy, tokenBudget: 150 },
  });
  expect(outcomeOf(events)).toMatchObject({
    status: "partial",
    stop_reason: "token_limit",
    response: "From one look.",
  });
  expect([decide.requests.length, calls(), answer.requests.length]).toEqual([1, 1, 1]);
});

test("188: calls beyond the limit of one run are refused, and only those that ran count", async () => {
  const { tool, calls } = counting("look", (times) => `result number ${times} of many`);
  const many = Array.from({ length: 9 }, (_, index) => call("look", { index }, String(index)));
  const decide = scriptedModel([[call("look", "{broken"), call("nothing_like_it", {}, "2")], many]);
  const models = { functionCall: decide, answer: scriptedModel(["Five looks."]) };
  const outcome = outcomeOf(await runAll({ models, tools: [tool], limits: { maxToolCalls: 5 } }));
  expect(calls()).toBe(5);
  expect(outcome.stop_reason).toBe("tool_call_limit");
  expect(outcome.tool_calls.filter(({ ok }) => ok)).toHaveLength(5);
});

test("189: a tool that needs longer than the run has ends with the run's time, and the answer still comes", async () => {
  let aborted = false;
  const slow = makeTool(
    "slow",
    (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          aborted = true;
          resolve({ ok: true, text: "too late" });
        });
      }),
  );
  const decide = scriptedModel([[call("slow", {})]]);
  const models = { functionCall: decide, answer: scriptedModel(["Without it."]) };
  const outcome = outcomeOf(await runAll({ models, tools: [slow], limits: { maxExecutionTimeMs: 400 } }));
  expect(aborted).toBe(true);
  expect(outcome).toMatchObject({ status: "partial", stop_reason: "time_limit", response: "Without it." });
  expect(decide.requests).toHaveLength(1);
});

function priced<T extends Model>(model: T, dollars: number): T {
  return { ...model, cost: () => dollars };
}

/** The same value with the keys of every object the other way round. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, inner]) => [key, reversed(inner)]));
}

test("167: arguments nested thousands deep are refused as any others that cannot be read", async () => {
  const deep = `${'{"a":'.repeat(3000)}1${"}".repeat(3000)}`;
  const { tool, calls } = counting("look", () => "what there is to be seen");
  const decide = scriptedModel([[{ id: "1", name: "look", input: JSON.parse(deep) }], "enough"]);
  const models = { functionCall: decide, answer: scriptedModel(["Seen."]) };
  const events = await runAll({ models, tools: [tool], limits: roomy });
  expect(calls()).toBe(0);
  expect(outcomeOf(events)).toMatchObject({ status: "complete", response: "Seen." });
});

test("187: ten errors of a vendor are met with four tries at most, and what failed costs nothing", async () => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  provider.script("cheap", ...Array.from({ length: 10 }, () => ({ status: 500, body: "{}" })));
  vi.stubEnv("LOOP_KEY", "sk-test-openai-0001");
  onTestFinished(() => void vi.unstubAllEnvs());
  const duet = await createDuet({
    models: { functionCall: { provider: "local", model: "cheap" } },
    config: { providers: { local: { wire: "openai-chat", baseUrl: provider.openaiUrl, apiKeyEnv: "LOOP_KEY" } } },
  });
  onTestFinished(() => duet.close());
  const outcome = await duet.ask("Hello?");
  expect(outcome).toMatchObject({ status: "failed", error: { code: "server" } });
  expect(provider.journal.length).toBeLessThanOrEqual(4);
  expect(outcome.meta).toMatchObject({ total_tokens: 0, cost_usd: null });
});
