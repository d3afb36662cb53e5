import { isRecord } from "../../src/kit/json.ts";
import type { FakeTurn, JournalEntry } from "./provider.ts";
import { calls, type Piece, parts, sse } from "./provider-wires.ts";

/** What the fake gives out as a model's encrypted reasoning, and takes back from that model alone. */
export function encryptedFor(model: string): string {
  return `encrypted-by-${model}`;
}

/** A scripted turn as the events of OpenAI's Responses. `finish` is a reason to be incomplete, or `failed`. */
export function* responsePieces(turn: FakeTurn, entry: JournalEntry): Generator<Piece> {
  let sequence = 0;
  const event = (type: string, fields: object): string =>
    `event: ${type}\n${sse({ type, ...fields, sequence_number: sequence++ })}`;
  const frame = { id: "resp_fake", object: "response", created_at: 1_790_000_000, model: entry.model, store: false };
  const running = { ...frame, status: "in_progress", output: [], usage: null };
  yield { text: event("response.created", { response: running }) };
  yield { text: event("response.in_progress", { response: running }) };
  const output: object[] = [];
  // Ids are unique in a conversation, as the vendor's are.
  const newId = (kind: string): string => `${kind}_fake_${listLength(entry.body.input)}_${output.length}`;

  if (turn.reasoning) {
    const item = { id: newId("rs"), type: "reasoning" };
    const place = { item_id: item.id, output_index: output.length, summary_index: 0 };
    // The first is not whole: "the encrypted_content in response.output_item.added may be incomplete".
    const added = { ...item, summary: [], encrypted_content: "incomplete" };
    const done = {
      ...item,
      summary: [{ type: "summary_text", text: turn.reasoning }],
      encrypted_content: encryptedFor(entry.model),
    };
    yield { text: event("response.output_item.added", { output_index: output.length, item: added }) };
    for (const part of parts(turn.reasoning, turn)) {
      yield { text: event("response.reasoning_summary_text.delta", { ...place, delta: part }), mark: "delta" };
    }
    yield { text: event("response.output_item.done", { output_index: output.length, item: done }) };
    output.push(done);
  }

  if (turn.text) {
    const item = { id: newId("msg"), type: "message", role: "assistant", phase: phaseOf(turn) };
    const place = { item_id: item.id, output_index: output.length, content_index: 0 };
    const added = { ...item, status: "in_progress", content: [] };
    const part = { type: "output_text", text: turn.text, annotations: [], logprobs: [] };
    yield { text: event("response.output_item.added", { output_index: output.length, item: added }) };
    for (const delta of parts(turn.text, turn)) {
      yield { text: event("response.output_text.delta", { ...place, delta, logprobs: [] }), mark: "delta" };
    }
    if (turn.hang === "after-text") yield { text: "", mark: "hang" };
    yield { text: event("response.output_text.done", { ...place, text: turn.text, logprobs: [] }) };
    const done = { ...item, status: "completed", content: [part] };
    yield { text: event("response.output_item.done", { output_index: output.length, item: done }) };
    output.push(done);
  }
  if (turn.hang === "after-text") yield { text: "", mark: "hang" };

  for (const call of calls(turn)) {
    const item = { id: newId("fc"), type: "function_call", call_id: call.id, name: call.name };
    const place = { item_id: item.id, output_index: output.length };
    const added = { ...item, status: "in_progress", arguments: "" };
    yield { text: event("response.output_item.added", { output_index: output.length, item: added }), mark: "delta" };
    for (const delta of parts(call.text, turn)) {
      yield { text: event("response.function_call_arguments.delta", { ...place, delta }), mark: "delta" };
      if (turn.cut === "in-tool-call") yield { text: "", mark: "cut" };
    }
    yield { text: event("response.function_call_arguments.done", { ...place, arguments: call.text }) };
    const done = { ...item, status: "completed", arguments: call.text };
    yield { text: event("response.output_item.done", { output_index: output.length, item: done }) };
    output.push(done);
  }
  if (turn.cut) yield { text: "", mark: "cut" };
  yield { text: ending(turn, { ...frame, output, usage: usageOf(turn) }, event) };
}

function ending(turn: FakeTurn, response: object, event: (type: string, fields: object) => string): string {
  if (turn.finish === undefined || turn.finish === "completed") {
    return event("response.completed", { response: { ...response, status: "completed", incomplete_details: null } });
  }
  if (turn.finish === "failed") {
    const error = { code: "server_error", message: "The model failed." };
    return event("response.failed", { response: { ...response, status: "failed", error } });
  }
  const incomplete_details = { reason: turn.finish };
  return event("response.incomplete", { response: { ...response, status: "incomplete", incomplete_details } });
}

/** What a model says beside its calls is a comment; what it says without them is its answer. */
function phaseOf(turn: FakeTurn): string {
  return turn.toolCalls?.length ? "commentary" : "final_answer";
}

function usageOf(turn: FakeTurn): object | null {
  if (turn.usage === null) return null;
  const { input = 10, output = 5, cached = 0 } = turn.usage ?? {};
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

function listLength(value: unknown): number {
  return Array.isArray(value) ? value.filter(isRecord).length : 0;
}
