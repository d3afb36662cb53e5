import { expect, test } from "vitest";
import { set } from "../../../../src/cli/chat/commands/settings.ts";
import { countCells } from "../../../../src/cli/terminal/text/width.ts";
import { startCpuClock } from "../../../fakes/cpu-time.ts";
import { scriptedModel } from "../../../fakes/model.ts";
import { openTestChat } from "./test-chat.ts";

const deepseek = { provider: "deepseek", model: "deepseek-chat" };
const one = { settings: { models: { functionCall: deepseek } } };
const two = { settings: { models: { functionCall: deepseek, answer: { provider: "anthropic", temperature: 0.5 } } } };

test("/set changes a parameter of both roles, says from what to what, and keeps the conversation", async () => {
  const chat = await openTestChat(one);
  expect(await chat.type("/set temperature 0.3")).toEqual(["temperature: 0.7 → 0.3"]);
  expect(await chat.type("/set max_tokens=500")).toEqual(["max_tokens: 2000 → 500"]);
  chat.settings.locale = "zh";
  expect(await chat.type("/set top-p .9")).toEqual(["top_p：未设置 → 0.9"]);
  const changed = { temperature: 0.3, maxTokens: 500, topP: 0.9 };
  expect(await chat.duet.models.getParameters(chat.settings.models)).toEqual({
    functionCall: changed,
    answer: changed,
  });
  expect(await chat.type("/set temperature default")).toEqual(["temperature：0.3 → 0.7"]);
});

test("/set lists in columns that line up, whatever the width of their characters", async () => {
  const chat = await openTestChat(one);
  chat.settings.locale = "zh";
  const lines = await chat.type("/set");
  expect(lines.some((line) => line.includes("未设置"))).toBe(true);
  const starts = lines.map((line) => /^ {2}\S+ +\S.*? {2,}(?=\S)/.exec(line)?.[0] ?? "");
  expect(new Set(starts.map(countCells)).size).toBe(1);
});

test("with two models a parameter may be that of one", async () => {
  const chat = await openTestChat(two);
  expect(await chat.type("/set temperature")).toHaveLength(1);
  expect(await chat.type("/set answer.temperature 1")).toEqual(["answer.temperature: 0.5 → 1"]);
  expect(await chat.type("/set function_call.temperature 0")).toEqual(["function_call.temperature: 0.7 → 0"]);
  expect(await chat.type("/set temperature 0.2")).toEqual(["temperature: 0 / 1 → 0.2"]);
});

test("what can be set is known at each key that is typed without the whole schema of the configuration", async () => {
  const chat = await openTestChat(one);
  const cpuTime = startCpuClock();
  for (let key = 0; key < 100; key++) expect(await set.complete?.(chat, "")).toHaveLength(14);
  expect(cpuTime()).toBeLessThan(2000);
});

const refused: [typed: string, line: string][] = [
  ["/set temperature 2", "temperature: 2 is not allowed (allowed: a number, 0 <= temperature < 2)"],
  ["/set temperature hot", "temperature: hot is not allowed (allowed: 0 <= temperature < 2 (Anthropic: <= 1))"],
  ["/set top_p 0", "top_p: 0 is not allowed (allowed: a number, 0 < top_p <= 1)"],
  ["/set max_tokens -5", "max_tokens: -5 is not allowed (allowed: an integer of at least 1)"],
  ["/set max_tokens 1.5", "max_tokens: 1.5 is not allowed (allowed: an integer of at least 1)"],
  ["/set max_iterations 1001", "max_iterations: 1001 is not allowed (allowed: an integer from 1 to 1000)"],
  ["/set max_tool_calls many", "max_tool_calls: many is not allowed (allowed: an integer from 1 to 10000)"],
  ["/set max_execution_time 5", "max_execution_time: 5 is not allowed (allowed: an integer from 10 to 86400)"],
  ["/set cost_budget 0", "cost_budget: 0 is not allowed (allowed: a number, 0 < cost_budget <= 10000)"],
  ["/set token_budget 0.5", "token_budget: 0.5 is not allowed (allowed: an integer of at least 1)"],
  ["/set temprature 1", "/set temprature: unknown key; did you mean temperature?"],
  ["/set function_call.temperature 0", "function_call.temperature: there is only one model, which also answers"],
];

test("what cannot be is refused in one line with the value and what is allowed, and nothing changes", async () => {
  const chat = await openTestChat(one);
  for (const [typed, line] of refused) expect(await chat.type(typed)).toEqual([expect.stringContaining(line)]);
  expect([chat.settings.models, chat.settings.limits]).toEqual([{}, {}]);
});

test("what one of two models does not take is taken of neither", async () => {
  const chat = await openTestChat(two);
  expect((await chat.type("/set temperature 1.5")).join()).toContain(
    "answer.temperature: 1.5 is not allowed (allowed: a number, 0 <= temperature <= 1)",
  );
  expect(chat.settings.models).toEqual({});
});

test("a model without parameters has none to set", async () => {
  const chat = await openTestChat();
  expect(await chat.type("/set temperature 0.3")).toEqual([
    expect.stringContaining("offline/rules has no parameters to set"),
  ]);
});

test("/set changes limits of the runs from then on", async () => {
  const turns = Array.from({ length: 3 }, (_, at) => [{ id: String(at), name: "echo", input: { text: String(at) } }]);
  const chat = await openTestChat({
    parts: { models: { functionCall: scriptedModel([...turns, "Enough."]), alone: true } },
  });
  expect(await chat.type("/set max_iterations 3")).toEqual(["max_iterations: 5 → 3"]);
  expect(await chat.type("/set max_execution_time 120")).toEqual(["max_execution_time: 60 → 120"]);
  expect(await chat.type("/set cost_budget 0.5")).toEqual(["cost_budget: none → 0.5"]);
  expect(chat.settings.limits).toEqual({ maxIterations: 3, maxExecutionTimeMs: 120_000, costBudget: 0.5 });
  const { limits } = chat.settings;
  const events = await Array.fromAsync(chat.duet.ask({ question: "Echo", limits }));
  expect(events.at(-1)).toMatchObject({ outcome: { stop_reason: "iteration_limit", meta: { iterations: 3 } } });
});

test("a bare /set shows everything with its value and what it may be", async () => {
  const chat = await openTestChat(two);
  const lines = await chat.type("/set");
  expect(lines.map((line) => line.trim().split(/\s{2,}/))).toEqual(
    expect.arrayContaining([
      ["temperature", "0.7 / 0.5", "0 <= temperature < 2 (Anthropic: <= 1)"],
      ["answer.max_tokens", "2000", "an integer of at least 1"],
      ["top_p", "not set", "0 < top_p <= 1"],
      ["max_iterations", "5", "an integer from 1 to 1000"],
      ["max_execution_time", "60", "an integer from 10 to 86400 (seconds)"],
      ["cost_budget", "none", "a number, 0 < cost_budget <= 10000 (US dollars)"],
    ]),
  );
  expect((await set.complete?.(chat, ""))?.map(({ text }) => text)).toContain("function_call.top_p");
});
