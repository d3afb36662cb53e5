import { expect, test } from "vitest";
import { context, renderUse } from "../../../../src/cli/chat/commands/context.ts";
import { toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import { scriptedModel } from "../../../fakes/model.ts";
import { finishedRun } from "../../../store/runs.ts";
import { openTestChat } from "./test-chat.ts";

test("/context shows the parts of each model's window, and asks no model", async () => {
  const [one, two] = [scriptedModel([], "one"), scriptedModel([], "two")];
  const models = { functionCall: { ...one, contextWindow: 10_000 }, answer: two };
  const chat = await openTestChat({ mode: "agent", parts: { models } });
  Object.assign(chat, { folderInstructions: [{ file: "/x/AGENTS.md", text: "Use tabs. ".repeat(30) }] });
  const store = await chat.duet.store();
  const { id } = await store.create();
  const call = { id: "c1", name: "read_file", argumentsText: "{}", arguments: {} };
  const turn = {
    question: "Which tea?",
    answer: "Green tea, as the file says.",
    steps: [
      {
        message: { role: "assistant" as const, content: "", toolCalls: [call] },
        results: [{ role: "tool" as const, callId: "c1", tool: "read_file", content: "tea ".repeat(300), ok: true }],
      },
    ],
  };
  await store.append({ ...finishedRun(id, turn.question), turn });
  await chat.conversation.resume(id, new AbortController().signal);
  const lines = await chat.type("/context");
  const numbers = lines.map((line) => /^ +(\w+) +([\d,]+) tok +([\d.]+) %/.exec(line)?.slice(1));
  expect(lines[0]).toBe("fake/one · picks tools · 10,000 tok");
  expect(lines[7]).toBe("fake/two · writes answers · 32,000 tok (not known, assumed)");
  expect(numbers.filter(Boolean).map((row) => row?.[0])).toEqual([
    ...["prompts", "tools", "instructions", "history", "results", "free"],
    ...["prompts", "tools", "instructions", "history", "results", "free"],
  ]);
  const first = numbers.slice(1, 7).map((row) => Number(row?.[1]?.replace(",", "")));
  const [prompts = 0, tools = 0, instructions = 0, history = 0, results = 0] = first;
  expect(first.reduce((sum, each) => sum + each, 0)).toBe(10_000);
  expect(results).toBeGreaterThanOrEqual(400);
  expect(instructions).toBeGreaterThan(100);
  expect(history).toBeGreaterThan(10);
  expect(history).toBeLessThan(100);
  expect(prompts * tools).toBeGreaterThan(0);
  // Who writes the answer has no tools.
  expect(lines[9]).toMatch(/tools +0 tok/);
  expect([one.requests, two.requests]).toEqual([[], []]);
});

test("/context leaves a summary out that models do not read, because all turns fit", async () => {
  const chat = await openTestChat({ parts: { models: { functionCall: scriptedModel([]), alone: true } } });
  const store = await chat.duet.store();
  const { id } = await store.create();
  for (const question of ["Which tea?", "How long?"]) await store.append(finishedRun(id, question));
  await chat.conversation.resume(id, new AbortController().signal);
  const before = await chat.type("/context");
  await store.summarise(id, { text: "They talk of tea. ".repeat(50), turns: 1 });
  expect(await chat.type("/context")).toEqual(before);
});

test("a window that is too small says what happens; a model without one has no shares; both languages line up", () => {
  const parts = { prompts: 60, tools: 0, instructions: 0, history: 60, results: 0 };
  const small = renderUse({ model: "a/b", role: "both", window: 100, isAssumed: false, parts }, "zh").map(toPlainText);
  expect(small[0]).toBe("a/b · 选择工具并写回答 · 100 tok");
  expect(small[1]).toMatch(/^ {2}提示词 {2} *60 tok {2}60\.0 % +█+$/);
  expect(small.at(-1)).toContain("超出窗口");
  const endless = renderUse({ model: "a/b", role: "both", window: Infinity, isAssumed: true, parts }, "en").map(
    toPlainText,
  );
  expect(endless.at(-1)).toMatch(/free +∞ tok *$/);
  expect(context.help.zh).not.toBe(context.help.en);
});
