import { expect, test } from "vitest";
import { MessageReader } from "../../../src/providers/wires/anthropic-messages/stream.ts";
import { ChatReader } from "../../../src/providers/wires/openai-chat/stream.ts";
import { ResponseReader } from "../../../src/providers/wires/openai-responses/stream.ts";
import { createEventReader } from "../../../src/providers/wires/server-events.ts";
import type { TurnReader } from "../../../src/providers/wires/turn-reader.ts";
import { heard, settings } from "../reading.ts";

function read(reader: TurnReader, stream: string) {
  const events = createEventReader(settings());
  const out: Parameters<TurnReader["read"]>[1] = [];
  for (const event of [...events.feed(Buffer.from(stream)), ...events.finish()])
    if (!reader.done) reader.read(event, out);
  return heard(out, reader.finishTurn());
}

const lines = (...data: (object | string)[]): string =>
  data.map((each) => `data: ${typeof each === "string" ? each : JSON.stringify(each)}\n\n`).join("");

const chat = () => new ChatReader(settings(), () => "made");
const delta = (content: object, finish_reason: string | null = null) => ({
  choices: [{ delta: content, finish_reason }],
});

test("empty events and a padded end are no reason to lose a turn", () => {
  const stream = lines(delta({ content: "hi" }), "", delta({}, "stop"), " ", "[DONE] ");
  expect(read(chat(), stream)).toMatchObject({ text: "hi", turn: { finish: "stop" } });
});

test("a word for the end that every object knows is an unknown word", () => {
  for (const word of ["constructor", "toString", "__proto__"])
    expect(() => read(chat(), lines(delta({ content: "hi" }), delta({}, word), "[DONE]"))).toThrow();
});

test.each([
  ["length", "stop", "length"],
  ["length", "tool_calls", "length"],
  ["content_filter", "stop", "content-filter"],
  ["stop", "length", "length"],
  ["stop", "stop", "stop"],
])("of the words for the end %s and %s the more cautious one counts", (first, second, finish) => {
  const stream = lines(delta({ content: "hi" }), delta({}, first), delta({}, second), "[DONE]");
  expect(read(chat(), stream).turn.finish).toBe(finish);
});

test("a call whose turn was cut off is no call to run, whatever word follows", () => {
  const call = { index: 0, id: "c", function: { name: "search", arguments: '{"q":1}' } };
  const stream = lines(delta({ tool_calls: [call] }), delta({}, "length"), delta({}, "tool_calls"), "[DONE]");
  expect(read(chat(), stream).turn.finish).toBe("length");
});

test("text after the word for the end reopens the turn: without another end it is cut off", () => {
  const reopened = [delta({ content: "The end" }), delta({}, "stop"), delta({ content: "ing is" })];
  expect(() => read(chat(), lines(...reopened))).toThrow(/ended before the answer did/);
  expect(read(chat(), lines(...reopened, delta({ content: " here." }, "stop")))).toMatchObject({
    text: "The ending is here.",
    turn: { finish: "stop" },
  });
});

test("a second choice is another answer and not part of the first", () => {
  const choice = (index: number, content: string, finish_reason: string | null = null) => ({
    choices: [{ index, delta: { content }, finish_reason }],
  });
  const stream = lines(choice(0, "one"), choice(1, "other", "length"), choice(0, " answer", "stop"), "[DONE]");
  expect(read(chat(), stream)).toMatchObject({ text: "one answer", turn: { finish: "stop" } });
});

test.each(["\u200b", "\u2060\ufeff", "\u00ad", "\u3164", "\u2800 \u2800", "\u0000", "\u001b[2J\u001b[1;31m"])(
  "an answer of which nothing can be seen is empty: %j",
  (unseen) => {
    expect(() => read(chat(), lines(delta({ content: unseen }, "stop"), "[DONE]"))).toThrow(/empty/);
    expect(read(chat(), lines(delta({ content: `${unseen}.` }, "stop"), "[DONE]")).turn.finish).toBe("stop");
  },
);

test("an end by calls without any call is told", () => {
  const reader = chat();
  expect(read(reader, lines(delta({ content: "hi" }), delta({}, "tool_calls"), "[DONE]")).turn.finish).toBe("stop");
  expect(reader.oddities?.map(({ en }) => en)).toEqual(["finish_reason announces tool calls, but none came"]);
});

test("two whole calls that share an id stay two calls", () => {
  const call = (name: string, args: string) => ({ id: "search", function: { name, arguments: args } });
  const same = lines(
    delta({ tool_calls: [call("search", '{"q":1}')] }),
    delta({ tool_calls: [call("search", '{"q":2}')] }),
    delta({}, "tool_calls"),
    "[DONE]",
  );
  expect(read(chat(), same).turn.message.toolCalls.map(({ arguments: args }) => args)).toEqual([{ q: 1 }, { q: 2 }]);
});

test("a null in Anthropic's later usage says nothing", () => {
  const claude = settings({ wire: "anthropic-messages" });
  const stream = lines(
    { type: "message_start", message: { usage: { input_tokens: 100, cache_read_input_tokens: 50, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn" },
      usage: { input_tokens: null, cache_read_input_tokens: null, output_tokens: 7 },
    },
    { type: "message_stop" },
  );
  const { usage } = read(new MessageReader(claude, () => "made"), stream).turn;
  expect(usage).toMatchObject({ inputTokens: 150, outputTokens: 7, cachedTokens: 50 });
});

test("a call that stands only in the whole response is a call", () => {
  const of = settings({ wire: "openai-responses" });
  const output = [
    { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "I look it up." }] },
    { type: "function_call", id: "f", call_id: "c1", name: "search", arguments: '{"q":"x"}' },
  ];
  const stream = lines(
    { type: "response.output_text.delta", output_index: 0, item_id: "m", delta: "I look it up." },
    { type: "response.completed", response: { status: "completed", output } },
  );
  const { turn } = read(new ResponseReader(of, () => "made"), stream);
  expect(turn).toMatchObject({ finish: "tool-calls", message: { toolCalls: [{ id: "c1", name: "search" }] } });
});

test.each([
  ["whole", ["<think>secret</think>\n\nThe answer."], "secret", "The answer."],
  ["in pieces", ["<th", "ink>sec", "ret</thi", "nk>", "\n", "\nThe ", "answer."], "secret", "The answer."],
  ["after blanks", ["\n <think>", "</think>x"], "", "x"],
  ["later in the text", ["a <think>b</think>"], "", "a <think>b</think>"],
])("the thoughts of a local model are no part of its answer: tags %s", (_, pieces, reasoning, text) => {
  const stream = lines(...pieces.map((content) => delta({ content })), delta({}, "stop"), "[DONE]");
  expect(read(chat(), stream)).toMatchObject({ reasoning, text });
});

test("a thought that never ends is no answer", () => {
  expect(() => read(chat(), lines(delta({ content: "<think>on and on" }), delta({}, "stop"), "[DONE]"))).toThrow();
});

test("Mistral's word for a turn that was cut is known", () => {
  const { finish } = read(chat(), lines(delta({ content: "hi" }), delta({}, "model_length"), "[DONE]")).turn;
  expect(finish).toBe("length");
});

const message = (...blocks: object[]) =>
  lines(
    { type: "message_start", message: {} },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
    { type: "message_stop" },
  );
const said = { type: "message", content: [{ type: "output_text", text: "hi" }] };
const response = (...output: object[]) => ({ object: "response", status: "completed", output });
const whole = (...output: object[]) => ({ type: "response.completed", response: response(...output) });

test.each<[string, "claude" | "gpt", string, string[]]>([
  ["a message as it should be", "claude", message(), []],
  [
    "a block of an unknown kind",
    "claude",
    message(
      { type: "content_block_start", index: 1, content_block: { type: "picture" } },
      { type: "content_block_delta", index: 1, delta: { type: "picture_delta" } },
    ),
    ["a content block of an unknown kind"],
  ],
  [
    "a delta of an unknown kind",
    "claude",
    message({ type: "content_block_delta", index: 0, delta: { type: "mood_delta" } }),
    ["a delta of an unknown kind"],
  ],
  [
    "a delta without its block",
    "claude",
    message({ type: "content_block_delta", index: 4, delta: { type: "text_delta", text: "lost" } }),
    ["a delta of a content block that never started"],
  ],
  ["a response as it should be", "gpt", lines(whole(said)), []],
  ["a response that is not streamed", "gpt", lines(response(said)), ["one whole document instead of a stream"]],
  [
    "an item of an unknown kind",
    "gpt",
    lines(
      { type: "response.output_text.delta", output_index: 0, delta: "hi" },
      { type: "response.output_item.done", output_index: 1, item: { type: "picture" } },
      whole(said, { type: "picture" }),
    ),
    ["an output item of an unknown kind"],
  ],
  [
    "a part of an unknown kind",
    "gpt",
    lines(whole({ type: "message", content: [{ type: "mood" }, ...said.content] })),
    ["content holds a part of an unknown kind"],
  ],
])("%s is read, and what is odd about it is noted", (_, wire, stream, oddities) => {
  const reader: TurnReader =
    wire === "claude"
      ? new MessageReader(settings({ wire: "anthropic-messages" }), () => "made")
      : new ResponseReader(settings({ wire: "openai-responses" }), () => "made");
  expect(read(reader, stream).text).toBe("hi");
  expect(reader.oddities?.map(({ en }) => en)).toEqual(oddities);
});
