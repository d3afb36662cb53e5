// The model of first-text.mjs on OpenAI's chat wire: each turn begins with `It is @MICROSECONDS;`, where the time is when the words
// left, by the clock that all processes of a machine share, and goes on for a moment. The first request of a question that asks for a
// plan gets one, without a tool. Prints its address.
import { createServer } from "node:http";

const rest = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1754432618, model: "m" };
const plan = JSON.stringify({ steps: [{ step: 1, description: "Say it.", tool: "", parameters: {} }] });
const planned = new Set();

function sse(data) {
  return `data: ${JSON.stringify({ ...rest, ...data })}\n\n`;
}

function say(content) {
  return sse({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
}

const end = [
  sse({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
  sse({ choices: [], usage: { prompt_tokens: 120, completion_tokens: 60, total_tokens: 180 } }),
  "data: [DONE]\n\n",
].join("");

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function needsPlan(body) {
  // The questions before stand in the conversation.
  const run = [...body.matchAll(/Plan run (\w+)/g)].at(-1)?.[1];
  if (run === undefined || planned.has(run)) return false;
  planned.add(run);
  return true;
}

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(sse({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] }));
  if (needsPlan(body)) return response.end(say(plan) + end);
  // The time to the first word is never the same as that of a frame.
  await pause(60 + 40 * Math.random());
  response.write(say(`It is @${process.hrtime.bigint() / 1000n};`));
  await pause(80);
  response.end(say(" And on.") + end);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
