import { expect, onTestFinished, test } from "vitest";
import { replaceMalformedEvents, toMalformedError } from "../../../src/client/transport/malformed-responses.ts";
import { sessionServer } from "../../fakes/mcp-http.ts";
import { call, fake, http, readyPoolOf } from "../servers.ts";

/** If the package alone read them, a call would wait for this limit, in milliseconds. */
const timeoutMs = 3000;

/** What stands in place of a response, with `ID` for the id of its request. */
const malformed = [
  '{"jsonrpc":"2.0","id":ID}',
  '{"jsonrpc":"2.0","id":"ID","result":5}',
  '{"jsonrpc":"2.0","id":ID,"result":null}',
  '{"jsonrpc":"2.0","id":ID,"error":"no such city"}',
  '{"jsonrpc":"2.0","id":ID,"error":{"message":"no such city"}}',
  '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"error":null}',
];

test.each(malformed)("over stdio the response %s fails its call at once, by its server and its text", async (reply) => {
  const pool = await readyPoolOf(fake("raw-replies", { timeoutMs, args: ["--reply", reply] }));
  const { error, text } = await call(pool, "fake__echo");
  expect(error?.code).toBe("bad_response");
  expect(text).toBe(
    `MCP server fake: what it sent is not a JSON-RPC response: ${reply.replace("ID", "2")}. The call may have taken effect; it is not sent again.`,
  );
});

test.each(["a body", "a stream", "a stream that stays open"])("over HTTP they fail it as well, as %s", async (form) => {
  for (const reply of malformed) {
    const server = await sessionServer(({ id }, response) => {
      const text = reply.replace("ID", String(id));
      const type = form === "a body" ? "application/json" : "text/event-stream";
      response.writeHead(200, { "content-type": type });
      response.write(form === "a body" ? text : `event: message\ndata: ${text}\n\n`);
      if (form !== "a stream that stays open") response.end();
    });
    onTestFinished(() => server.close());
    const pool = await readyPoolOf(http(server.url, { timeoutMs }));
    const { error, text } = await call(pool, "web__ask");
    expect(error?.code).toBe("bad_response");
    expect(text).toContain(`MCP server web: what it sent is not a JSON-RPC response: ${reply.replace("ID", "2")}.`);
  }
});

test("a response that fails shows no secret of its server", async () => {
  const reply = '{"jsonrpc":"2.0","id":ID,"result":"sk-CANARY-0123456789"}';
  const env = { FAKE_KEY: "sk-CANARY-0123456789" };
  const pool = await readyPoolOf(fake("raw-replies", { timeoutMs, env, args: ["--reply", reply] }));
  const { error, text } = await call(pool, "fake__echo");
  expect(error?.code).toBe("bad_response");
  expect(text).not.toContain("CANARY");
});

test("a first list that is no response fails the start at once", async () => {
  const listed = '{"jsonrpc":"2.0","id":ID}';
  const pool = await readyPoolOf(fake("raw-replies", { startTimeoutMs: 60_000, args: ["--listed", listed] }));
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
  const pool = await readyPoolOf(fake("modern-only", { timeoutMs, args: ["--reply", reply] }));
  const { error, text } = await call(pool, "fake__echo");
  expect(error?.code).toBe("bad_response");
  expect(text).toMatch(
    /^MCP server fake: Invalid result for tools\/call: content: .* expected array, received string\. /,
  );
});

test.each([
  { jsonrpc: "2.0", id: 1, result: {} },
  { jsonrpc: "2.0", id: "a", error: { code: 1, message: "m" } },
  { jsonrpc: "2.0", id: 1, method: "ping", params: 5 },
  { jsonrpc: "2.0", method: "notifications/message" },
  { jsonrpc: "2.0", id: null, result: 5 },
  { jsonrpc: "2.0", id: {}, result: 5 },
  { id: 1, level: "info" },
  [],
  null,
])("%j is not taken for a malformed response", (value) => {
  expect(toMalformedError(value)).toBeUndefined();
});

function toEvents(...messages: object[]): string {
  return messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join("");
}

test.each([
  toEvents({ jsonrpc: "2.0", id: 1, result: { content: [] } }),
  toEvents({ jsonrpc: "2.0", method: "notifications/progress", params: {} }),
  toEvents({ jsonrpc: "2.0", id: 1, error: { code: -1, message: "m" } }),
  toEvents({ jsonrpc: "2.0", id: 1, result: { content: [], structuredContent: { error: null } } }),
  `: keep-alive\n\n`,
  `data: {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}\n\n`,
  `data: {"jsonrpc":"2.0","id":1`,
])("the events %j go on as they are", (text) => {
  const chunk = Buffer.from(text);
  expect(replaceMalformedEvents(chunk)).toBe(chunk);
});

test("of several events the malformed one alone is replaced", () => {
  const good = toEvents({ jsonrpc: "2.0", id: 1, result: { error: null } });
  const bad = `data: {"jsonrpc":"2.0","id":2,"result":{},"error":null}\r\n\r\n`;
  const replaced = Buffer.from(replaceMalformedEvents(Buffer.from(good + bad))).toString("utf8");
  expect(replaced.startsWith(`${good}data: {"jsonrpc":"2.0","id":2,"error":{"code":-32096`)).toBe(true);
});
