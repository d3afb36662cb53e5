import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  call,
  initialize,
  keepConnection,
  messagesOf,
  modernHeaders,
  modernMeta,
  openSession,
  openSocket,
  post,
  rawText,
  readRaw,
  type ServedFace,
  sendRaw,
  startHttpFace,
} from "../fakes/http-interface.ts";

const origin = "https://app.example.com";

let face: ServedFace;
beforeAll(async () => {
  face = await startHttpFace({
    http: {
      allowedOrigins: [origin],
      allowedHosts: ["duet.example.com"],
      maxBody: 100_000,
      maxConnectionsPerAddress: 8,
    },
  });
});
afterAll(() => face.close());

/** Every route with every way to ask it. */
function requests(headers: Record<string, string>): string[] {
  const paths = ["/mcp", "/healthz", "/readyz", "/nothing"];
  return paths.flatMap((path) => [
    post(face.port, call(1, "echo", { text: "x" }), headers, path),
    ...["GET", "OPTIONS", "DELETE", "HEAD"].map((method) =>
      rawText(method, path, face.port, { accept: "text/event-stream", ...headers }),
    ),
  ]);
}

async function statuses(texts: readonly string[]): Promise<number[]> {
  const found = new Set<number>();
  for (const text of texts) found.add((await sendRaw(face.port, text)).status);
  return [...found];
}

test("80: a foreign Host is refused on every route, whatever the method", async () => {
  const before = face.calls;
  expect(await statuses(requests({ host: `evil.test:${face.port}` }))).toEqual([403]);
  const answer = await sendRaw(face.port, rawText("GET", "/healthz", face.port, { host: "evil.test" }));
  expect(answer.body).not.toContain("ok");
  expect(face.calls).toBe(before);
});

describe("81: an odd Host", () => {
  test.each([
    "evil.com@localhost",
    "localhost#@x",
    "127.1",
    "2130706433",
    "0x7f.1",
    "localhost/",
    "localhost:x",
    " ",
    "[::1",
    "127.0.0.1.",
    "é",
  ])("%j is a bad request", async (host) => {
    expect((await sendRaw(face.port, rawText("GET", "/healthz", face.port, { host }))).status).toBe(400);
  });

  test("two of them, none, or HTTP/1.0 are bad requests", async () => {
    const good = `host: 127.0.0.1:${face.port}\r\n`;
    const end = "connection: close\r\n\r\n";
    const odd = [
      `GET /healthz HTTP/1.1\r\n${good}Host: evil.test\r\n${end}`,
      `GET /healthz HTTP/1.1\r\n${good}${good}${end}`,
      `GET /healthz HTTP/1.1\r\n${end}`,
      `GET /healthz HTTP/1.0\r\n${good}${end}`,
      `GET http://evil.test/healthz HTTP/1.1\r\n${good}${end}`,
    ];
    expect(await statuses(odd)).toEqual([400]);
  });

  test("a name of our own with another port is refused; this machine, behind a tunnel too, is served", async () => {
    const ask = async (host: string): Promise<number> =>
      (await sendRaw(face.port, rawText("GET", "/healthz", face.port, { host }))).status;
    expect([await ask("duet.example.com:1"), await ask("localhost.evil"), await ask("127.0.0.1.evil")]).toEqual([
      403, 403, 403,
    ]);
    const good = [`127.0.0.1:${face.port}`, `LOCALHOST:${face.port}`, `[::1]:${face.port}`, "duet.example.com"];
    const tunnels = ["127.0.0.1:1", "localhost", "localhost:1"];
    expect(await Promise.all([...good, ...tunnels].map(ask))).toEqual([200, 200, 200, 200, 200, 200, 200]);
  });
});

test("82: a foreign Origin is refused on every route; none, the own and an allowed one are served", async () => {
  const foreign = [
    "https://evil",
    "null",
    "http://localhost.evil",
    "http://127.0.0.1:1",
    `https://127.0.0.1:${face.port}`,
    `${origin}.evil`,
  ];
  for (const odd of foreign) expect([odd, await statuses(requests({ origin: odd }))]).toEqual([odd, [403]]);
  const twice = `${rawText("GET", "/healthz", face.port, { origin }).trimEnd()}\r\norigin: ${origin}\r\n\r\n`;
  expect(await statuses([twice])).toEqual([403]);
  const fine: Record<string, string>[] = [{}, { origin }, { origin: `http://localhost:${face.port}` }];
  expect(await statuses(fine.map((headers) => rawText("GET", "/healthz", face.port, headers)))).toEqual([200]);
});

test("83: a body that a page could send without asking is not read", async () => {
  const before = face.calls;
  const types = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/json",
    "application/jsonx",
    "application/json; charset=utf-16",
    "",
  ];
  const texts = types.map((type) => post(face.port, call(1, "echo", { text: "x" }), { "content-type": type }));
  expect(await statuses(texts)).toEqual([415]);
  expect(face.calls).toBe(before);
  const fine = post(face.port, initialize, { "content-type": "Application/JSON; charset=UTF-8" });
  expect(await statuses([fine])).toEqual([200]);
});

test("84: only a configured origin is told that it may read, and never with credentials", async () => {
  const preflight = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "x-evil, mcp-param-city",
  };
  const asked = await sendRaw(face.port, rawText("OPTIONS", "/mcp", face.port, { origin, ...preflight }));
  expect([asked.status, asked.head]).toEqual([
    204,
    expect.stringContaining(`access-control-allow-origin: ${origin}\r\n`),
  ]);
  expect(asked.head).toMatch(/access-control-allow-headers: .*mcp-session-id.*mcp-param-city/);
  expect(asked.head).not.toMatch(/x-evil|allow-credentials/);
  const others: Record<string, string>[] = [{}, { origin: `http://127.0.0.1:${face.port}` }];
  for (const headers of others) {
    const { head } = await sendRaw(face.port, rawText("OPTIONS", "/mcp", face.port, { ...headers, ...preflight }));
    expect(head).not.toContain("access-control-allow-origin");
  }
  expect(
    (await sendRaw(face.port, rawText("OPTIONS", "/mcp", face.port, { origin: "https://evil" }))).head,
  ).not.toContain("access-control");
});

test("85: an address that others reach needs a token", async () => {
  for (const host of ["0.0.0.0", "::", "192.0.2.1", "duet.example.com"])
    await expect(startHttpFace({ host })).rejects.toMatchObject({
      code: "config",
      hint: { en: expect.stringContaining("DUET_HTTP_TOKEN") },
    });
  await expect(startHttpFace({ host: "0.0.0.0", token: "of 15 character" })).rejects.toMatchObject({
    code: "config",
    text: { en: expect.stringMatching(/"0\.0\.0\.0".* DUET_HTTP_TOKEN has 15 characters \(allowed: at least 16\)$/) },
  });
  const guarded = await startHttpFace({ host: "0.0.0.0", token: "of 16 characters" });
  onTestFinished(() => guarded.close());
  const dialled = rawText("GET", "/healthz", guarded.port);
  expect((await sendRaw(guarded.port, dialled)).status).toBe(200);
});

test("86: a token that is missing, wrong or half right is refused everywhere, and none in the address helps", async () => {
  const guarded = await startHttpFace({ token: "0123456789abcdef" });
  onTestFinished(() => guarded.close());
  const ask = (headers: Record<string, string>, path = "/mcp") =>
    sendRaw(guarded.port, post(guarded.port, initialize, headers, path));
  const wrong = [
    "Bearer 0123456789abcde",
    "Bearer 0123456789abcdef0",
    "Bearer",
    "Basic 0123456789abcdef",
    "0123456789abcdef",
    "Bearer x 0123456789abcdef",
  ];
  for (const authorization of wrong) {
    const { status, head } = await ask({ authorization });
    expect([authorization, status, head]).toEqual([
      authorization,
      401,
      expect.stringMatching(/www-authenticate: bearer .*invalid_token/),
    ]);
  }
  expect((await ask({})).head).toMatch(/^http\/1.1 401 [\s\S]*www-authenticate: bearer realm="duet"\r\n/);
  expect((await ask({}, "/mcp?access_token=0123456789abcdef&token=0123456789abcdef")).status).toBe(401);
  expect((await ask({}, "/nothing")).status).toBe(401);
  expect((await ask({ authorization: `Bearer ${"x".repeat(1_000_000)}` })).status).toBe(431);
  expect((await ask({ authorization: "bearer 0123456789abcdef" })).status).toBe(200);
  expect(guarded.lines.join()).not.toContain("0123456789abcdef");
});

describe("87: a body", () => {
  test("that says it is too long is refused before it is sent", async () => {
    const head = rawText("POST", "/mcp", face.port, {
      "content-type": "application/json",
      "content-length": "1000000000",
    });
    expect((await sendRaw(face.port, head)).status).toBe(413);
  });

  test("that comes without a length is cut off at the limit", async () => {
    const socket = await openSocket(face.port);
    const answer = readRaw(socket);
    socket.write(
      rawText("POST", "/mcp", face.port, { "content-type": "application/json", "transfer-encoding": "chunked" }),
    );
    const piece = "x".repeat(16_384);
    let sent = 0;
    const send = (): void => {
      if (!socket.writable || sent > 640_000_000) return;
      sent += piece.length;
      socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`, () => setImmediate(send));
    };
    send();
    expect((await answer).status).toBe(413);
    expect(sent).toBeLessThan(640_000_000);
  });

  test.each([
    ["a million levels deep", "[".repeat(90_000)],
    [
      "a message nested in objects",
      `{"jsonrpc":"2.0","id":1,"method":"m","params":${'{"a":'.repeat(10_000)}1${"}".repeat(10_001)}`,
    ],
    ["with a key twice", '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}'],
    ["that is no JSON", "{"],
    ["that is empty", ""],
  ])("%s is a parse error", async (_, body) => {
    const answer = await sendRaw(face.port, post(face.port, body));
    expect([answer.status, messagesOf(answer.body)[0]?.error?.code]).toEqual([400, -32700]);
  });

  test("that is no UTF-8 is a parse error, and one with a byte order mark is read", async () => {
    const bytes = Buffer.from([0x22, 0xff, 0xfe, 0x22]);
    const head = rawText("POST", "/mcp", face.port, { "content-type": "application/json", "content-length": "4" });
    const answer = await sendRaw(face.port, Buffer.concat([Buffer.from(head), bytes]));
    expect([answer.status, messagesOf(answer.body)[0]?.error?.code]).toEqual([400, -32700]);
    expect((await sendRaw(face.port, post(face.port, `\ufeff${JSON.stringify(initialize)}`))).status).toBe(200);
  });

  test("that is compressed, or whose length is said twice, is refused", async () => {
    const zipped = post(face.port, initialize, { "content-encoding": "gzip" });
    const twofold = post(face.port, initialize, { "transfer-encoding": "chunked" });
    expect([await statuses([zipped]), await statuses([twofold])]).toEqual([[415], [400]]);
  });
});

test("88: slow heads, slow bodies and idle connections end; others are served meanwhile", async () => {
  const short = { headersMs: 150, requestMs: 300, keepAliveMs: 100, checkMs: 50 };
  const hasty = await startHttpFace({ limits: short, http: { maxConnectionsPerAddress: 60 } });
  onTestFinished(() => hasty.close());
  const slow = await Promise.all(Array.from({ length: 40 }, () => openSocket(hasty.port)));
  const answers = slow.map(readRaw);
  const head = rawText("POST", "/mcp", hasty.port, { "content-type": "application/json", "content-length": "50" });
  for (const [at, socket] of slow.entries()) socket.write(at % 2 ? head : head.slice(0, 20));
  const served = await sendRaw(hasty.port, rawText("GET", "/healthz", hasty.port));
  expect(served.status).toBe(200);
  expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([408]));
  const idle = await openSocket(hasty.port);
  idle.write(rawText("GET", "/healthz", hasty.port, { connection: "keep-alive" }));
  idle.resume();
  await once(idle, "close");
});

test("88: one address gets so many connections and no more", async () => {
  const sockets = await Promise.all(Array.from({ length: 8 }, () => openSocket(face.port)));
  const more = await openSocket(face.port);
  more.resume();
  await once(more, "close");
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => (await sendRaw(face.port, rawText("GET", "/healthz", face.port))).status).toBe(200);
});

test("89: a reader that takes nothing is cut off, whatever is sent to it, and its call aborts", async () => {
  const session = await openSession(face.url);
  const socket = await openSocket(face.port);
  socket.pause();
  const flood = call(1, "flood", {}, { progressToken: 1 });
  socket.write(post(face.port, flood, { "mcp-session-id": session.id, connection: "keep-alive" }));
  await face.aborted();
  // What the system's own buffers hold, and one megabyte of ours.
  expect(face.flooded).toBeLessThan(40_000_000);
  socket.destroy();
});

describe("90: headers of 2026 that say something else than the body", () => {
  const echo = call(1, "echo", { text: "x" }, modernMeta);
  const good = modernHeaders("tools/call", "echo");
  const { "mcp-protocol-version": _version, ...withoutVersion } = good;

  test.each([
    ["another method", { ...good, "mcp-method": "tools/list" }],
    ["another name", { ...good, "mcp-name": "wait" }],
    ["another version", { ...good, "mcp-protocol-version": "2025-11-25" }],
    ["no version", withoutVersion],
    ["a name in bad base64", { ...good, "mcp-name": "=?base64?!!!?=" }],
  ])("%s is refused with -32020", async (_, headers) => {
    const before = face.calls;
    const answer = await fetch(face.url, { method: "POST", headers, body: JSON.stringify(echo) });
    expect([answer.status, messagesOf(await answer.text())[0]?.error?.code]).toEqual([400, -32020]);
    expect(face.calls).toBe(before);
  });

  test("a header that stands there twice is refused, the right ones are served", async () => {
    const twice = post(face.port, echo, good).replace("mcp-name: echo", "mcp-name: echo\r\nMcp-Name: wait");
    expect(await statuses([twice, post(face.port, echo, good)])).toEqual([400, 200]);
  });
});

describe("91: JSON-RPC that is none", () => {
  test.each([
    ["a batch", [call(1, "who"), call(2, "who")]],
    ["an id of null", { ...call(1, "who"), id: null }],
    ["an object as id", { ...call(1, "who"), id: {} }],
    ["version 1.0", { ...call(1, "who"), jsonrpc: "1.0" }],
    ["no version", { id: 1, method: "ping" }],
  ])("%s is refused with -32600, in both eras", async (_, body) => {
    const session = await openSession(face.url);
    for (const headers of [{}, modernHeaders("tools/call", "who")]) {
      const answer = await session.send(body, headers);
      expect([answer.status, messagesOf(await answer.text())[0]?.error?.code]).toEqual([400, -32600]);
    }
  });

  test.each(["__proto__", "constructor", "toString", "no/such", ""])("the method %j is not there", async (method) => {
    const session = await openSession(face.url);
    const answer = await session.send({ jsonrpc: "2.0", id: 1, method });
    expect(messagesOf(await answer.text())[0]?.error?.code).toBe(-32601);
  });

  test("responses to nothing and a flood of notifications are taken and change nothing", async () => {
    const session = await openSession(face.url);
    expect((await session.send({ jsonrpc: "2.0", id: 99, result: {} })).status).toBe(202);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: { a: 1 } } };
    const flood = Array.from({ length: 60 }, () => cancel);
    for (const one of flood) expect((await session.send(one)).status).toBeLessThan(500);
    expect(await (await session.send(call(1, "who"))).text()).toContain("operator");
  });
});

test("92: hundreds of calls with the same ids at once, and everybody gets his own answer", async () => {
  const wide = await startHttpFace();
  onTestFinished(() => wide.close());
  const wrong: string[] = [];

  /** Calls one after another, all clients with the same ids. */
  async function client(name: string, headers: Record<string, string>, meta?: unknown): Promise<void> {
    const connection = await keepConnection(wide.port);
    for (let id = 0; id < 30; id++) {
      const text = `${name} ${id}`;
      const body = call(id, "echo", { text }, meta);
      const answer = await connection.ask(post(wide.port, body, { ...headers, connection: "keep-alive" }));
      const [message] = messagesOf(answer);
      const isRight =
        message?.id === id && JSON.stringify(message.result).includes(`"structuredContent":{"text":"${text}"}`);
      if (!isRight) wrong.push(`${text}: ${JSON.stringify(message)}`);
    }
    connection.close();
  }

  const sessions = await Promise.all(Array.from({ length: 6 }, () => openSession(wide.url)));
  const headers = modernHeaders("tools/call", "echo");
  await Promise.all(
    sessions.flatMap(({ id }, at) => [
      client(`old ${at}`, { "mcp-session-id": id }),
      client(`new ${at}`, headers, modernMeta),
    ]),
  );
  expect(wrong).toEqual([]);
  expect(wide.calls).toBe(360);
});
