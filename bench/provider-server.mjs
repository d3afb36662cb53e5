// The other side of providers.mjs and terminal.mjs: answers any request with a turn of 1,000 chunks, in the form of the wire
// that the path names, each chunk sent by itself; with a number as its argument with so many pieces of Markdown. Prints its
// address.
import { createServer } from "node:http";
import { markdownPieces } from "./markdown-pieces.mjs";

const pieces = Number(process.argv[2] ?? 0);
const words = pieces > 0 ? markdownPieces(pieces) : Array.from({ length: 1000 }, (_, index) => ` word${index % 10}`);
const usage = { input_tokens: 12, output_tokens: words.length, total_tokens: 12 + words.length };

function* chat() {
  const frame = { id: "chatcmpl-C1KMEUDb1vVwsROQUCZTgG6A6vtWo", object: "chat.completion.chunk", created: 1754432618 };
  const rest = { ...frame, model: "gpt-4o-2024-08-06", service_tier: "default", system_fingerprint: "fp_ff25b2783a" };
  const chunk = (delta, finish = null) =>
    sse({ ...rest, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], obfuscation: "jP9abrn9XF3" });
  yield chunk({ role: "assistant", content: "" });
  for (const word of words) yield chunk({ content: word });
  yield chunk({}, "stop");
  yield sse({
    ...rest,
    choices: [],
    usage: { prompt_tokens: 12, completion_tokens: words.length, total_tokens: 12 + words.length },
  });
  yield "data: [DONE]\n\n";
}

function* responses() {
  let sequence = 0;
  const event = (type, data) => sse({ type, sequence_number: sequence++, ...data }, type);
  const response = { id: "resp_1", object: "response", created_at: 1782321708, model: "gpt-5-2025-08-07" };
  const place = { output_index: 0, item_id: "msg_0a7836d50cf181dd016a3c122d1bc081", content_index: 0 };
  const item = { id: place.item_id, type: "message", role: "assistant" };
  const part = (text) => ({ type: "output_text", annotations: [], logprobs: [], text });
  const whole = { ...item, status: "completed", content: [part(words.join(""))] };
  yield event("response.created", { response: { ...response, status: "in_progress", output: [] } });
  yield event("response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress", content: [] } });
  yield event("response.content_part.added", { ...place, part: part("") });
  for (const word of words) {
    yield event("response.output_text.delta", { ...place, delta: word, logprobs: [], obfuscation: "sNc4iPfg3Q" });
  }
  yield event("response.output_text.done", { ...place, text: words.join(""), logprobs: [] });
  yield event("response.content_part.done", { ...place, part: part(words.join("")) });
  yield event("response.output_item.done", { output_index: 0, item: whole });
  yield event("response.completed", { response: { ...response, status: "completed", output: [whole], usage } });
}

function* messages() {
  const event = (type, data) => sse({ type, ...data }, type);
  const message = { id: "msg_017A4s3HAsrqf5d2WvBmrpLr", type: "message", role: "assistant", content: [] };
  yield event("message_start", { message: { ...message, model: "claude-sonnet-4-5-20250929", usage } });
  yield event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  for (const word of words) {
    yield event("content_block_delta", { index: 0, delta: { type: "text_delta", text: word } });
  }
  yield event("content_block_stop", { index: 0 });
  yield event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage });
  yield event("message_stop", {});
}

function sse(data, event) {
  return `${event ? `event: ${event}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
}

const bodies = {
  "openai-chat": [...chat()],
  "openai-responses": [...responses()],
  "anthropic-messages": [...messages()],
};

const server = createServer(async (request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of bodies[request.url.split("/")[1]]) {
    response.write(piece);
    // Without the turn of the loop the pieces would leave in one write.
    await new Promise(setImmediate);
  }
  response.end();
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
