import { expect, test } from "vitest";
import { fence } from "../../../src/agent/context/fence.ts";
import { shortenTurns } from "../../../src/agent/context/fit-turns.ts";
import { toPlainTurnMessages, toTurnMessages } from "../../../src/agent/context/turn-messages.ts";
import { createToolResults } from "../../../src/agent/tools/tool-results.ts";
import { toPlainText } from "../../../src/core/model/message-content.ts";
import type { Message } from "../../../src/core/model/messages.ts";
import type { ConversationTurn } from "../../../src/core/store/conversations/conversation.ts";

const marker = "abcd1234";
const page = "A line of the page.\n".repeat(1500);
const results = createToolResults({ tools: new Map(), longest: 20_000, language: "en" });
const sizing = {
  tokensOf: (text: string) => Math.ceil(text.length / 4),
  shorten: (text: string, kept: number, forTools = true) => results.shorten(text, kept, forTools),
};

/** Returns a turn with a long result and a refused call, as both models have read it. */
function readTurn(): ConversationTurn {
  const read = results.read(page, "text");
  const calls = ["page", "nosuch"].map((name) => ({ id: name, name, argumentsText: "{}", arguments: {} }));
  return {
    question: "What is on the page?",
    answer: "Lines.",
    answerPrompt: `What is on the page?\n\nTool results:\n\n### page {}\n${fence(results.removePointer(read), marker)}\n\nCalls that were not run:\n\n- nosuch {}: unknown`,
    steps: [
      {
        message: { role: "assistant", content: "", toolCalls: calls },
        results: [
          { role: "tool", callId: "page", tool: "page", content: fence(read, marker), ok: true, result: 1 },
          { role: "tool", callId: "nosuch", tool: "nosuch", content: "Correct the name and try again.", ok: false },
        ],
      },
    ],
  };
}

function join(messages: readonly Message[]): string {
  return messages.map(({ content }) => toPlainText(content, "en")).join("\n");
}

test("a model without tools reads a shortened turn as it read the whole one, within the same budget", () => {
  const [turn] = shortenTurns([readTurn()], 1000, { ...sizing, marker, atLeast: 1 });
  if (turn === undefined) throw new Error("the turn is gone");
  const input = { marker, locale: "en" as const };
  const withTools = join(toTurnMessages(turn, input));
  const plain = join(toPlainTurnMessages(turn, input));
  expect(withTools).toContain("reads on]");
  expect(plain).toContain("### page {}\n<<<result");
  expect(plain).toContain("Calls that were not run:\n\n- nosuch {}: unknown");
  expect(plain).not.toMatch(/read_result|try again/);
  for (const text of [withTools, plain]) expect(sizing.tokensOf(text)).toBeLessThan(1000);
});

test("what is missing of a result is counted in the whole also for a model without tools", () => {
  const plain = results.removePointer(results.read(page, "text"));
  const later = createToolResults({ tools: new Map(), longest: 20_000, language: "en" });
  const shorter = later.shorten(plain, 1000, false);
  const [, head = "", count = "", tail = ""] =
    /^([\s\S]*)\n…\[([\d,]+) characters left out\]…\n([\s\S]*)$/.exec(shorter) ?? [];
  expect(head.length + Number(count.replaceAll(",", "")) + tail.length).toBe(page.length);
});
