import type { FakeTurn, JournalEntry } from "./provider.ts";

/** A part of a stream: `delta` may be followed by a pause, `thought` by a wait, `hang` and `cut` end it there. */
export interface Piece {
  text: string;
  mark?: "delta" | "thought" | "hang" | "cut";
}

/** A scripted turn as the chunks of OpenAI's chat completions. */
export function* chatPieces(turn: FakeTurn, entry: JournalEntry): Generator<Piece> {
  const frame = { id: "chatcmpl-fake", object: "chat.completion.chunk", created: 1_790_000_000, model: entry.model };
  const chunk = (delta: unknown, finish: string | null = null) =>
    sse({ ...frame, choices: [{ index: 0, delta, finish_reason: finish }] });
  yield { text: chunk({ role: "assistant", content: "" }) };
  if (turn.reasoning === "") yield { text: chunk({ reasoning_content: "" }) };
  for (const part of parts(turn.reasoning, turn)) yield { text: chunk({ reasoning_content: part }), mark: "delta" };
  if (turn.thinkUntil) yield { text: "", mark: "thought" };
  for (const part of parts(turn.text, turn)) yield { text: chunk({ content: part }), mark: "delta" };
  if (turn.hang === "after-text") yield { text: "", mark: "hang" };
  for (const [index, call] of calls(turn).entries()) {
    const signed = index === 0 && turn.signature ? { google: { thought_signature: turn.signature } } : undefined;
    const called = { name: call.name, arguments: "" };
    const opening = { index, id: call.id, type: "function", function: called, extra_content: signed };
    yield { text: chunk({ tool_calls: [opening] }), mark: "delta" };
    for (const part of parts(call.text, turn)) {
      yield { text: chunk({ tool_calls: [{ index, function: { arguments: part } }] }), mark: "delta" };
      if (turn.cut === "in-tool-call") yield { text: "", mark: "cut" };
    }
  }
  if (turn.cut) yield { text: "", mark: "cut" };
  yield { text: chunk({}, turn.finish ?? (turn.toolCalls?.length ? "tool_calls" : "stop")) };
  const { input = 10, output = 5, cached } = turn.usage ?? {};
  const details = cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } };
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, ...details };
  if (turn.usage !== null) yield { text: sse({ ...frame, choices: [], usage }) };
  yield { text: "data: [DONE]\n\n" };
}

/** A scripted turn as the events of Anthropic's Messages. */
export function* messagePieces(turn: FakeTurn, entry: JournalEntry): Generator<Piece> {
  const { input = 10, output = 5, cached = 0 } = turn.usage ?? {};
  const read = cached > 0 ? { cache_read_input_tokens: cached } : {};
  const usage = turn.usage === null ? undefined : { input_tokens: input - cached, ...read, output_tokens: 1 };
  yield {
    text: event("message_start", {
      message: { id: "msg_fake", type: "message", role: "assistant", model: entry.model, content: [], usage },
    }),
  };
  let index = 0;
  if (turn.redacted !== undefined) {
    yield { text: blockStart(index, { type: "redacted_thinking", data: turn.redacted }) };
    yield { text: blockStop(index++) };
  }
  if (turn.reasoning) {
    const signature = turn.signature ?? "fake-signature";
    yield { text: blockStart(index, { type: "thinking", thinking: "", signature: "" }) };
    for (const part of parts(turn.reasoning, turn)) {
      yield { text: blockDelta(index, { type: "thinking_delta", thinking: part }), mark: "delta" };
    }
    for (const half of [signature.slice(0, 5), signature.slice(5)]) {
      yield { text: blockDelta(index, { type: "signature_delta", signature: half }) };
    }
    yield { text: blockStop(index++) };
  }
  if (turn.text) {
    yield { text: blockStart(index, { type: "text", text: "" }) };
    for (const part of parts(turn.text, turn)) {
      yield { text: blockDelta(index, { type: "text_delta", text: part }), mark: "delta" };
    }
    yield { text: blockStop(index++) };
  }
  if (turn.hang === "after-text") yield { text: "", mark: "hang" };
  for (const call of calls(turn)) {
    yield { text: blockStart(index, { type: "tool_use", id: call.id, name: call.name, input: {} }) };
    for (const part of parts(call.text, turn)) {
      yield { text: blockDelta(index, { type: "input_json_delta", partial_json: part }), mark: "delta" };
      if (turn.cut === "in-tool-call") yield { text: "", mark: "cut" };
    }
    yield { text: blockStop(index++) };
  }
  if (turn.cut) yield { text: "", mark: "cut" };
  const reason = turn.finish ?? (turn.toolCalls?.length ? "tool_use" : "end_turn");
  const delta = { stop_reason: reason, stop_sequence: null };
  const counted = turn.usage === null ? undefined : { output_tokens: output };
  yield { text: event("message_delta", { delta, usage: counted }) };
  yield { text: event("message_stop", {}) };
}

export function calls(turn: FakeTurn): { id: string; name: string; text: string }[] {
  return (turn.toolCalls ?? []).map((call, position) => ({
    id: call.id ?? `call_fake_${position + 1}`,
    name: call.name,
    text: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
  }));
}

export function* parts(text: string | undefined, turn: FakeTurn): Generator<string> {
  const characters = [...(text ?? "")];
  const size = turn.chunkSize ?? 8;
  for (let start = 0; start < characters.length; start += size) yield characters.slice(start, start + size).join("");
}

function blockStart(index: number, block: unknown): string {
  return event("content_block_start", { index, content_block: block });
}

function blockDelta(index: number, delta: unknown): string {
  return event("content_block_delta", { index, delta });
}

function blockStop(index: number): string {
  return event("content_block_stop", { index });
}

function event(type: string, data: object): string {
  return `event: ${type}\n${sse({ type, ...data })}`;
}

/** An event that a test has written itself. */
export function rawPiece(data: unknown): Piece {
  return { text: typeof data === "string" ? `data: ${data}\n\n` : sse(data), mark: "delta" };
}

export function sse(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
