import fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { ModelEvent, Turn } from "../../../src/core/model/model.ts";
import { MessageReader } from "../../../src/providers/wires/anthropic-messages/stream.ts";
import { ChatReader } from "../../../src/providers/wires/openai-chat/stream.ts";
import type { TurnReader } from "../../../src/providers/wires/turn-reader.ts";
import { settings, textOf } from "../reading.ts";

const frame = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };
const chunk = (delta: object, finish_reason: string | null = null, more = {}) => ({
  ...frame,
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  ...more,
});
const chatEnd = [chunk({}, "stop"), { ...frame, choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }];

const block = (index: number, type = "text") => ({
  type: "content_block_start",
  index,
  content_block: type === "text" ? { type, text: "" } : { type, thinking: "", signature: "" },
});
const piece = (index: number, text: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text },
});
const thought = (index: number, thinking: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "thinking_delta", thinking },
});
const messageEnd = [
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
  { type: "message_stop" },
];

/** Texts as models write them, and such as look like the frame around them. */
const text = fc.oneof(
  fc.constantFrom("word", " ", "content", "text", '"', "\\", "\n", '"}', "雨🌧", "\u0000", "a text that no event has"),
  fc.string(),
);

const chatEvents = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: text.map((content) => chunk({ content })) },
    text.map((content) => chunk({ role: "assistant", content, refusal: null })),
    text.map((content) => chunk({ content, reasoning_content: content })),
    text.map((content) => chunk({ content, reasoning_content: "" })),
    text.map((content) => chunk({ content }, null, { usage: { prompt_tokens: 9, completion_tokens: 1 } })),
    text.map((content) => chunk({ content, extra_content: { google: { thought: true } } })),
    text.map((content) => chunk({ content }, "length")),
    text.map((refusal) => chunk({ content: "", refusal })),
  ),
  { maxLength: 30 },
);

const messageEvents = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: text.map((said) => piece(1, said)) },
      text.map((said) => piece(2, said)),
      text.map((said) => thought(0, said)),
      fc.constantFrom(1, 2).map((index) => block(index)),
    ),
    { maxLength: 30 },
  )
  .map((events) => [block(0, "thinking"), block(1), block(2), ...events]);

interface Read {
  events: ModelEvent[];
  turn: Turn | string;
}

/** Reads events one by one, as they come; with a mark in each that keeps them from being alike, where `isMarked`. */
function read(reader: TurnReader, events: readonly object[], isMarked: boolean): Read {
  const out: ModelEvent[] = [];
  try {
    for (const [n, event] of events.entries())
      if (!reader.done) reader.read({ data: JSON.stringify(isMarked ? { n, ...event } : event) }, out);
    return { events: out, turn: reader.finishTurn() };
  } catch (thrown) {
    return { events: out, turn: String(thrown) };
  }
}

test.each([
  ["chat completions", chatEvents, chatEnd, ChatReader],
  ["Anthropic's messages", messageEvents, messageEnd, MessageReader],
] as const)("over %s, events that are alike are read as if each was parsed", (_, anyEvents, end, Reader) => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const [alike, apart] = [false, true].map((isMarked) =>
        read(new Reader(settings(), () => "id"), [...events, ...end], isMarked),
      );
      expect(alike).toEqual(apart);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["chat completions", (said: string): object => chunk({ content: said }), [], chatEnd, ChatReader],
  ["Anthropic's messages", (said: string): object => piece(0, said), [block(0)], messageEnd, MessageReader],
] as const)("over %s, an answer of 100 pieces is read with few calls of the parser", (_, say, start, end, Reader) => {
  const words = Array.from({ length: 100 }, (_, index) => ` word${index}`);
  const events = [...start, ...words.map(say), ...end];
  const parse = vi.spyOn(JSON, "parse");
  const { events: out, turn } = read(new Reader(settings(), () => "id"), events, false);
  const calls = parse.mock.calls.length;
  parse.mockRestore();
  expect(turn).toMatchObject({ message: { content: words.join("") } });
  expect(textOf(out, "text-delta")).toBe(words.join(""));
  expect(calls).toBeLessThan(10);
  // Where each event has something new, none is parsed twice for it but the first few.
  const again = vi.spyOn(JSON, "parse");
  read(new Reader(settings(), () => "id"), events, true);
  const all = again.mock.calls.length;
  again.mockRestore();
  expect(all).toBeLessThan(events.length + 5);
});
