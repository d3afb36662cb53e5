import { setImmediate as turn } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Authenticate } from "../../../../src/server/http/auth/open-auth.ts";
import type { StopRuns } from "../../../../src/server/http/mcp/abandoned-runs.ts";
import { createSqlSharedRecords } from "../../../../src/store/sql/records/shared-records.ts";
import { openStoreConnection } from "../../../../src/store/sqlite/connection.ts";
import {
  call,
  initialize,
  messagesOf,
  openSession,
  openSocket,
  post,
  type RawSession,
  type ServedFace,
  sendRaw,
  startHttpFace,
} from "../../../fakes/http-interface.ts";
import { storeFile } from "../../../store/stores.ts";

/** Who says "I am a" is a. */
const byName: Authenticate = async (request) => {
  const owner = request.headers.get("authorization") ?? undefined;
  return { caller: owner === undefined ? {} : { owner } };
};

let face: ServedFace;
beforeAll(async () => {
  face = await startHttpFace({ authenticate: byName, http: { maxSessions: 4 } });
});
afterAll(() => face.close());

const due = { "content-type": "application/json", accept: "application/json, text/event-stream" };

function send(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(face.url, { method: "POST", headers: { ...due, ...headers }, body: JSON.stringify(body) });
}

test("a session lives from initialize to DELETE", async () => {
  const session = await openSession(face.url);
  const answer = await session.send(call(1, "echo", { text: "hello" }));
  expect(messagesOf(await answer.text())).toMatchObject([{ id: 1, result: { structuredContent: { text: "hello" } } }]);
  const ended = await fetch(face.url, { method: "DELETE", headers: { "mcp-session-id": session.id } });
  expect(ended.status).toBe(200);
  expect((await session.send(call(2, "echo", { text: "x" }))).status).toBe(404);
});

test("a request without a session is told so, one with an unknown session gets 404", async () => {
  expect((await send(call(1, "echo"))).status).toBe(400);
  expect((await send(call(1, "echo"), { "mcp-session-id": "no-such" })).status).toBe(404);
  expect((await fetch(face.url, { headers: { accept: "text/event-stream" } })).status).toBe(400);
});

test("an initialize that cannot be read is refused by its wrong field, unless its headers are refused first", async () => {
  const wrong = { ...initialize, params: { ...initialize.params, protocolVersion: 5 } };
  const error = { code: -32602, message: "protocolVersion: 5 is not allowed (allowed: a string)" };
  const refused = await send(wrong);
  expect([refused.status, await refused.json()]).toMatchObject([400, { jsonrpc: "2.0", id: 0, error }]);
  for (const body of [wrong, initialize]) {
    const unacceptable = await send(body, { accept: "application/json" });
    expect([unacceptable.status, await unacceptable.json()]).toMatchObject([406, { error: { code: -32000 } }]);
  }
});

test("another caller's session is not there", async () => {
  const session = await openSession(face.url, { authorization: "a" });
  const mine = await session.send(call(1, "who"));
  expect(await mine.text()).toContain('"a"');
  const theirs = await session.send(call(2, "who"), { authorization: "b" });
  const unknown = await send(call(2, "who"), { "mcp-session-id": "no-such", authorization: "b" });
  expect(theirs.status).toBe(404);
  const text = await theirs.text();
  expect(text).toContain(`Session not found: \\"${session.id}\\" (send initialize to start a new one)`);
  expect(text.replace(session.id, "no-such")).toBe(await unknown.text());
});

test("what another caller sends for it to another process is refused, and changes nothing", async () => {
  const connection = await openStoreConnection(await storeFile(), { patienceMs: 0, onDamage() {}, onReplace() {} });
  onTestFinished(() => connection.close());
  function* readNow() {
    yield* [];
    return Date.now();
  }
  const records = createSqlSharedRecords(connection, readNow);
  const stopped: unknown[] = [];
  const open = async () => {
    const stopRuns: StopRuns = async (...request) => void stopped.push(request);
    const opened = await startHttpFace({ authenticate: byName, findRecords: async () => records, stopRuns });
    onTestFinished(opened.close);
    return opened;
  };
  const [here, there] = [await open(), await open()];
  const session = await openSession(here.url, { authorization: "a" });
  const as = (owner: string) => ({ ...due, "mcp-session-id": session.id, authorization: owner });
  const toPost = (message: object) => ({ method: "POST", body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  const answer = toPost({ id: "0123456789ab-0", result: {} });
  const cancel = toPost({ method: "notifications/cancelled", params: { requestId: 1 } });
  const end = { method: "DELETE" };
  const sendAs = async (owner: string, message: typeof answer | typeof end) =>
    (await fetch(there.url, { ...message, headers: as(owner) })).status;
  for (const message of [answer, cancel, end]) expect(await sendAs("b", message)).toBe(404);
  expect(await records.list("mcp-message", "")).toEqual([]);
  expect([await sendAs("a", cancel), await sendAs("a", end)]).toEqual([202, 200]);
  expect(await records.list("mcp-message", "")).toHaveLength(2);
  // What would be done after a while is done when the process ends.
  await there.close();
  const sessionId = session.id;
  await expect.poll(() => stopped).toHaveLength(2);
  expect(stopped).toEqual(
    expect.arrayContaining([
      [{ sessionId }, { owner: "a" }],
      [{ sessionId, requestId: 1 }, { owner: "a" }],
    ]),
  );
});

test("a client that closes its connection aborts what it waited for", async () => {
  const session = await openSession(face.url);
  const socket = await openSocket(face.port);
  socket.write(post(face.port, call("gone", "wait"), { "mcp-session-id": session.id, connection: "keep-alive" }));
  await face.begun();
  socket.destroy();
  await face.aborted();
  const answer = await session.send(call("gone", "echo", { text: "the id is free again" }));
  expect(await answer.text()).toContain("free again");
});

/** What a client of the revision sends whose streams can be resumed. */
const newest = { "mcp-protocol-version": "2025-11-25" };

function listenAgain(session: RawSession, lastEvent: string): Promise<Response> {
  const headers = { accept: "text/event-stream", "mcp-session-id": session.id, "last-event-id": lastEvent };
  return fetch(face.url, { headers: { ...headers, ...newest } });
}

/** Reads a stream until it has an event with an id; gives the id. */
async function readId(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  let text = "";
  for (;;) {
    const { value } = await reader.read();
    text += Buffer.from(value ?? []).toString("utf8");
    const [, id] = /^id: (.+)$/m.exec(text) ?? [];
    if (id !== undefined) return id;
  }
}

test("a client that has lost its connection gets the rest, and its call has gone on", async () => {
  const session = await openSession(face.url);
  const controller = new AbortController();
  const response = await fetch(face.url, {
    method: "POST",
    headers: { ...due, ...newest, "mcp-session-id": session.id },
    body: JSON.stringify(call(5, "held")),
    signal: controller.signal,
  });
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error("no stream");
  const id = await readId(reader);
  controller.abort();
  // Its loss has been noticed when the next request is answered.
  await (await session.send(call(6, "echo", { text: "x" }), newest)).text();
  face.release();
  const rest = await listenAgain(session, id);
  const text = await rest.text();
  expect(messagesOf(text)).toMatchObject([{ id: 5, result: { content: [{ text: "held" }] } }]);
  expect(text).toMatch(/^id: \d+-\d+$/m);
  // All of it was handed over now, so nothing of it is kept.
  await expect.poll(async () => (await listenAgain(session, id)).status).toBe(400);
  expect((await session.send(call(5, "echo", { text: "the id is free again" }), newest)).status).toBe(200);
});

test("an event that nobody knows is refused with what is kept", async () => {
  const session = await openSession(face.url);
  const refused = await listenAgain(session, "7-7");
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('what came after the event \\"7-7\\" is no longer kept');
});

test("a cancelled request aborts, and its stream ends without an answer", async () => {
  const session = await openSession(face.url);
  const waiting = session.send(call(7, "wait"));
  await face.begun();
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7, reason: "enough" } };
  expect((await session.send(cancel)).status).toBe(202);
  expect(await face.aborted()).toBe("enough");
  expect(await (await waiting).text()).not.toContain("data:");
});

test('an id that waits for its answer is not taken twice, and 1 is not "1"', async () => {
  const session = await openSession(face.url);
  const waiting = session.send(call(1, "wait"));
  await face.begun();
  const twice = await session.send(call(1, "echo", { text: "x" }));
  expect([twice.status, messagesOf(await twice.text())[0]?.error?.code]).toEqual([400, -32600]);
  const other = await session.send(call("1", "echo", { text: "other" }));
  expect(messagesOf(await other.text())[0]?.id).toBe("1");
  await session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  await face.aborted();
  await (await waiting).text();
});

test("the newest stream of a session is the one that is served", async () => {
  const session = await openSession(face.url);
  const listen = (): Promise<Response> =>
    fetch(face.url, { headers: { accept: "text/event-stream", "mcp-session-id": session.id } });
  const first = await listen();
  const second = await listen();
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(await first.text()).toBe("");
  await second.body?.cancel();
});

test("where all places are taken the session that was idle longest goes, and one at work stays", async () => {
  const oldest = await openSession(face.url, { authorization: "cap" });
  const busy = await openSession(face.url, { authorization: "cap" });
  const waiting = busy.send(call(1, "wait"));
  await face.begun();
  for (let count = 0; count < 4; count++) await openSession(face.url, { authorization: "cap" });
  expect((await oldest.send(call(2, "who"))).status).toBe(404);
  expect((await busy.send(call(2, "who"))).status).toBe(200);
  await busy.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  await face.aborted();
  await (await waiting).text();
});

test("where all sessions are at work a new one is asked to come later", async () => {
  const small = await startHttpFace({ http: { maxSessions: 1 } });
  const session = await openSession(small.url);
  void session
    .send(call(1, "wait"))
    .then((response) => response.text())
    .catch(() => {});
  await small.begun();
  const refused = await fetch(small.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify(initialize),
  });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  await small.close();
  await small.aborted();
  expect(small.waiting).toBe(0);
});

test("a session that nobody uses ends", async () => {
  const short = await startHttpFace({ http: { sessionIdle: 0.1 } });
  const session = await openSession(short.url);
  const stream = await fetch(short.url, { headers: { accept: "text/event-stream", "mcp-session-id": session.id } });
  await expect.poll(async () => (await fetch(`${new URL("/healthz", short.url)}`)).status).toBe(200);
  await stream.body?.cancel();
  await expect.poll(async () => (await head(short.url, session.id)).status, { interval: 300 }).toBe(404);
  await short.close();
});

async function head(url: string, id: string): Promise<Response> {
  await turn();
  return fetch(url, { headers: { accept: "application/json", "mcp-session-id": id } });
}

test("a session that is still being made when all ends is closed and not begun", async () => {
  const asked = Promise.withResolvers<void>();
  const made = Promise.withResolvers<McpServer>();
  const slow = await startHttpFace({
    createServer: () => {
      asked.resolve();
      return made.promise;
    },
  });
  const answer = sendRaw(slow.port, post(slow.port, initialize));
  await asked.promise;
  const closed = slow.close();
  const server = new McpServer({ name: "slow", version: "0" });
  const ended = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
  });
  made.resolve(server);
  await Promise.all([closed, ended]);
  expect((await answer).status).toBe(503);
});

test("a session that is being made takes its place: another one is asked to come later", async () => {
  const asked = Promise.withResolvers<void>();
  const made = Promise.withResolvers<McpServer>();
  const small = await startHttpFace({
    http: { maxSessions: 1 },
    createServer: () => {
      asked.resolve();
      return made.promise;
    },
  });
  const first = sendRaw(small.port, post(small.port, initialize));
  await asked.promise;
  expect((await sendRaw(small.port, post(small.port, initialize))).status).toBe(503);
  made.resolve(new McpServer({ name: "slow", version: "0" }));
  expect((await first).status).toBe(200);
  await small.close();
});
