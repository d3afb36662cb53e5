// How soon a model sees that its caller has cancelled or left, by each way in: a part of http.mjs. The model says one word and
// nothing more; its request is timed from the cancel to its end. The worst of all is what counts.
import { once } from "node:events";
import { createServer, request } from "node:http";

const first = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1754432618, model: "m" };
const word = { index: 0, delta: { role: "assistant", content: "Well" }, finish_reason: null };

/** A model that hangs; each request is given away as its response, once the word is sent. */
export async function startHangingModel() {
  const begun = [];
  let onBegin = () => {};
  const server = createServer(async (asked, response) => {
    asked.resume();
    await once(asked, "end");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify({ ...first, choices: [word] })}\n\n`, () => {
      begun.push(response);
      onBegin();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    provider: { wire: "openai-chat", baseUrl: `http://127.0.0.1:${server.address().port}/v1`, apiKeyEnv: "BENCH_KEY" },
    /** Rejects after ten seconds. */
    async next() {
      const ends = AbortSignal.timeout(10_000);
      while (begun.length === 0)
        await new Promise((resolve, reject) => {
          onBegin = resolve;
          ends.onabort = () => reject(new Error("the model was not asked"));
        });
      return begun.shift();
    },
    close: () => void server.close().closeAllConnections(),
  };
}

/** Milliseconds from each cancel to the end of the model's request; `begin` asks and gives the way to cancel. */
export async function cancelTimes(model, begin, times) {
  const found = [];
  for (let count = 0; count < times; count++) {
    const cancel = begin(count);
    const response = await model.next();
    const closed = once(response, "close", { signal: AbortSignal.timeout(30_000) });
    const cancelled = performance.now();
    cancel();
    await closed;
    found.push(performance.now() - cancelled);
  }
  return found;
}

/** Over HTTP a caller cancels by leaving. */
export function posting(url, body, headers = {}) {
  const text = JSON.stringify(body);
  const all = { "content-type": "application/json", "content-length": Buffer.byteLength(text), ...headers };
  const sent = request(url, { method: "POST", headers: all });
  sent.on("error", () => {});
  sent.end(text);
  return () => sent.destroy();
}

/** Over stdio, and over HTTP in the revision of 2025, by a notification. */
export function calling(send, id) {
  send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "agent_ask", arguments: { question: "Wait." } } });
  return () => send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
}
