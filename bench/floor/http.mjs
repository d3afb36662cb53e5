// The floor behind OpenAI's chat API: the loop by hand on a server of Node, which sends an event for each piece of the answer and keeps
// nothing. `node http.mjs MODEL_URL TOOL_SERVER` prints its address.
import { createServer } from "node:http";
import { openFloor } from "./loop.mjs";

const [url, toolServer] = process.argv.slice(2);
const { ask } = await openFloor(url, { command: process.execPath, args: [toolServer] });
const frame = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1754432618, model: "floor" };

const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  const { messages, stream } = JSON.parse(body);
  const question = messages.at(-1).content;
  const sendChunk = (delta, finish_reason = null) =>
    response.write(`data: ${JSON.stringify({ ...frame, choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  if (!stream) {
    const message = { role: "assistant", content: await ask(question) };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...frame, choices: [{ index: 0, message, finish_reason: "stop" }] }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  await ask(question, (content) => sendChunk({ content }));
  sendChunk({}, "stop");
  response.end("data: [DONE]\n\n");
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
