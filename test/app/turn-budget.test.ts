import { resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withTurnBudget, withTurnBudgets } from "../../src/app/models/with-turn-budget.ts";
import { createSample } from "../../src/app/open-duet.ts";
import { createRedactedModel } from "../../src/app/secrets/redacted-model.ts";
import { type ModelEvent, noUsage, replaceStream, type Usage } from "../../src/core/model/model.ts";
import type { AsideBill, TurnBudget } from "../../src/core/model/turn-budget.ts";
import type { Spend } from "../../src/core/store/daily-usage.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { createRedactor } from "../../src/kit/text/redact.ts";
import { createModel } from "../../src/providers/create-model.ts";
import { startHttpDuet } from "../fakes/http-duet.ts";
import { scriptedModel } from "../fakes/model.ts";
import { compileCache } from "../fakes/program.ts";
import { type FakeTurn, startFakeProvider } from "../fakes/provider.ts";
import { settings } from "../providers/reading.ts";

/** A budget that grants everything and notes what it is told. */
function openBudget() {
  const wanted: Spend[] = [];
  const settled: Spend[] = [];
  const budget: TurnBudget = {
    async reserve({ spend }) {
      wanted.push(spend);
      const settle = async (used: Spend) => void settled.push(used);
      return { id: "", settle, settleWith: settle };
    },
  };
  return { budget, wanted, settled };
}

const request = { messages: [{ role: "user" as const, content: "Hello?" }], tools: [] };
const cost = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }): number =>
  (inputTokens + 2 * outputTokens) / 1000;

test("a turn reserves its request and all the output it may write, and settles what it used, also when it fails", async () => {
  const error = new DuetError({ code: "server", text: { zh: "坏了", en: "broken" } });
  const spent = { inputTokens: 7, outputTokens: 3, reasoningTokens: 0, cachedTokens: 0 };
  const scripted = scriptedModel([{ text: "Yes.", tokens: 50 }, { error }, "Never read."]);
  const failing = {
    ...scripted,
    cost,
    maxTokens: 100,
    async stream(...call: Parameters<typeof scripted.stream>) {
      const [, onEvent] = call;
      if (scripted.requests.length === 1) onEvent({ type: "spent", usage: spent });
      return scripted.stream(...call);
    },
  };
  const { budget, wanted, settled } = openBudget();
  const model = withTurnBudget(failing, budget);
  await model.call(request, new AbortController().signal);
  await expect(model.call(request, new AbortController().signal)).rejects.toBe(error);
  expect(settled).toEqual([
    { tokens: 100, cost: 0.15 },
    { tokens: 10, cost: 0.013 },
  ]);
  const [{ tokens = 0 } = {}] = wanted;
  expect(tokens).toBeGreaterThan(100);
  expect(wanted[0]?.cost).toBeCloseTo((tokens - 100 + 200) / 1000);
  // Who ends a turn in the middle leaves one of which nobody knows what it has used.
  const refusal = new Error("enough");
  const refuse = (): never => {
    throw refusal;
  };
  await expect(model.stream(request, refuse, new AbortController().signal)).rejects.toBe(refusal);
  expect(settled[2]).toEqual(wanted[2]);
});

test("a turn also reserves what its limit allows for hidden reasoning", async () => {
  const { budget, wanted } = openBudget();
  const limited = { ...scriptedModel(["Yes.", "Yes."]), maxTokens: 100 };
  for (const model of [limited, { ...limited, outputAllowance: 1000 }])
    await withTurnBudget(model, budget).call(request, new AbortController().signal);
  const [plain, reasoning] = wanted;
  expect(reasoning?.tokens).toBe((plain?.tokens ?? 0) + 1000);
});

test("one model for both roles stays one, and without a limit it is the model itself", () => {
  const model = scriptedModel([]);
  const one = withTurnBudgets({ functionCall: model, answer: model }, openBudget().budget);
  expect(one.functionCall).toBe(one.answer);
  expect(withTurnBudgets({ functionCall: model, answer: model }, undefined).answer).toBe(model);
});

test("a model that is an instance of a class keeps its name, limits and price when its turns are limited and redacted", () => {
  const { stream, call } = scriptedModel([]);
  class OwnModel {
    get provider() {
      return "own";
    }
    get model() {
      return "m";
    }
    get contextWindow() {
      return 1000;
    }
    get maxTokens() {
      return 10;
    }
    stream = stream;
    call = call;
    cost(usage: Usage) {
      return cost(usage);
    }
    countTokens() {
      return this.maxTokens + 1;
    }
  }
  const redacted = createRedactedModel(new OwnModel(), createRedactor([{ name: "KEY", value: "sk-123456" }]));
  const model = withTurnBudget(redacted, openBudget().budget);
  expect(model).toMatchObject({ provider: "own", model: "m", contextWindow: 1000, maxTokens: 10 });
  expect(model.countTokens?.([])).toBe(11);
  expect(model.cost?.({ inputTokens: 1000, outputTokens: 0, reasoningTokens: 0, cachedTokens: 0 })).toBe(1);
});

test("what a text is goes on with the first of it that is shown, also where its beginning is held back as part of a secret", async () => {
  const model = replaceStream(scriptedModel([]), async (_, onEvent) => {
    onEvent({ type: "text-delta", text: "sk-1", phase: "commentary" });
    onEvent({ type: "text-delta", text: "000 " });
    onEvent({ type: "text-delta", text: "It rains.", phase: "final_answer" });
    return { message: { role: "assistant", content: "", toolCalls: [] }, finish: "stop", usage: noUsage };
  });
  const events: ModelEvent[] = [];
  const redacted = createRedactedModel(model, createRedactor([{ name: "KEY", value: "sk-123456" }]));
  await redacted.stream(request, (event) => void events.push(event), new AbortController().signal);
  expect(events).toEqual([
    { type: "text-delta", text: "sk-1000 ", phase: "commentary" },
    { type: "text-delta", text: "It rains.", phase: "final_answer" },
  ]);
});

test("a text for a server is reserved like a turn and billed, and not written where nothing is left", async () => {
  const { budget, settled } = openBudget();
  const bills: AsideBill[] = [];
  const sample = createSample(async () => ({ functionCall: { ...scriptedModel(["Blue."]), cost } }));
  const asked = {
    from: "quiz",
    system: undefined,
    messages: [{ role: "user" as const, text: "A colour?" }],
    maxTokens: 9,
  };
  const { signal } = new AbortController();
  await sample({ ...asked, billing: { budget, charge: (bill) => void bills.push(bill) } }, signal);
  expect(settled).toEqual([{ tokens: 20, cost: 0.03 }]);
  expect(bills).toMatchObject([{ usage: { inputTokens: 10, outputTokens: 10 }, costs: [0.03] }]);
  const none: TurnBudget = { reserve: async () => Promise.reject(new Error("nothing left")) };
  await expect(sample({ ...asked, billing: { budget: none, charge() {} } }, signal)).rejects.toThrow("nothing left");
});

test("what a server has written counts in the bill of the run and in the day of its caller", async () => {
  const messages = [{ role: "user", content: { type: "text", text: "A colour?" } }];
  const questions = { colour: { method: "sampling/createMessage", params: { messages, maxTokens: 10 } } };
  const quiz = {
    command: process.execPath,
    args: [resolve("test/fakes/mcp-questions.ts")],
    env: compileCache(),
    sampling: true,
  };
  const { origin } = await startHttpDuet({
    turns: [{ calls: [{ id: "1", name: "quiz__ask", input: { questions } }] }, { text: "Blue.", tokens: 100 }, "Done."],
    settings: { mcpServers: { quiz }, tools: { newTools: "allow" }, serve: { limits: { tokensPerDay: 235 } } },
  });
  const ask = (): Promise<Response> =>
    fetch(`${origin}/agent/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message: "Which colour?" }),
    });
  const outcome = await (await ask()).json();
  expect(outcome).toMatchObject({
    // Without the text, enough would be left for one more round.
    status: "partial",
    stop_reason: "token_limit",
    tool_calls: [{ tool: "quiz__ask", ok: true }],
    meta: { total_tokens: 240, models: { function_call: { calls: 2, input_tokens: 110 } } },
  });
  expect((await ask()).status).toBe(429);
});

test("a reservation is told for which run it is, so that whoever takes that over can end it", async () => {
  const seen: (string | undefined)[] = [];
  const { budget } = openBudget();
  const model = withTurnBudget(scriptedModel(["Yes.", "Yes."]), {
    reserve(turn) {
      seen.push(turn.runId);
      return budget.reserve(turn);
    },
  });
  const { signal } = new AbortController();
  await model.call({ ...request, run: { id: "run-1", leftMs: () => 1000 } }, signal);
  await model.call(request, signal);
  expect(seen).toEqual(["run-1", undefined]);
});

test("a fallback reserves its turns like the model that it stands in for", async () => {
  const { budget, wanted } = openBudget();
  const [first, spare] = [scriptedModel(["Yes."]), scriptedModel(["Yes."])];
  const { fallbacks, functionCall } = withTurnBudgets(
    { functionCall: first, answer: first, fallbacks: { functionCall: [spare], answer: [spare, first] } },
    budget,
  );
  expect(fallbacks?.functionCall[0]).toBe(fallbacks?.answer[0]);
  expect(fallbacks?.answer[1]).toBe(functionCall);
  await fallbacks?.answer[0]?.call(request, new AbortController().signal);
  expect([wanted.length, spare.requests.length]).toEqual([1, 1]);
});

test.each<[string, FakeTurn, Record<string, unknown>]>([
  [
    "a caller's limit of money holds for a vendor that does not count",
    { usage: null },
    { serve: { limits: { costPerDay: 0.001 } } },
  ],
  [
    "a caller's limit of money holds for answers that break off",
    { cut: "before-finish" },
    { serve: { limits: { costPerDay: 0.001 } } },
  ],
  [
    "a budget of money holds for a vendor that does not count",
    { usage: null },
    { agent: { budgets: { costPerDay: 0.001 } } },
  ],
])("%s", async (_, turn, limits) => {
  const provider = await startFakeProvider();
  onTestFinished(provider.close);
  provider.script("test-model", ...Array.from({ length: 9 }, () => ({ text: "word ".repeat(200), ...turn })));
  const price = { input: 1, output: 2 };
  const model = createModel(settings({ baseUrl: provider.openaiUrl, price }));
  const { origin } = await startHttpDuet({ models: { functionCall: model, answer: model }, settings: limits });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ message: "Really?", mode: "chat" });
  const answers: string[] = [];
  while (answers.length < 9 && !answers.at(-1)?.includes('"quota"')) {
    answers.push(await (await fetch(`${origin}/agent/chat`, { method: "POST", headers, body })).text());
  }
  expect(answers.at(-1)).toContain('"quota"');
  expect(answers.length).toBeLessThan(6);
  const usage = await (await fetch(`${origin}/agent/usage`)).json();
  expect(usage).toMatchObject({ cost_usd_today: { used: expect.closeTo(0.001, 3), limit: 0.001 } });
});
