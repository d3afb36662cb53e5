// The model of the scripts that ask, on OpenAI's chat wire: asks for `echo` once, then answers in `argv[3]` chunks
// (60) of one word, each sent by itself, `argv[2]` milliseconds apart, or all in one write where that is negative. Prints its address; counts the bytes it was sent.
import { createServer } from "node:http";

const pauseMs = Number(process.argv[2] ?? 0);
const words = Number(process.argv[3] ?? 60);

const frame = { id: "chatcmpl-C1KMEUDb1vVwsROQUCZTgG6A6vtWo", object: "chat.completion.chunk", created: 1754432618 };
const rest = { ...frame, model: "gpt-4o-2024-08-06", system_fingerprint: "fp_ff25b2783a" };

function chunk(delta, finish = null) {
  return sse({ ...rest, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
}

function sse(data) {
  return `data: ${JSON.stringify(data)}\n\n`;
}

const usage = sse({ ...rest, choices: [], usage: { prompt_tokens: 120, completion_tokens: 60, total_tokens: 180 } });
const answer = [
  chunk({ role: "assistant", content: "" }),
  ...Array.from({ length: words }, (_, index) => chunk({ content: ` word${index}` })),
  chunk({}, "stop"),
  usage,
  "data: [DONE]\n\n",
];

function callOf(tool) {
  const call = { index: 0, id: "call_1", type: "function", function: { name: tool, arguments: "" } };
  return [
    chunk({ role: "assistant", content: null, tool_calls: [call] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"text":"hello"}' } }] }),
    chunk({}, "tool_calls"),
    usage,
    "data: [DONE]\n\n",
  ];
}

const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  const { messages, tools } = JSON.parse(body);
  const isRead = messages.at(-1).role === "tool";
  response.writeHead(200, { "content-type": "text/event-stream", "x-bytes": body.length });
  const pieces = isRead ? answer : callOf(tools[0].function.name);
  for (const piece of pauseMs < 0 ? [pieces.join("")] : pieces) {
    response.write(piece);
    await new Promise((resolve) => (pauseMs > 0 ? setTimeout(resolve, pauseMs) : setImmediate(resolve)));
  }
  response.end();
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
