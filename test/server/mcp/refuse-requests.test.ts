// The built program is asked the same in invalid-requests.test.ts; these run the source, with the package's own stdio.
import { PassThrough } from "node:stream";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { expect, onTestFinished, test } from "vitest";
import { refuseInvalidRequests } from "../../../src/server/mcp/refuse-requests.ts";
import { SchemaServer } from "../../../src/server/mcp/schema-server.ts";
import { createUnreadableLines } from "../../../src/server/mcp/unreadable-lines.ts";
import { modernMeta } from "../../fakes/http-interface.ts";

interface Reply {
  id?: unknown;
  result?: object;
  error?: { code: number; message: string };
}

/** Serves an empty list of tools over stdio; `send` writes a message and `replyTo` waits for what is answered. */
function openServer() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const transport = new StdioServerTransport(stdin, stdout);
  const told: string[] = [];
  const unreadable = createUnreadableLines({
    transport,
    locale: "en",
    log: (line) => void told.push(line),
    getRevision: () => server?.server.getNegotiatedProtocolVersion(),
  });
  const replies: Reply[] = [];
  stdout.on("data", (line) => replies.push(JSON.parse(line)));
  let server: SchemaServer | undefined;
  const handle = serveStdio(
    () => {
      server = new SchemaServer({ name: "test", version: "1" }, { capabilities: { tools: {} } }, "en");
      server.server.setRequestHandler("tools/list", () => ({ tools: [] }));
      return server;
    },
    { transport, onerror: unreadable.onError },
  );
  unreadable.follow(stdin);
  onTestFinished(() => handle.close());
  return {
    told,
    replies,
    server: () => server?.server,
    sendBatch: (...messages: unknown[]) => void stdin.write(`${JSON.stringify(messages)}\n`),
    send: (message: object) => void stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    replyTo: (id: unknown) => expect.poll(() => replies.find((reply) => reply.id === id)),
  };
}

const initialize = {
  ...{ id: "hello", method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: { roots: {} }, clientInfo: { name: "test", version: "1" } },
};

test("what a schema of the package refuses is an error of the host, by the name of its field", async () => {
  const { send, replyTo } = openServer();
  send(initialize);
  send({ id: 1, method: "tools/list", params: { cursor: 5 } });
  await replyTo(1).toMatchObject({
    error: { code: -32602, message: "cursor: 5 is not allowed (allowed: a string)" },
  });
  send({ id: 2, method: "tools/list" });
  await replyTo(2).toMatchObject({ result: { tools: [] } });
});

test("a request with a wrong frame is answered, and the lines after it are read", async () => {
  const { send, replyTo, replies, told } = openServer();
  send(initialize);
  send({ id: 1, method: "ping", params: null });
  send({ id: 2, method: "ping" });
  await replyTo(1).toMatchObject({ error: { code: -32600 } });
  await replyTo(2).toMatchObject({ result: {} });
  expect(replies).toHaveLength(3);
  expect(told).toEqual(["A message from the host was refused: params: null is not allowed (allowed: an object)"]);
});

const batch = [
  { jsonrpc: "2.0", id: 10, method: "ping" },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 11, method: "tools/list" },
];

test("a batch is answered message by message where the revision has batches", async () => {
  const { send, sendBatch, replyTo, told } = openServer();
  send({ ...initialize, params: { ...initialize.params, protocolVersion: "2025-03-26" } });
  await replyTo("hello").toBeDefined();
  const late = { jsonrpc: "2.0", ...initialize, id: 13 };
  sendBatch(...batch, { jsonrpc: "2.0", id: 12, method: "ping", params: null }, [batch], late);
  await replyTo(10).toMatchObject({ result: {} });
  await replyTo(11).toMatchObject({ result: { tools: [] } });
  await replyTo(12).toMatchObject({ error: { code: -32600 } });
  await replyTo(13).toMatchObject({ error: { code: -32600, message: expect.stringContaining("initialize is not") } });
  expect(told).toEqual([expect.stringMatching(/^3 messages of a batch .+ the first one because: params: null is not/)]);
});

test.each(["2025-03-26", "2025-11-25"])(
  "a batch of more than 100 messages is one error in %s",
  async (protocolVersion) => {
    const { send, sendBatch, replyTo, replies, told } = openServer();
    send({ ...initialize, params: { ...initialize.params, protocolVersion } });
    await replyTo("hello").toBeDefined();
    sendBatch(...Array.from({ length: 101 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" })));
    send({ id: "after", method: "ping" });
    await replyTo("after").toMatchObject({ result: {} });
    const message = "the batch is too long: received 101 messages (allowed: at most 100)";
    expect(replies.slice(1, -1)).toEqual([{ jsonrpc: "2.0", error: { code: -32600, message } }]);
    expect(told).toEqual([`A message from the host was refused: ${message}`]);
  },
);

test("a batch of another revision is refused, and each who waits for an answer is told", async () => {
  const { send, sendBatch, replyTo, replies, told } = openServer();
  send(initialize);
  await replyTo("hello").toBeDefined();
  sendBatch(...batch);
  const error = { code: -32600, message: expect.stringContaining("message batches are not supported") };
  await replyTo(10).toMatchObject({ error });
  await replyTo(11).toMatchObject({ error });
  expect(replies).toHaveLength(3);
  expect(told).toHaveLength(1);
});

test("a response that cannot be read fails its request here, and none of the host's", async () => {
  const { send, replyTo, replies, server } = openServer();
  send(initialize);
  send({ method: "notifications/initialized" });
  await replyTo("hello").toBeDefined();
  const asked = server()?.listRoots();
  send({ id: 1, result: "none" });
  await expect(asked).rejects.toThrow('result: "none" is not allowed');
  expect(replies.filter(({ error }) => error !== undefined)).toEqual([]);
});

test.each([
  [{ result: {}, took: 5 }, "took: 5 is not allowed (allowed: jsonrpc, id, result)"],
  [{ result: { _meta: 5 } }, "result._meta: 5 is not allowed (allowed: an object)"],
  [{ error: { code: "E42", message: "no" } }, 'error.code: "E42" is not allowed (allowed: an integer)'],
])("the response %j fails its request, too", async (response, line) => {
  const { send, replyTo, replies, server } = openServer();
  send(initialize);
  send({ method: "notifications/initialized" });
  await replyTo("hello").toBeDefined();
  const asked = server()?.listRoots();
  send({ id: 1, ...response });
  await expect(asked).rejects.toThrow(line);
  expect(replies.filter(({ error }) => error !== undefined)).toEqual([]);
});

test("what the package reports as invalid while no line is read is told to the operator", () => {
  const told: string[] = [];
  const transport = new StdioServerTransport(new PassThrough(), new PassThrough());
  const log = (line: string) => void told.push(line);
  const unreadable = createUnreadableLines({ transport, locale: "en", log, getRevision: () => undefined });
  const stdin = new PassThrough();
  unreadable.follow(stdin);
  const invalid = Object.assign(new Error("of no line"), { name: "ZodError" });
  unreadable.onError(invalid);
  expect(told).toEqual(["of no line"]);
  const message = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  stdin.emit("data", Buffer.from(message));
  unreadable.onError(invalid);
  expect(told).toEqual(["of no line", "of no line"]);
});

test("a request that was cancelled is no longer known when something is answered to it", async () => {
  const [transport, host] = InMemoryTransport.createLinkedPair();
  const answers: unknown[] = [];
  host.onmessage = (message) => void answers.push(message);
  transport.onmessage = () => {};
  await host.start();
  await transport.start();
  refuseInvalidRequests(transport, "en");
  const issues = [{ code: "invalid_type", expected: "string", path: ["params", "cursor"], message: "" }];
  const refusal = { jsonrpc: "2.0" as const, error: { code: -32603, message: JSON.stringify(issues) } };
  for (const id of [1, 2]) await host.send({ jsonrpc: "2.0", id, method: "tools/list", params: { cursor: 5 } });
  await host.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  for (const id of [1, 2]) await transport.send({ ...refusal, id });
  expect(answers).toMatchObject([
    { id: 1, error: refusal.error },
    { id: 2, error: { code: -32602 } },
  ]);
});

test("a later request of another revision is refused, and those of the first one go on", async () => {
  const { send, replyTo } = openServer();
  const other = { ...modernMeta, "io.modelcontextprotocol/protocolVersion": "2030-01-01" };
  send({ id: 1, method: "tools/list", params: { _meta: modernMeta } });
  send({ id: 2, method: "tools/list", params: { _meta: other } });
  send({ id: 3, method: "tools/list", params: { _meta: modernMeta } });
  await replyTo(2).toMatchObject({ error: { code: -32022, data: { supported: ["2026-07-28"] } } });
  await replyTo(1).toMatchObject({ result: { tools: [] } });
  await replyTo(3).toMatchObject({ result: { tools: [] } });
});
