import type { WireName } from "../../src/core/model/model-settings.ts";
import type { Recording } from "./recordings.ts";

interface Expected {
  text?: string;
  reasoning?: string;
  /** Name, arguments as they were written, id. */
  calls?: [name: string, argumentsText: string, id?: string][];
  outcome?: string;
  /** Input, output, reasoning, cached. */
  usage?: [number, number, number?, number?];
}

/** Streams in forms that are known of some provider, made by hand: a form is worth a test whether or not it was recorded. */
export const madeStreams: Recording[] = [
  chat(
    "chat-index-of-minus-one",
    [tool({ index: -1, id: "a", name: "weather", arguments: '{"city":' }), tool({ index: -1, arguments: '"Oslo"}' })],
    { calls: [["weather", '{"city":"Oslo"}', "a"]] },
  ),
  chat(
    "chat-parallel-calls-without-index",
    [
      tool({ id: "a", name: "weather", arguments: '{"city":' }),
      tool({ arguments: '"Oslo"}' }),
      tool({ id: "b", name: "weather", arguments: '{"city":' }),
      tool({ arguments: '"Bergen"}' }),
    ],
    {
      calls: [
        ["weather", '{"city":"Oslo"}', "a"],
        ["weather", '{"city":"Bergen"}', "b"],
      ],
    },
  ),
  chat(
    "chat-parallel-calls-side-by-side-without-index",
    [
      delta({ tool_calls: [called({ id: "a", name: "one" }), called({ id: "b", name: "two" })] }),
      delta({ tool_calls: [called({ arguments: '{"n":1}' }), called({ arguments: '{"n":2}' })] }),
    ],
    {
      calls: [
        ["one", '{"n":1}', "a"],
        ["two", '{"n":2}', "b"],
      ],
    },
  ),
  chat(
    "chat-new-id-at-the-same-index",
    [
      tool({ index: 0, id: "a", name: "weather", arguments: '{"city":"Oslo"}' }),
      tool({ index: 0, id: "b", name: "weather", arguments: '{"city":"Bergen"}' }),
    ],
    {
      calls: [
        ["weather", '{"city":"Oslo"}', "a"],
        ["weather", '{"city":"Bergen"}', "b"],
      ],
    },
  ),
  chat(
    "chat-empty-ids-and-repeated-names",
    [
      tool({ index: 0, id: "a", name: "weather", arguments: "" }),
      tool({ index: 0, id: "", name: "weather", arguments: '{"city":"Oslo"}' }),
      tool({ index: 0, id: "a", name: "weather", arguments: "" }),
    ],
    { calls: [["weather", '{"city":"Oslo"}', "a"]] },
  ),
  chat("chat-no-arguments-key", [tool({ index: 0, id: "a", name: "now" })], { calls: [["now", "", "a"]] }),
  chat("chat-null-arguments-and-no-id", [delta({ tool_calls: [{ function: { name: "now", arguments: null } }] })], {
    calls: [["now", ""]],
  }),
  chat(
    "chat-arguments-as-an-object",
    [delta({ tool_calls: [{ index: 0, id: "a", function: { name: "weather", arguments: { city: "Oslo" } } }] })],
    { calls: [["weather", '{"city":"Oslo"}', "a"]] },
  ),
  chat(
    "chat-empty-tool-calls-in-each-delta",
    [delta({ content: "It ", tool_calls: [] }), delta({ content: "rains.", tool_calls: [] })],
    { text: "It rains." },
  ),
  chat(
    "chat-unknown-events-and-keys",
    [
      "event: heartbeat\ndata: {}\n\n",
      delta({ content: "Rain.", mood: "grey" }),
      data({ object: "telemetry", cpu: 1 }),
    ],
    { text: "Rain." },
  ),
  chat(
    "chat-moderation-chunk",
    [delta({ content: "Rain." }), data({ choices: [], moderation: { flagged: false }, usage: null })],
    { text: "Rain." },
  ),
  chat(
    "chat-usage-in-three-places",
    [
      delta({ content: "Rain." }),
      data({
        choices: [{ index: 0, delta: {}, finish_reason: "stop", usage: { prompt_tokens: 1, completion_tokens: 1 } }],
        x_groq: { usage: { prompt_tokens: 8, completion_tokens: 4 } },
        usage: { prompt_tokens: 8, completion_tokens: 4, total_tokens: 12 },
      }),
      data({
        choices: [],
        usage: {
          prompt_tokens: 9,
          completion_tokens: 4,
          total_tokens: 20,
          prompt_tokens_details: { cached_tokens: 3 },
          completion_tokens_details: { reasoning_tokens: 7 },
        },
      }),
    ],
    { text: "Rain.", usage: [9, 11, 7, 3] },
    "none",
  ),
  chat(
    "chat-content-as-an-array",
    [
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }] }] }),
      delta({
        content: [
          { type: "text", text: "It " },
          { type: "image", url: "x" },
        ],
      }),
      delta({ content: "rains." }),
    ],
    { text: "It rains.", reasoning: "Hm." },
  ),
  chat(
    "chat-thought-tags-split-over-chunks",
    [
      thought("<tho"),
      thought("ught>Is 1 <"),
      thought(" 2? "),
      thought("Yes."),
      delta({ content: "</thou" }),
      delta({ content: "ght>It" }),
      delta({ content: " <rains>." }),
    ],
    { text: "It <rains>.", reasoning: "Is 1 < 2? Yes." },
  ),
  chat("chat-thought-tags-in-one-chunk", [thought("<thought>Hm.</thought>Rain.")], { text: "Rain.", reasoning: "Hm." }),
  chat(
    "chat-tags-that-are-the-answer",
    [delta({ content: "<thought> is " }), delta({ content: "a tag: </thought>." })],
    {
      text: "<thought> is a tag: </thought>.",
    },
  ),
  chat("chat-no-done", [delta({ content: "Rain." }), finish("stop")], { text: "Rain." }, "none"),
  chat(
    "chat-null-finish-reason-and-done",
    [
      delta({ content: "Rain." }),
      data({ choices: [{ index: 0, delta: {}, finish_reason: null }] }),
      "data: [DONE]\n\n",
    ],
    { text: "Rain." },
    "none",
  ),
  chat("chat-done-and-nothing-else", ["data: [DONE]\n\n"], { outcome: "incomplete" }, "none"),
  chat("chat-nothing-but-reasoning", [delta({ reasoning: "Hm." })], { reasoning: "Hm.", outcome: "empty" }),
  chat(
    "chat-call-cut-by-the-length",
    [tool({ index: 0, id: "a", name: "weather", arguments: '{"ci' }), finish("length")],
    {
      calls: [["weather", '{"ci', "a"]],
      outcome: "length",
    },
  ),
  messages(
    "messages-compaction-and-unknown-blocks",
    [
      { type: "content_block_start", index: 0, content_block: { type: "compaction", content: null } },
      { type: "content_block_delta", index: 0, delta: { type: "compaction_delta", content: "What was said so far." } },
      { type: "content_block_stop", index: 0 },
      { type: "weather_report", index: 7 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Rain." } },
      { type: "content_block_delta", index: 1, delta: { type: "shimmer_delta", shimmer: 1 } },
      { type: "content_block_stop", index: 1 },
    ],
    { text: "Rain." },
  ),
  messages(
    "messages-whole-input-at-once",
    [
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "a", name: "weather", input: { city: "Oslo" } },
      },
      { type: "content_block_stop", index: 0 },
    ],
    { calls: [["weather", '{"city":"Oslo"}', "a"]] },
  ),
  responses(
    "responses-comment-reasoning-and-parallel-calls",
    [
      added(0, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "half" }),
      { type: "response.reasoning_summary_part.added", output_index: 0, item_id: "rs_1", summary_index: 0 },
      { type: "response.reasoning_summary_text.delta", output_index: 0, item_id: "rs_1", delta: "Two " },
      { type: "response.reasoning_summary_text.delta", output_index: 0, item_id: "rs_1", delta: "cities." },
      doneItem(0, {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "Two cities." }],
        encrypted_content: "all",
      }),
      added(1, { type: "message", id: "msg_1", role: "assistant", phase: "commentary", content: [] }),
      { type: "response.output_text.delta", output_index: 1, item_id: "msg_1", delta: "Let me look." },
      doneItem(1, said("msg_1", "Let me look.", "commentary")),
      added(2, { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", arguments: "" }),
      { type: "response.function_call_arguments.delta", output_index: 2, item_id: "fc_1", delta: '{"city":' },
      added(3, { type: "function_call", id: "fc_2", call_id: "call_2", name: "weather", arguments: "" }),
      { type: "response.function_call_arguments.delta", output_index: 3, item_id: "fc_2", delta: '{"city":"Bergen"}' },
      { type: "response.function_call_arguments.delta", output_index: 2, item_id: "fc_1", delta: '"Oslo"}' },
      doneItem(3, {
        type: "function_call",
        id: "fc_2",
        call_id: "call_2",
        name: "weather",
        arguments: '{"city":"Bergen"}',
      }),
      doneItem(2, {
        type: "function_call",
        id: "fc_1",
        call_id: "call_1",
        name: "weather",
        arguments: '{"city":"Oslo"}',
      }),
    ],
    {
      text: "Let me look.",
      reasoning: "Two cities.",
      calls: [
        ["weather", '{"city":"Oslo"}', "call_1"],
        ["weather", '{"city":"Bergen"}', "call_2"],
      ],
    },
  ),
  responses(
    "responses-whole-items-without-deltas",
    [
      doneItem(0, { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }] }),
      doneItem(1, said("msg_1", "Rain.")),
    ],
    { text: "Rain.", reasoning: "Hm." },
  ),
  responses(
    "responses-items-that-end-without-being-done",
    [
      added(0, { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", arguments: "" }),
      { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta: '{"city":"Oslo"}' },
    ],
    { calls: [["weather", '{"city":"Oslo"}', "call_1"]] },
  ),
  responses(
    "responses-index-0-for-all-items",
    [
      added(0, { type: "function_call", id: "fc_1", call_id: "call_1", name: "one", arguments: "" }),
      { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta: '{"n":1}' },
      added(0, { type: "function_call", id: "fc_2", call_id: "call_2", name: "two", arguments: "" }),
      { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_2", delta: '{"n":2}' },
    ],
    {
      calls: [
        ["one", '{"n":1}', "call_1"],
        ["two", '{"n":2}', "call_2"],
      ],
    },
  ),
  responses("responses-nothing-but-the-end", [], { text: "Rain." }, { output: [said("msg_1", "Rain.")] }),
  responses(
    "responses-unknown-events-and-items",
    [
      { type: "response.queued" },
      { type: "keepalive", sequence_number: 3 },
      doneItem(0, { type: "weather_report", id: "wr_1" }),
      { type: "response.output_text.delta", output_index: 1, item_id: "msg_1", delta: "Rain." },
      { type: "response.output_text.annotation.added", output_index: 1, item_id: "msg_1", annotation: {} },
    ],
    { text: "Rain." },
  ),
  responses(
    "responses-out-of-tokens-in-a-call",
    [
      added(0, { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", arguments: "" }),
      { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta: '{"ci' },
    ],
    { calls: [["weather", '{"ci', "call_1"]], outcome: "length" },
    { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
  ),
  responses(
    "responses-content-filter",
    [{ type: "response.output_text.delta", output_index: 0, item_id: "msg_1", delta: "The rain" }],
    { text: "The rain", outcome: "content_filter" },
    { status: "incomplete", incomplete_details: { reason: "content_filter" } },
  ),
  responses(
    "responses-refusal",
    [
      { type: "response.refusal.delta", output_index: 0, item_id: "msg_1", delta: "I can not " },
      { type: "response.refusal.delta", output_index: 0, item_id: "msg_1", delta: "help." },
    ],
    { outcome: "refusal" },
  ),
  responses(
    "responses-failed-after-text",
    [{ type: "response.output_text.delta", output_index: 0, item_id: "msg_1", delta: "The rain" }],
    { text: "The rain", outcome: "error" },
    { status: "failed", error: { code: "server_error", message: "The server had an error." } },
  ),
  responses(
    "responses-flat-error-event",
    [{ type: "error", code: "rate_limit_exceeded", message: "Slow down.", param: null }],
    { outcome: "error" },
  ),
  responses("responses-nothing-but-reasoning", [doneItem(0, { type: "reasoning", id: "rs_1", summary: [] })], {
    outcome: "empty",
  }),
  made("openai-responses", "responses-done-without-an-end", [event(added(0, said("msg_1", ""))), "data: [DONE]\n\n"], {
    outcome: "incomplete",
  }),
];

function chat(name: string, chunks: string[], expected: Expected, ending: "usual" | "none" = "usual"): Recording {
  const closed = chunks.some((chunk) => /"finish_reason":"/.test(chunk));
  const last = closed ? [] : [finish(expected.calls ? "tool_calls" : "stop")];
  return made("openai-chat", name, ending === "none" ? chunks : [...chunks, ...last, "data: [DONE]\n\n"], expected);
}

function messages(name: string, events: object[], expected: Expected): Recording {
  const all = [
    { type: "message_start", message: { role: "assistant", content: [], usage: { input_tokens: 0 } } },
    ...events,
    { type: "message_delta", delta: { stop_reason: expected.calls ? "tool_use" : "end_turn" } },
    { type: "message_stop" },
  ];
  return made("anthropic-messages", name, all.map(event), expected);
}

function responses(name: string, events: object[], expected: Expected, end: Record<string, unknown> = {}): Recording {
  const response = { object: "response", status: "completed", output: [], ...end };
  const all = [
    { type: "response.created", response: { object: "response", status: "in_progress", output: [] } },
    ...events,
    { type: `response.${response.status}`, response },
  ];
  return made("openai-responses", name, all.map(event), expected);
}

function made(wire: WireName, name: string, frames: string[], expected: Expected): Recording {
  const { text = "", reasoning = "", calls = [], outcome = "ok", usage } = expected;
  const [inputTokens, outputTokens, reasoningTokens, cacheReadTokens] = usage ?? [];
  return {
    name,
    shows: name,
    kind: "stream",
    wire,
    http: { status: 200, headers: { "content-type": "text/event-stream" } },
    expected: {
      text,
      reasoning,
      outcome,
      runTools: outcome === "ok" && calls.length > 0,
      toolCalls: calls.map(([tool, argumentsRaw, id]) => ({ id, name: tool, argumentsRaw })),
      usage: usage ? { inputTokens, outputTokens, reasoningTokens, cacheReadTokens } : null,
    },
    bytes: Buffer.from(frames.join("")),
  };
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function event(value: object): string {
  return `event: ${"type" in value ? value.type : ""}\n${data(value)}`;
}

function delta(value: object): string {
  return data({ choices: [{ index: 0, delta: value, finish_reason: null }] });
}

function finish(reason: string): string {
  return data({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
}

function thought(content: string): string {
  return delta({ content, extra_content: { google: { thought: true } } });
}

interface Fragment {
  index?: number;
  id?: string;
  name?: string;
  arguments?: string;
}

function tool(fragment: Fragment): string {
  return delta({ tool_calls: [called(fragment)] });
}

function called({ index, id, name, arguments: text }: Fragment): object {
  return { index, id, type: "function", function: { name, arguments: text } };
}

function added(position: number, item: object): object {
  return { type: "response.output_item.added", output_index: position, item };
}

function doneItem(position: number, item: object): object {
  return { type: "response.output_item.done", output_index: position, item };
}

function said(id: string, text: string, phase?: string): object {
  return { type: "message", id, role: "assistant", phase, content: [{ type: "output_text", text, annotations: [] }] };
}
