import { expect, test } from "vitest";
import { createScrollback } from "../../../../src/cli/chat/steps/scrollback.ts";
import type { Step } from "../../../../src/cli/chat/steps/step.ts";
import { createThinking } from "../../../../src/cli/chat/steps/thinking.ts";
import { type Line, toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import type { AgentEvent } from "../../../../src/core/run/events.ts";

function open(verbose = false) {
  const written: Line[] = [];
  const write = (lines: readonly Line[]): void => void written.push(...lines);
  const screen = { size: { columns: 60, rows: 20 }, write, refresh() {} };
  const thinking = createThinking({ screen, scrollback: createScrollback(screen), locale: "en", verbose });
  return { thinking, lines: () => written.map(toPlainText), live: () => thinking.live(10).map(toPlainText) };
}

function thought(number: number, text: string): Step & { text: string } {
  return { number, kind: "thought", name: "fake/cheap", input: "", text, state: "done", elapsedMs: 2000 };
}

const delta: AgentEvent = { type: "thought-delta", text: "" };

test("a thought leaves its line when another one begins, so that none is lost", () => {
  const { thinking, lines, live } = open();
  thinking.show(thought(1, "First this."), delta);
  thinking.show(thought(2, "Then that."), delta);
  expect(lines()).toEqual(["💡 Thought #1 (2.0 s) First this."]);
  expect(live()).toEqual(["💭 Thinking...", "   Then that."]);
  thinking.fold();
  thinking.fold();
  expect(lines()).toEqual(["💡 Thought #1 (2.0 s) First this.", "💡 Thought #2 (2.0 s) Then that."]);
  expect(live()).toEqual([]);
});

test("a thought that grows is one thought, and leaves nothing before it is over", () => {
  const { thinking, lines, live } = open();
  const growing = { ...thought(1, "First") };
  thinking.show(growing, delta);
  live();
  growing.text = "First this.";
  thinking.show(growing, delta);
  expect(lines()).toEqual([]);
  expect(live()).toEqual(["💭 Thinking...", "   First this."]);
});
