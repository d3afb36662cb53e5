import { expect, test } from "vitest";
import { settleInterrupted } from "../../../src/app/conversations/settle-interrupted.ts";
import type { RunHeader } from "../../../src/core/store/journal.ts";
import { defaultLimits } from "../../fakes/run.ts";
import { finishedRun } from "../../store/runs.ts";
import { openStore, storeFile } from "../../store/stores.ts";

const header: RunHeader = {
  entrance: "http",
  question: "What did I ask?",
  mode: "agent",
  traceId: "0",
  marker: "abcd1234",
  locale: "zh",
  language: "zh",
  limits: { ...defaultLimits },
  planPolicy: { unattended: "run", onFailure: "replan", retries: 1 },
  models: { functionCall: "fake/one", answer: "fake/two" },
  turns: 0,
  sources: 0,
  asks: [],
};

test("an interrupted run is settled for its owner alone, once, and never while its process lives", async () => {
  const file = await storeFile();
  const first = await openStore(file);
  await first.journal.begin({ runId: "run-a", owner: "anna", conversationId: "conv-a", header });
  const second = await openStore(file);
  const settle = (owner: string | undefined) =>
    settleInterrupted(second.journal, second.of(owner), { conversationId: "conv-a", owner });
  await settle("anna");
  expect((await second.of("anna").load("conv-a"))?.turns).toEqual([]);
  await first.close();
  await settle(undefined);
  await settle("bert");
  expect((await second.of("anna").load("conv-a"))?.turns).toEqual([]);
  await settle("anna");
  await settle("anna");
  expect(await second.of("anna").load("conv-a")).toMatchObject({
    marker: "abcd1234",
    turns: [{ question: "What did I ask?", answer: "（程序意外结束，这次运行没有得到回答。）", status: "interrupted" }],
  });
  expect(await second.journal.listInterrupted()).toEqual([]);
});

test.each([
  ["The height is 330 m [1], the length 999 m [3].", /^The height is 330 m \[1\], the length 999 m\.\n/],
  ["The width is 777 m [1].", /^The width is 777 m \[2\]\.\n/],
  ["Sources\n- [1] A", /^参考文献\n\n- \[1\] A https:\/\/example\.com\/a\n/],
])("an interrupted run keeps its answer with the citations that were shown: %j", async (content, kept) => {
  const file = await storeFile();
  const first = await openStore(file);
  const { sources } = await first.of("anna").create("conv-a", { isGiven: true });
  const toSource = (name: string) => ({ title: name.toUpperCase(), url: `https://example.com/${name}`, snippet: "" });
  await sources.number([toSource("a"), toSource("b")]);
  const journal = await first.journal.begin({ runId: "run-a", owner: "anna", conversationId: "conv-a", header });
  const usage = { input: 1, output: 1, reasoning: 0, cached: 0 };
  const toTurn = (content: string, toolCalls: object[], finish: string) => {
    const turn = { message: { role: "assistant", content, toolCalls }, finish, usage };
    return { usage, costs: [0.5], elapsedMs: 1, model: { provider: "fake", model: "two" }, turn };
  };
  const look = (id: string) => ({ id, name: "look", argumentsText: "{}", arguments: {} });
  const toPage = (n: number, text: string) => {
    const result = { ok: true, text, kind: "page" };
    return {
      result,
      read: `[${n}] T\nhttps://example.com\n\n${text}`,
      sources: { numbers: [n], kind: "page" },
      elapsedMs: 1,
    };
  };
  const steps: [string, unknown][] = [
    ["turn:decide:1", toTurn("", [look("1"), look("2")], "tool-calls")],
    ["call:1", toPage(1, "It is 330 m high.")],
    ["call:2", toPage(2, "It is 777 m wide.")],
    ["turn:answer:1", toTurn(content, [], "stop")],
  ];
  for (const [name, data] of steps) await journal.add({ name, spentMs: 1, data });
  await first.close();
  const second = await openStore(file);
  await settleInterrupted(second.journal, second.of("anna"), { conversationId: "conv-a", owner: "anna" });
  const [settled] = (await second.of("anna").load("conv-a"))?.turns ?? [];
  expect(settled?.answer).toMatch(kept);
});

test("an interrupted run keeps what a person said to it, and its summary is billed as one", async () => {
  const file = await storeFile();
  const first = await openStore(file);
  const journal = await first.journal.begin({ runId: "run-a", owner: "anna", conversationId: "conv-a", header });
  const usage = { inputTokens: 3, outputTokens: 1, reasoningTokens: 0, cachedTokens: 0 };
  const model = { provider: "fake", model: "one" };
  const toTurn = (content: string, toolCalls: object[]) => {
    const message = { role: "assistant", content, toolCalls };
    const turn = { message, finish: toolCalls.length > 0 ? "tool-calls" : "stop", usage };
    return { usage, costs: [0.5], elapsedMs: 1, model, turn };
  };
  const look = { id: "1", name: "look", argumentsText: "{}", arguments: {} };
  const found = { ok: true, text: "found", note: "says the hook" };
  const [read, unread] = [
    { id: "a", text: "in French" },
    { id: "b", text: "and briefly" },
  ];
  const steps: [string, unknown][] = [
    ["turn:compress:1", toTurn("A summary.", [])],
    ["turn:decide:1", toTurn("", [look])],
    ["message:a", read],
    ["call:1", { call: look, result: found, elapsedMs: 1 }],
    ["messages:1", [read]],
    ["message:b", unread],
  ];
  for (const [name, data] of steps) await journal.add({ name, spentMs: 1, data });
  await first.close();
  const second = await openStore(file);
  const store = second.of("anna");
  await settleInterrupted(second.journal, store, { conversationId: "conv-a", owner: "anna" });
  const [turn] = (await store.load("conv-a"))?.turns ?? [];
  expect(turn?.question).toBe("What did I ask?\n\nand briefly");
  expect(turn?.steps?.[0]?.messages).toEqual([{ role: "user", content: "in French" }]);
  expect(JSON.stringify(turn?.steps?.[0]?.results)).toContain("says the hook");
  expect(await store.trace("run-a")).toMatchObject({
    models: { function_call: { calls: 1 }, compact: { calls: 1, cost_usd: 0.5 } },
  });
});

test("an interrupted edit stands on a branch of its own, where it was asked", async () => {
  const file = await storeFile();
  const first = await openStore(file);
  for (const question of ["One?", "Two?"]) await first.append(finishedRun("conv-a", question, "Yes."));
  await first.journal.begin({
    runId: "run-a",
    owner: undefined,
    conversationId: "conv-a",
    header: { ...header, after: 1 },
  });
  await first.close();
  const second = await openStore(file);
  await settleInterrupted(second.journal, second, { conversationId: "conv-a", owner: undefined });
  const asked = async (branch: number) => (await second.load("conv-a", branch))?.turns.map(({ question }) => question);
  expect([await asked(1), await asked(2)]).toEqual([
    ["One?", "Two?"],
    ["One?", "What did I ask?"],
  ]);
});
