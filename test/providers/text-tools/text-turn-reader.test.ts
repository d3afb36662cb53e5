import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TextTurnReader } from "../../../src/providers/text-tools/text-turn-reader.ts";
import { startCpuClock } from "../../fakes/cpu-time.ts";
import { textTurns } from "./text-turns.ts";

/** Reads a turn that arrives in these pieces. What was streamed is joined by its kind. */
function read(pieces: readonly string[]) {
  const reader = new TextTurnReader();
  const streamed = pieces.flatMap((piece) => reader.read(piece));
  const { pieces: last, turn } = reader.finish();
  const join = (type: string): string =>
    [...streamed, ...last].flatMap((piece) => (piece.type === type ? piece.text : [])).join("");
  return { turn, reasoning: join("reasoning-delta"), text: join("text-delta") };
}

function split(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return places.slice(1).map((place, index) => text.slice(places[index], place));
}

describe("a turn in the textual protocol is read as it was meant", () => {
  test.for(textTurns)("$name", ({ text, expect: wanted }) => {
    const { turn, ...streamed } = read([text]);
    const calls = turn.actions.map(({ name, argumentsText = null }) => [name, argumentsText]);
    const { observation: _, calls: wantedCalls, ...rest } = wanted;
    const { actions: __, ...found } = turn;
    expect({ ...found, calls }).toEqual({ ...rest, calls: wantedCalls });
    expect(streamed).toEqual({ reasoning: turn.reasoning + turn.thought, text: turn.text });
  });
});

test("the pieces in which a turn arrives make no difference, wherever they are cut", () => {
  const pieces = [
    "Thought:",
    "Action:",
    "Action Input:",
    "Final Answer:",
    "Observation:",
    "**Thought:**",
    "思考：",
    "观察：",
  ];
  const anyLine = fc.oneof(
    fc.constantFrom(
      ...pieces,
      ...textTurns.flatMap(({ text }) => text.split("\n")),
      "",
      "```",
      "x".repeat(390),
      "<think>",
    ),
    fc.string({ maxLength: 12 }),
  );
  const anyText = fc.oneof(
    fc.constantFrom(...textTurns.map(({ text }) => text)),
    fc.array(anyLine, { maxLength: 8 }).map((lines) => lines.join("\n")),
  );
  fc.assert(
    fc.property(anyText, fc.array(fc.nat(2000), { maxLength: 12 }), (text, cuts) => {
      const whole = read([text]);
      expect(read(split(text, cuts))).toEqual(whole);
      expect(read([...text])).toEqual(whole);
      // Nothing is streamed that the turn does not have.
      expect(whole.text).toBe(whole.turn.text);
    }),
  );
});

test("blanks without end, in any part of a turn, take no quadratic time", () => {
  for (const start of ["", "Thought: x", "Action: x", "Action Input: {", "Final Answer: x"]) {
    const reader = new TextTurnReader();
    reader.read(`${start}x`);
    const measure = startCpuClock();
    for (let count = 0; count < 200_000; count++) reader.read(" ");
    reader.read("y");
    reader.finish();
    expect(measure()).toBeLessThan(2000);
  }
});

test("an answer is streamed as it comes, and a long text without a label too", () => {
  const reader = new TextTurnReader();
  expect(reader.read("Thought: easy\nFinal ")).toEqual([{ type: "reasoning-delta", text: "easy" }]);
  expect(reader.read("Answer: Duet ")).toEqual([{ type: "text-delta", text: "Duet" }]);
  expect(reader.read("is an agent.")).toEqual([{ type: "text-delta", text: " is an agent." }]);
  const bare = new TextTurnReader();
  expect(bare.read("a".repeat(400))).toEqual([]);
  expect(bare.read("b")).toEqual([{ type: "text-delta", text: `${"a".repeat(400)}b` }]);
});
