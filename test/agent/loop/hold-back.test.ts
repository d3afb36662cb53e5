import { expect, test } from "vitest";
import { createBufferedText } from "../../../src/agent/loop/buffered-text.ts";

/** Pushes a text sign by sign; gives what flowed as answer before the turn was over. */
function flowed(text: string): string {
  let answer = "";
  const held = createBufferedText((piece) => {
    answer += piece;
  });
  for (const sign of text) held.push(sign);
  return answer;
}

test.each([
  ["200 Latin letters", "x".repeat(200), 0],
  ["201 Latin letters", "x".repeat(201), 201],
  ["80 Chinese characters", "想".repeat(80), 0],
  ["81 Chinese characters", "想".repeat(81), 81],
  ["40 Chinese characters and 100 letters", "想".repeat(40) + "x".repeat(100), 0],
  ["40 Chinese characters and 101 letters", "想".repeat(40) + "x".repeat(101), 141],
])(
  "a thought may have 200 columns before it flows as an answer, a Chinese character counting two and a half: %s",
  (_, text, shown) => {
    expect(flowed(text)).toHaveLength(shown);
  },
);

test("a short text beside tool calls is a thought, and one without calls is the answer", () => {
  let answer = "";
  const held = createBufferedText((piece) => {
    answer += piece;
  });
  held.push("I look it up.");
  expect([held.asThought(), answer, held.flowing]).toEqual(["I look it up.", "", false]);
  held.push("Forty-two.");
  held.asAnswer();
  expect(answer).toBe("Forty-two.");
});
