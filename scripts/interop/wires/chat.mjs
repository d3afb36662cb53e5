// OpenAI's chat completions, as spoken by the scripted outer model.

/** Says whether a request is for this wire. */
export const matches = (url) => url.includes("/chat/completions");

export const readTools = (body) => (body.tools ?? []).map((tool) => ({ name: tool.function?.name ?? "" }));

/** Returns what the model was given for each call, in order, as text. */
export function readResults(body) {
  return body.messages.filter(({ role }) => role === "tool").map(({ content }) => toText(content));
}

export function write(response, { model = "scripted", stream = false }, { call, text }, id) {
  const toolCall = call && {
    id,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  };
  const message = call
    ? { role: "assistant", content: null, tool_calls: [{ index: 0, ...toolCall }] }
    : { role: "assistant", content: text };
  const finish_reason = call ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const frame = { id: `chatcmpl-${id}`, created: 1, model };
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json" });
    const choices = [{ index: 0, message, finish_reason }];
    response.end(JSON.stringify({ ...frame, object: "chat.completion", choices, usage }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const sendChunk = (delta, finish) =>
    send(response, {
      ...frame,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  sendChunk(message, null);
  sendChunk({}, finish_reason);
  send(response, { ...frame, object: "chat.completion.chunk", choices: [], usage });
  response.end("data: [DONE]\n\n");
}

function send(response, data) {
  response.write(`data: ${JSON.stringify(data)}\n\n`);
}

function toText(content) {
  return typeof content === "string"
    ? content
    : (content ?? []).map((part) => part.text ?? JSON.stringify(part)).join("");
}
