import { expect, test } from "vitest";
import { expandAll, expandStep } from "../../../../src/cli/chat/steps/expand-step.ts";
import { createStepLog } from "../../../../src/cli/chat/steps/step-log.ts";
import { toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import type { AgentEvent } from "../../../../src/core/run/events.ts";
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
  const stepLog = createStepLog();
  for (const event of [...(await twoCalls()), ...(await twoCalls())]) stepLog.handle(event);
  expect(stepLog.listRunSteps().map(({ number, kind, name, state }) => [number, kind, name, state])).toEqual([
    [5, "thought", "fake/cheap", "done"],
    [6, "tool", "repeat", "done"],
    [7, "tool", "repeat", "done"],
    [8, "thought", "fake/cheap", "done"],
  ]);
  expect(stepLog.find(1)?.text).toBe("Both at once.\n\nI ask twice.");
  expect(stepLog.find(3)).toMatchObject({ input: '{\n  "text": "y"\n}', text: `{"text":"y"} ${long}` });
  expect(stepLog.findByCall("y")?.number).toBe(7);
  expect(stepLog.findThought()?.number).toBe(8);
  expect(stepLog.find(9)).toBeUndefined();
});

test("a step opens with its title, what the tool was given, and all that it gave", async () => {
  const stepLog = createStepLog({ now: () => 0 });
  for (const event of await twoCalls()) stepLog.handle(event);
  const [thought, call] = stepLog.listRunSteps();
  if (!thought || !call) throw new Error("the steps are missing");
  expect(expandStep(thought, "zh").map(toPlainText)).toEqual([
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
  expect(expandStep(call, "zh").map(toPlainText)).toEqual(opened);
  expect(expandAll([thought, call], "en").map(toPlainText).slice(4, 7)).toEqual([
    "",
    "✓ 🔧 repeat #2 (0.0 s)",
    "  Input:",
  ]);
});

test("the clock of a thought runs from the start of its turn to its end", () => {
  let time = 0;
  const stepLog = createStepLog({ now: () => time });
  stepLog.handle({ type: "phase-start", phase: "decide", step: 1, model: "m", reason: "" });
  time = 500;
  stepLog.handle({ type: "reasoning-delta", phase: "decide", text: "Hm." });
  time = 2_000;
  expect(stepLog.findThought()).toMatchObject({ state: "running", elapsedMs: 2_000 });
  stepLog.handle({ type: "answer-delta", text: "Yes." });
  time = 9_000;
  expect(stepLog.findThought()).toMatchObject({ state: "done", elapsedMs: 2_000 });
});

test("500 turns of long thoughts leave at most 500 steps and 16 Mi of text", () => {
  const stepLog = createStepLog();
  const piece = "thought ".repeat(1_024);
  let last = 0;
  for (let turn = 0; turn < 500; turn++) {
    stepLog.handle({ type: "phase-start", phase: "decide", step: 1, model: "m", reason: "" });
    for (let n = 0; n < 40; n++) stepLog.handle({ type: "reasoning-delta", phase: "decide", text: piece });
    stepLog.handle({ type: "tool-start", callId: `${turn}`, step: 1, tool: "echo", arguments: {} });
    last = stepLog.findByCall(`${turn}`)?.number ?? 0;
  }
  expect(last).toBe(1_000);
  const kept = Array.from({ length: last }, (_, n) => stepLog.find(n + 1)).filter((step) => step !== undefined);
  expect(kept.length).toBeLessThanOrEqual(500);
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(16 * 1024 * 1024);
  const thought = kept.find(({ kind }) => kind === "thought");
  expect(thought?.text.length).toBe(256 * 1024);
  expect(thought?.missing).toBe(8 * 1_024 * 40 - 256 * 1024);
  if (thought)
    expect(expandStep(thought, "en").map(toPlainText).at(-1)).toBe("  (65536 more characters were not kept)");
});
