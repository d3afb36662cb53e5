// The model of conversation.mjs on OpenAI's chat wire: asks for `echo` once, then answers in 60 chunks; writes a summary when it has no
// tools. Reckons what a vendor's prompt cache holds of each request, and tells it as usage. Prints its address.
import { createServer } from "node:http";
import { createPromptCache } from "../test/fakes/prompt-cache.ts";

const cache = createPromptCache();
const frame = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1754432618, model: "bench" };
const chunk = (delta, finish = null) => sse({ ...frame, choices: [{ index: 0, delta, finish_reason: finish }] });
const sse = (data) => `data: ${JSON.stringify(data)}\n\n`;
let asked = 0;

const server = createServer(async (request, response) => {
  let text = "";
  for await (const piece of request) text += piece;
  const body = JSON.parse(text);
  const isRead = body.messages.at(-1).role === "tool" || !body.tools?.length;
  const { input, cached } = cache.reckon({ wire: "openai-chat", model: body.model, body });
  const usage = {
    prompt_tokens: input,
    completion_tokens: 60,
    total_tokens: input + 60,
    prompt_tokens_details: { cached_tokens: cached },
  };
  const args = JSON.stringify({ text: `line of a result, number ${asked}. `.repeat(20) });
  const call = { index: 0, id: `call_${asked++}`, type: "function", function: { name: "echo", arguments: args } };
  response.writeHead(200, { "content-type": "text/event-stream" });
  const words = Array.from({ length: 60 }, (_, index) => chunk({ content: ` word${index}` }));
  const said = isRead ? [...words, chunk({}, "stop")] : [chunk({ tool_calls: [call] }), chunk({}, "tool_calls")];
  for (const piece of [...said, sse({ ...frame, choices: [], usage }), "data: [DONE]\n\n"]) {
    response.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
