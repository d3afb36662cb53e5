import { expect, test } from "vitest";
import { expandAll, expandStep } from "../../../../src/cli/chat/steps/expand-step.ts";
import { createStepBook } from "../../../../src/cli/chat/steps/step-log.ts";
import { textOf } from "../../../../src/cli/terminal/text/line.ts";
import type { AgentEvent } from "../../../../src/core/events.ts";
import type { ToolResult } from "../../../../src/core/tools/tool.ts";
import { makeTool } from "../../../fakes/events.ts";
import { scriptedModel } from "../../../fakes/model.ts";
import { runAll } from "../../../fakes/run.ts";

const long = "0123456789".repeat(100);
const repeat = makeTool("repeat", (args): ToolResult => ({ ok: true, text: `${JSON.stringify(args)} ${long}` }));

async function twoCalls(): Promise<AgentEvent[]> {
  const calls = ["x", "y"].map((text) => ({ id: text, name: "repeat", input: { text } }));
  const functionCall = scriptedModel([{ reasoning: "Both at once.", text: "I ask twice.", calls }, "Enough."], "cheap");
  return runAll({ models: { functionCall, answer: scriptedModel(["Done."]) }, tools: [repeat] });
}

test("a run's steps are numbered through the chat: one a turn that thinks, one a call with its whole result", async () => {
  const book = createStepBook();
  for (const event of [...(await twoCalls()), ...(await twoCalls())]) book.take(event);
  expect(book.ofRun().map(({ number, kind, name, state }) => [number, kind, name, state])).toEqual([
    [5, "thought", "fake/cheap", "done"],
    [6, "tool", "repeat", "done"],
    [7, "tool", "repeat", "done"],
    [8, "thought", "fake/cheap", "done"],
  ]);
  expect(book.find(1)?.text).toBe("Both at once.\n\nI ask twice.");
  expect(book.find(3)).toMatchObject({ input: '{\n  "text": "y"\n}', text: `{"text":"y"} ${long}` });
  expect(book.ofCall("y")?.number).toBe(7);
  expect(book.thought()?.number).toBe(8);
  expect(book.find(9)).toBeUndefined();
});

test("a step opens with its title, what the tool was given, and all that it gave", async () => {
  const book = createStepBook({ now: () => 0 });
  for (const event of await twoCalls()) book.take(event);
  const [thought, call] = book.ofRun();
  if (!thought || !call) throw new Error("the steps are missing");
  expect(expandStep(thought, "zh").map(textOf)).toEqual([
    "💡 思考过程 #1 (0.0 s) fake/cheap",
    "  Both at once.",
    "  ",
    "  I ask twice.",
  ]);
  const opened = [
    "✓ 🔧 repeat #2 (0.0 s)",
    "  输入：",
    "  {",
    '    "text": "x"',
    "  }",
    "  结果：",
    `  {"text":"x"} ${long}`,
  ];
  expect(expandStep(call, "zh").map(textOf)).toEqual(opened);
  expect(expandAll([thought, call], "en").map(textOf).slice(4, 7)).toEqual(["", "✓ 🔧 repeat #2 (0.0 s)", "  Input:"]);
});

test("the clock of a thought runs from the start of its turn to its end", () => {
  let time = 0;
  const book = createStepBook({ now: () => time });
  book.take({ type: "phase-start", phase: "decide", step: 1, model: "m", reason: "" });
  time = 500;
  book.take({ type: "reasoning-delta", phase: "decide", text: "Hm." });
  time = 2_000;
  expect(book.thought()).toMatchObject({ state: "running", elapsedMs: 2_000 });
  book.take({ type: "answer-delta", text: "Yes." });
  time = 9_000;
  expect(book.thought()).toMatchObject({ state: "done", elapsedMs: 2_000 });
});

test("500 turns of long thoughts leave at most 500 steps and 16 Mi of text", () => {
  const book = createStepBook();
  const piece = "thought ".repeat(1_024);
  let last = 0;
  for (let turn = 0; turn < 500; turn++) {
    book.take({ type: "phase-start", phase: "decide", step: 1, model: "m", reason: "" });
    for (let n = 0; n < 40; n++) book.take({ type: "reasoning-delta", phase: "decide", text: piece });
    book.take({ type: "tool-start", callId: `${turn}`, step: 1, tool: "echo", arguments: {} });
    last = book.ofCall(`${turn}`)?.number ?? 0;
  }
  expect(last).toBe(1_000);
  const kept = Array.from({ length: last }, (_, n) => book.find(n + 1)).filter((step) => step !== undefined);
  expect(kept.length).toBeLessThanOrEqual(500);
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(16 * 1024 * 1024);
  const thought = kept.find(({ kind }) => kind === "thought");
  expect(thought?.text.length).toBe(256 * 1024);
  expect(thought?.missing).toBe(8 * 1_024 * 40 - 256 * 1024);
  if (thought) expect(expandStep(thought, "en").map(textOf).at(-1)).toBe("  (65536 more characters were not kept)");
});
