// OpenAI's Responses, as spoken by the scripted outer model.

export const matches = (url) => url.includes("/responses");

/** A host may group the tools of a server under a name, which its calls then carry. */
export function readTools(body) {
  return (body.tools ?? []).flatMap(({ name, type, tools }) =>
    tools ? tools.map((tool) => ({ name: tool.name ?? "", namespace: name })) : [{ name: name ?? type }],
  );
}

export function readResults(body) {
  const items = Array.isArray(body.input) ? body.input : [];
  return items.filter(({ type }) => type === "function_call_output").map(({ output }) => toText(output));
}

export function write(response, { model = "scripted", stream = false }, { call, text }, id) {
  const item = call ? toCallItem(call, id) : toMessageItem(text, id);
  const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  const whole = {
    ...{ id: `resp_${id}`, object: "response", created_at: 1, status: "completed", model, output: [item] },
    ...{ parallel_tool_calls: false, tool_choice: "auto", tools: [] },
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, ...details },
  };
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(whole));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  let sequence_number = 0;
  const send = (type, data) =>
    response.write(
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...data })}\n\n`,
    );
  send("response.created", { response: { ...whole, status: "in_progress", output: [] } });
  send("response.output_item.added", { output_index: 0, item });
  if (call) sendArguments(send, item);
  else sendText(send, item, text);
  send("response.output_item.done", { output_index: 0, item });
  send("response.completed", { response: whole });
  response.end();
}

function toCallItem({ name, namespace, args }, id) {
  const item = { id: `fc_${id}`, type: "function_call", status: "completed", call_id: id, name };
  return { ...item, ...(namespace && { namespace }), arguments: JSON.stringify(args) };
}

function toMessageItem(text, id) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { id: `msg_${id}`, type: "message", status: "completed", role: "assistant", content };
}

function sendArguments(send, item) {
  const at = { item_id: item.id, output_index: 0 };
  send("response.function_call_arguments.delta", { ...at, delta: item.arguments });
  send("response.function_call_arguments.done", { ...at, arguments: item.arguments });
}

function sendText(send, item, text) {
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  send("response.content_part.added", { ...at, part: { type: "output_text", text: "", annotations: [] } });
  send("response.output_text.delta", { ...at, delta: text });
  send("response.output_text.done", { ...at, text });
  send("response.content_part.done", { ...at, part: item.content[0] });
}

function toText(output) {
  return typeof output === "string" ? output : (output ?? []).map((part) => part.text ?? JSON.stringify(part)).join("");
}
