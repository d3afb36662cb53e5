// Anthropic's Messages, as spoken by the scripted outer model.

export const matches = (url) => url.includes("/messages");

export const readTools = (body) => (body.tools ?? []).map(({ name }) => ({ name: name ?? "" }));

export function readResults(body) {
  const blocks = body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return blocks.filter(({ type }) => type === "tool_result").map(({ content }) => toText(content));
}

export function write(response, { model = "scripted", stream = false }, { call, text }, id) {
  const block = call
    ? { type: "tool_use", id: `toolu_${id}`, name: call.name, input: call.args }
    : { type: "text", text };
  const stop_reason = call ? "tool_use" : "end_turn";
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: `msg_${id}`, type: "message", role: "assistant", model, content: [block], stop_reason, usage };
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(message));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send("message_start", { message: { ...message, content: [], stop_reason: null } });
  send("content_block_start", {
    index: 0,
    content_block: call ? { ...block, input: {} } : { type: "text", text: "" },
  });
  const delta = call
    ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) }
    : { type: "text_delta", text };
  send("content_block_delta", { index: 0, delta });
  send("content_block_stop", { index: 0 });
  send("message_delta", { delta: { stop_reason }, usage });
  send("message_stop", {});
  response.end();
}

function toText(content) {
  return typeof content === "string"
    ? content
    : (content ?? []).map((part) => part.text ?? JSON.stringify(part)).join("");
}
