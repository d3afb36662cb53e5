// The model of streams.mjs on OpenAI's chat wire. Asked for "run N" it says words, one in a chunk, `argv[2]` milliseconds apart:
// `N.INDEX@MICROSECONDS;`, where the time is when the word left, by the clock that all processes of a machine share. Asked for a
// flood it says pieces of 64 KB instead, `argv[4]` bytes in all, as fast as they are taken. Prints its address.
import { once } from "node:events";
import { createServer } from "node:http";

const [pauseMs, words, floodBytes] = process.argv.slice(2).map(Number);
const rest = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1754432618, model: "m" };
const piece = "flood ".repeat(10_923);

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

async function speak(run, response) {
  for (let index = 0; index < words && !response.destroyed; index++) {
    response.write(say(`${run}.${index}@${process.hrtime.bigint() / 1000n}; `));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function flood(response) {
  const closed = once(response, "close");
  for (let sent = 0; sent < floodBytes && !response.destroyed; sent += piece.length)
    if (!response.write(say(piece)))
      await Promise.race([new Promise((resolve) => response.once("drain", resolve)), closed]);
}

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const run = /Say run (\d+)/.exec(body)?.[1];
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(sse({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] }));
  await (run === undefined ? flood(response) : speak(run, response));
  response.end(end);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
