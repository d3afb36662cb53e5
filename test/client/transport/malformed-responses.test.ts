import type { ServerResponse } from "node:http";
import { parseJSONRPCMessage } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { createStreamableHttpLink } from "../../../src/client/transport/http.ts";
import { readMessage } from "../../../src/client/transport/malformed-responses.ts";
import { type FakeHttp, serveHttp, sessionServer } from "../../fakes/mcp-http.ts";
import { call, fake, http, readyPoolOf } from "../servers.ts";

/** What stands in place of a response, with `ID` for the id of its request. */
const malformed = [
  '{"jsonrpc":"2.0","id":ID}',
  '{"jsonrpc":"2.0","id":"ID","result":5}',
  '{"jsonrpc":"2.0","id":ID,"result":null}',
  '{"jsonrpc":"2.0","id":ID,"error":"no such city"}',
  '{"jsonrpc":"2.0","id":ID,"error":null}',
  '{"jsonrpc":"2.0","id":ID,"error":{"message":"no such city"}}',
  '{"jsonrpc":"2.0","id":ID,"error":{"code":5}}',
  '{"jsonrpc":"2.0","id":ID,"error":{"code":5.5,"message":"no such city"}}',
  '{"jsonrpc":"2.0","id":ID,"error":{"code":"E42","message":"no such city"}}',
  '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"error":null}',
  '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"took":5}',
  '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"_meta":5}}',
  '{"jsonrpc":"1.0","id":ID,"result":{"content":[]}}',
  '{"id":ID,"result":{"content":[]}}',
  '{"id":ID,"error":{"code":5,"message":"no such city"}}',
];

/** Limits how long a test takes that fails, in milliseconds. A call that has waited for it says so by its code. */
const timeoutMs = 30_000;

/** A good answer that comes after the malformed one: the call has failed before it is read. */
const late = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"late"}]}}';

const notification = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"step"}}';

test("over stdio a malformed response fails its call before the next line is read, by its server and its text", async () => {
  const pool = await readyPoolOf(fake("raw-replies", { timeoutMs }));
  for (const [index, reply] of malformed.entries()) {
    const { error, text } = await call(pool, "fake__echo", { reply: `${reply}\n${late}` });
    expect(error?.code, reply).toBe("bad_response");
    expect(text).toBe(
      `MCP server fake: what it sent is not a JSON-RPC response: ${reply.replace("ID", String(index + 2))}. The call may have taken effect; it is not sent again.`,
    );
  }
});

function toEvents(...messages: string[]): string {
  return messages.map((message) => `event: message\ndata: ${message}\n\n`).join("");
}

/** The forms in which one response is sent over HTTP. */
const forms: Record<string, (response: ServerResponse, reply: string, later: string) => void> = {
  "a body"(response, reply) {
    response.writeHead(200, { "content-type": "application/json" }).end(reply);
  },
  "a body of several messages"(response, reply) {
    response.writeHead(200, { "content-type": "application/json" }).end(`[${notification},${reply}]`);
  },
  "a stream"(response, reply, later) {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(toEvents(reply, later));
  },
  "a stream that stays open"(response, reply) {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(toEvents(reply));
  },
  "an event beside notifications"(response, reply, later) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(toEvents(notification, reply, notification, later));
  },
  "an event in two chunks"(response, reply, later) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const events = toEvents(notification, reply, later);
    const middle = events.indexOf(reply) + 10;
    response.write(events.slice(0, middle));
    response.end(events.slice(middle));
  },
  "an event in lines of CRLF, with an id"(response, reply, later) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`id: 7\n${toEvents(reply, later)}`.replaceAll("\n", "\r\n"));
  },
};

test.each(Object.entries(forms))(
  "over HTTP they fail their call before the next event is read, as %s",
  async (_, send) => {
    let reply = "";
    let sent = "";
    const server = await sessionServer(({ id }, response) => {
      sent = reply.replace("ID", String(id));
      send(response, sent, late.replace("ID", String(id)));
    });
    onTestFinished(() => server.close());
    const pool = await readyPoolOf(http(server.url, { timeoutMs }));
    for (reply of malformed) {
      const { error, text } = await call(pool, "web__ask");
      expect(error?.code, reply).toBe("bad_response");
      expect(text).toContain(`MCP server web: what it sent is not a JSON-RPC response: ${sent}.`);
    }
    expect(server.hits.filter(({ method }) => method === "GET")).toHaveLength(1);
  },
);

/** A server of 2024-11-05 that answers a call by these chunks of events. */
async function oldServerWith(toReply: (id: number) => string[]): Promise<FakeHttp> {
  let stream: ServerResponse | undefined;
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2024-11-05",
      capabilities: { tools: {} },
      serverInfo: { name: "old", version: "1" },
    },
    "tools/list": { tools: [{ name: "ask", inputSchema: { type: "object" } }] },
  };
  const server = await serveHttp((request, response, body) => {
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write("event: endpoint\ndata: /messages\n\n");
      return;
    }
    if (request.url !== "/messages") return void response.writeHead(404).end();
    response.writeHead(202).end();
    const { id, method }: { id?: number; method: string } = JSON.parse(body);
    const result = results[method];
    if (id === undefined) return;
    const chunks = result ? [toEvents(JSON.stringify({ jsonrpc: "2.0", id, result }))] : toReply(id);
    for (const chunk of chunks) stream?.write(chunk);
  });
  onTestFinished(() => server.close());
  return server;
}

test.each([1, 2])("over HTTP+SSE they fail their call before the next event is read, in chunks: %d", async (count) => {
  let reply = "";
  let sent = "";
  const server = await oldServerWith((id) => {
    sent = reply.replace("ID", String(id));
    const events = toEvents(notification, sent, late.replace("ID", String(id)));
    const middle = events.indexOf(sent) + 10;
    return count === 1 ? [events] : [events.slice(0, middle), events.slice(middle)];
  });
  const pool = await readyPoolOf({
    ...http(server.url, { timeoutMs }),
    transport: { type: "sse", url: server.url, headers: {} },
  });
  for (reply of malformed) {
    const { error, text } = await call(pool, "web__ask");
    expect(error?.code, reply).toBe("bad_response");
    expect(text).toContain(`MCP server web: what it sent is not a JSON-RPC response: ${sent}.`);
  }
});

test("over HTTP+SSE a good answer that comes in one chunk with a malformed one is used", async () => {
  const ids: number[] = [];
  const server = await oldServerWith((id) => {
    ids.push(id);
    const [first, second] = ids;
    if (second === undefined) return [];
    return [toEvents(`{"jsonrpc":"2.0","id":${first}}`, late.replace("ID", String(second)))];
  });
  const pool = await readyPoolOf({
    ...http(server.url, { timeoutMs }),
    transport: { type: "sse", url: server.url, headers: {} },
  });
  const results = await Promise.all([1, 2].map(() => call(pool, "web__ask")));
  expect(results).toMatchObject([{ error: { code: "bad_response" } }, { ok: true, text: "late" }]);
});

test("a response that fails shows no secret of its server", async () => {
  const reply = '{"jsonrpc":"2.0","id":ID,"result":"sk-CANARY-0123456789"}';
  const env = { FAKE_KEY: "sk-CANARY-0123456789" };
  const pool = await readyPoolOf(fake("raw-replies", { env, args: ["--reply", reply] }));
  const { error, text } = await call(pool, "fake__echo");
  expect(error?.code).toBe("bad_response");
  expect(text).not.toContain("CANARY");
});

test("a malformed response to the first list fails the start", async () => {
  const listed = '{"jsonrpc":"2.0","id":ID}';
  const pool = await readyPoolOf(fake("raw-replies", { args: ["--listed", listed] }));
  expect(pool.status()[0]).toMatchObject({ state: "failed", error: { code: "bad_response" } });
});

test("a result whose content is not a list fails the call, and one without content does not", async () => {
  const replyWith = (result: string) => ["--reply", `{"jsonrpc":"2.0","id":ID,"result":${result}}`];
  const wrong = await readyPoolOf(fake("raw-replies", { args: replyWith('{"content":"sunny"}') }));
  expect(await call(wrong, "fake__echo")).toMatchObject({
    error: { code: "bad_response" },
    text: expect.stringContaining('MCP server fake: what it sent as content is not a list: "sunny".'),
  });
  const structured = await readyPoolOf(
    fake("raw-replies", { args: replyWith('{"structuredContent":{"sky":"blue"}}') }),
  );
  expect(await call(structured, "fake__echo")).toMatchObject({ ok: true, text: expect.stringContaining("blue") });
});

test("what a server of 2026-07-28 has sent in the wrong form is told on one line", async () => {
  const reply = '{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","content":"sunny"}}';
  const pool = await readyPoolOf(fake("modern-only", { args: ["--reply", reply] }));
  const { error, text } = await call(pool, "fake__echo");
  expect(error?.code).toBe("bad_response");
  expect(text).toMatch(
    /^MCP server fake: Invalid result for tools\/call: content: .* expected array, received string\. /,
  );
});

test.each([
  { jsonrpc: "2.0", id: 1, method: "ping", params: 5 },
  { jsonrpc: "2.0", method: "notifications/message", params: 5 },
  { jsonrpc: "2.0", id: null, result: 5 },
  { jsonrpc: "2.0", id: {}, result: 5 },
  { id: 1, level: "info" },
  { id: 1, error: "disk full" },
  [],
  null,
])("%j is not taken for a malformed response", (value) => {
  expect(readMessage(value, parseJSONRPCMessage)).toBeUndefined();
});

test("good messages are parsed by the package alone, and not a second time", async () => {
  const parse = vi.fn(parseJSONRPCMessage);
  const sdk = { ...(await import("@modelcontextprotocol/client")), parseJSONRPCMessage: parse };
  let form = "";
  const reply = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, result: {} });
  const server = await serveHttp((_request, response, body) => {
    const { id } = JSON.parse(body);
    forms[form]?.(response, reply(id), notification);
  });
  onTestFinished(() => server.close());
  const { transport } = createStreamableHttpLink(sdk, { type: "http", url: server.url, headers: {} }, undefined);
  onTestFinished(() => transport.close());
  await transport.start();
  for (form of Object.keys(forms)) {
    const answered = new Promise<unknown>((resolve) => {
      transport.onmessage = (message) => "result" in message && resolve(message.id);
    });
    await transport.send({ jsonrpc: "2.0", id: form, method: "ping" });
    expect(await answered).toBe(form);
  }
  expect(parse).not.toHaveBeenCalled();
});
