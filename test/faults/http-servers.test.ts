// Fault group L (docs/development/faults-servers.md#l-servers-over-http): what a server over HTTP may do, and what the others and
// we notice of it.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { call, fake, http, poolOf, readyPoolOf } from "../client/servers.ts";
import { answer, type FakeHttp, type Message, serveHttp, serveRaw, sessionServer } from "../fakes/mcp-http.ts";

async function closing<T extends { close(): unknown }>(server: Promise<T>): Promise<T> {
  const opened = await server;
  onTestFinished(() => void opened.close());
  return opened;
}

/** A pool of one server whose `tools/call` is answered so, and a good one. */
async function poolWith(
  callOf: (message: Message, response: ServerResponse) => void,
  more: Parameters<typeof http>[1] = {},
) {
  const server = await closing(sessionServer(callOf));
  const pool = await readyPoolOf(http(server.url, more), fake("normal", { name: "good" }));
  return { server, pool };
}

const said = (response: ServerResponse, message: Message) =>
  answer(response, message, { content: [{ type: "text", text: "yes" }] });

test("133: a body of 48 MB fails the call, and the next one works", async () => {
  let isLong = true;
  const { pool } = await poolWith((message, response) => {
    if (!isLong) return said(response, message);
    isLong = false;
    return answer(response, message, { content: [{ type: "text", text: "x".repeat(48_000_000) }] });
  });
  const { ok, text } = await call(pool, "web__ask");
  expect(ok).toBe(false);
  expect(text).toContain("longer than 10 MB");
  expect((await call(pool, "web__ask")).text).toBe("yes");
  expect((await call(pool, "good__echo")).ok).toBe(true);
});

test.each(["application/json", "text/event-stream"])(
  "133: an answer of type %s with more values than can be read at once fails as one that is too long does",
  async (type) => {
    const rows = Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join(",");
    const { pool } = await poolWith((message, response) => {
      const body = `{"jsonrpc":"2.0","id":${message.id},"result":{"structuredContent":{${rows}}}}`;
      response.writeHead(200, { "content-type": type });
      response.end(type === "application/json" ? body : `data: ${body}\n\n`);
    });
    const { ok } = await call(pool, "web__ask");
    expect(ok).toBe(false);
    expect((await call(pool, "good__echo")).ok).toBe(true);
  },
);

test("134: a session that is lost is made anew, and the call that found out is sent once more where it only reads, which a person has approved", async () => {
  let lost = "";
  const calls: string[] = [];
  const server = await closing(
    serveHttp((request, response, body) => {
      if (request.method !== "POST") return void response.writeHead(405).end();
      const message: Message = JSON.parse(body);
      const session = String(request.headers["mcp-session-id"]);
      if (message.method === "initialize") {
        response.setHeader("mcp-session-id", `s${calls.push(body)}`);
        const serverInfo = { name: "s", version: "1" };
        return answer(response, message, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
      }
      if (message.id === undefined) return void response.writeHead(202).end();
      if (message.method === "server/discover") return void response.writeHead(400).end("no session");
      if (session === lost) return void response.writeHead(404).end("Session not found");
      const annotations = { readOnlyHint: true };
      const inputSchema = { type: "object" };
      if (message.method === "tools/list") {
        const tools = [
          { name: "read", inputSchema, annotations },
          { name: "write", inputSchema },
        ];
        return answer(response, message, { tools });
      }
      return answer(response, message, { content: [{ type: "text", text: `${message.params?.name} in ${session}` }] });
    }),
  );
  const pool = await readyPoolOf(http(server.url));
  expect(await pool.approve(pool.trusted().filter(({ name }) => name === "web__read"))).toHaveLength(1);
  expect((await call(pool, "web__read")).text).toBe("read in s1");
  lost = "s1";
  expect((await call(pool, "web__read")).text).toBe("read in s2");
  lost = "s2";
  const refused = await call(pool, "web__write");
  expect(refused.text).toContain("HTTP 404");
  // It never got as far as the tool.
  expect(refused.text).not.toContain("may have taken effect");
  await vi.waitFor(async () => expect((await call(pool, "web__write")).text).toBe("write in s3"), { timeout: 60_000 });
});

test.each([
  [401, "auth", false],
  [403, "auth", false],
  [429, "rate_limit", false],
  [500, "server", true],
  [503, "server", true],
] as const)(
  "134: HTTP %i fails the call as what it is, once, and the next one works",
  async (status, code, isUnsure) => {
    let refusals = 0;
    const { pool } = await poolWith((message, response) => {
      if (refusals > 0) return said(response, message);
      refusals += 1;
      return void response.writeHead(status, { "content-type": "text/plain" }).end("no");
    });
    const { error, text } = await call(pool, "web__ask");
    expect(error?.code).toBe(code);
    expect(text).toMatch(status === 401 ? /sign in/ : RegExp(`HTTP ${status}`));
    expect(text.includes("may have taken effect")).toBe(isUnsure);
    expect((await call(pool, "web__ask")).text).toBe("yes");
  },
);

/** A pool whose first `tools/call` is refused for so many seconds. */
async function refusing(status: number, seconds: number) {
  let isRefused = false;
  const made = await poolWith((message, response) => {
    if (isRefused) return said(response, message);
    isRefused = true;
    return void response.writeHead(status, { "retry-after": `${seconds}` }).end("too many");
  });
  const countCalls = () => made.server.hits.filter(({ body }) => body.includes("tools/call")).length;
  return { ...made, countCalls };
}

test("134: a call that is refused for a second is sent again after it, because nothing was done", async () => {
  const { pool, countCalls } = await refusing(429, 1);
  const start = performance.now();
  expect((await call(pool, "web__ask")).text).toBe("yes");
  expect(performance.now() - start).toBeGreaterThan(950);
  expect(countCalls()).toBe(2);
});

test("134: calls that are refused at the same time are sent again one after the other", async () => {
  const refused = new Set<unknown>();
  const resent: number[] = [];
  const { pool } = await poolWith((message, response) => {
    const which = JSON.stringify(message.params?.arguments);
    if (refused.has(which)) {
      resent.push(performance.now());
      return said(response, message);
    }
    refused.add(which);
    return void response.writeHead(429, { "retry-after": "1" }).end("too many");
  });
  const replies = await Promise.all(["a", "b", "c", "d", "e", "f"].map((text) => call(pool, "web__ask", { text })));
  expect(replies.map(({ text }) => text)).toEqual(Array(6).fill("yes"));
  // Five pauses of 350 ms lie between them; the first one may get there late.
  expect((resent[5] ?? 0) - (resent[0] ?? 0)).toBeGreaterThan(500);
});

test.each([
  [429, 30, "rate_limit", "HTTP 429 from .+, which asks to wait 30 s: too many$"],
  [503, 1, "server", "HTTP 503 from .+, which asks to wait 1 s: too many\\. The call may have taken effect"],
] as const)("134: HTTP %i with a wait of %i s is told at once, with the wait", async (status, seconds, code, words) => {
  const { pool, countCalls } = await refusing(status, seconds);
  const { error, text } = await call(pool, "web__ask");
  expect(error?.code).toBe(code);
  expect(text).toMatch(RegExp(words));
  expect(countCalls()).toBe(1);
});

/** Writes part of an answer that does not come to its end. */
function cutOff(response: ServerResponse, type: string): void {
  response.writeHead(200, { "content-type": type, "content-length": 1000 });
  response.write('data: {"jsonrpc":', () => response.destroy());
}

const brokenLists: [string, (response: ServerResponse) => void, RegExp, number][] = [
  [
    "refused with a wait",
    (response) => response.writeHead(429, { "retry-after": "30" }).end("slow"),
    /cannot be used: HTTP 429 from .+\/mcp, which asks to wait 30 s: slow$/,
    25_000,
  ],
  ["answered with 502", (response) => response.writeHead(502).end(), /cannot be used: HTTP 502 from .+\/mcp$/, 0],
  [
    "cut as JSON",
    (response) => cutOff(response, "application/json"),
    /the other side closed the connection \(UND_ERR_SOCKET\)$/,
    0,
  ],
  ["cut as a stream", (response) => cutOff(response, "text/event-stream"), /its response was cut off$/, 0],
];

test.each(brokenLists)(
  "134: a start whose list of tools is %s says so, and that it is tried again",
  async (_, refuse, words, leastWaitMs) => {
    const server = await closing(sessionServer((message, response) => said(response, message), refuse));
    const pool = await readyPoolOf(http(server.url));
    const [failed] = pool.status();
    expect(failed?.error?.text.en).toMatch(words);
    expect(failed?.error?.hint?.en).toContain("Duet tries it again.");
    expect(failed?.retryInMs).toBeGreaterThanOrEqual(leastWaitMs);
  },
);

test("134: a login page in place of an answer fails the call readably", async () => {
  const { pool } = await poolWith(
    (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>"),
  );
  const { ok, text } = await call(pool, "web__ask");
  expect(ok).toBe(false);
  expect(text).not.toContain("<html>");
  expect((await call(pool, "good__echo")).ok).toBe(true);
});

test.each([
  ["with another id", (message: Message) => ({ jsonrpc: "2.0", id: Number(message.id) + 1000, result: {} })],
  ["without one", () => ({ jsonrpc: "2.0", result: {} })],
  ["that is no JSON-RPC", () => ({ ok: true })],
  ["that is empty", () => undefined],
])("134: an answer %s is none", async (_, bodyOf) => {
  const { pool } = await poolWith(
    (message, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(bodyOf(message)));
    },
    { timeoutMs: 1500 },
  );
  const { ok, text } = await call(pool, "web__ask");
  expect(ok).toBe(false);
  expect(text).toContain("may have taken effect");
  expect((await call(pool, "good__echo")).ok).toBe(true);
});

test("135: a stream cut in the middle of an event is told as an unknown outcome, and is not asked again", async () => {
  const { pool, server } = await poolWith((message, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: {"jsonrpc":"2.0","id":${message.id},"resu`);
    setTimeout(() => response.destroy(), 50);
  });
  const { error, text } = await call(pool, "web__ask");
  expect(error?.code).toBe("network");
  expect(text).toContain("may have taken effect");
  expect(server.hits.filter(({ body }) => body.includes("tools/call"))).toHaveLength(1);
});

test("136: progress for ever keeps a call alive up to its total limit only", async () => {
  const { pool } = await poolWith(
    (message, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const meta = message.params?._meta;
      const progressToken =
        typeof meta === "object" && meta !== null && "progressToken" in meta ? meta.progressToken : 0;
      let progress = 0;
      const timer = setInterval(() => {
        progress += 1;
        const note = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress } };
        response.write(`: ping\n\ndata: ${JSON.stringify(note)}\n\n`);
      }, 40);
      response.on("close", () => clearInterval(timer));
    },
    { timeoutMs: 700 },
  );
  const start = performance.now();
  expect((await call(pool, "web__ask")).error?.code).toBe("timeout");
  expect(performance.now() - start).toBeGreaterThan(1500);
});

const resets: [string, (request: string, socket: Socket) => void][] = [
  ["at the connection", (_, socket) => socket.resetAndDestroy()],
  ["in the headers", (_, socket) => socket.write("HTTP/1.1 200 OK\r\nconte", () => socket.resetAndDestroy())],
  [
    "in the body",
    (_, socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{"json', () =>
        socket.resetAndDestroy(),
      ),
  ],
  ["by words of another protocol", (_, socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n")],
];

test.each(resets)("137: a start that is broken off %s fails, and the others work", async (_, handle) => {
  const server = await closing(serveRaw(handle));
  const pool = await readyPoolOf(http(server.url), fake("normal", { name: "good" }));
  const [failed, good] = pool.status();
  expect(failed?.state).toBe("failed");
  expect(failed?.error?.text.en).toContain("cannot be used");
  expect(good?.state).toBe("ready");
});

test.each(["in the headers", "in the body"])(
  "137: a call whose answer is broken off %s is told as an unknown outcome",
  async (where) => {
    const { pool } = await poolWith((_, response) => {
      if (where === "in the body") {
        response.writeHead(200, { "content-type": "application/json", "content-length": 999 });
        response.write('{"jsonrpc"');
      }
      setTimeout(() => response.socket?.resetAndDestroy(), 50);
    });
    const { ok, text } = await call(pool, "web__ask");
    expect(ok).toBe(false);
    expect(text).toContain("may have taken effect");
  },
);

test("137: a server that is gone at the call is told as not reached, and nothing as having happened", async () => {
  const { pool, server } = await poolWith((message, response) => said(response, message));
  expect((await call(pool, "web__ask")).text).toBe("yes");
  await server.close();
  // The first one may still go out on a connection that is being closed.
  await call(pool, "web__ask");
  const { ok, text } = await call(pool, "web__ask");
  expect(ok).toBe(false);
  expect(text).toContain("ECONNREFUSED");
  expect(text).not.toContain("may have taken effect");
});

test("137: an https address of a server without TLS is told with the address that is meant", async () => {
  const { server } = await poolWith((message, response) => said(response, message));
  const pool = await readyPoolOf(http(server.url.replace("http:", "https:")));
  const error = pool.status()[0]?.error;
  expect(error?.text.en).toContain("the server there does not speak TLS");
  expect(error?.hint).toEqual({
    en: `Write http:// instead of https:// in the address of ${new URL(server.url).host}.`,
    zh: expect.stringContaining("http://"),
  });
});

const tlsServers: [string, (request: string, socket: Socket) => void][] = [
  ["closes the connection", (_, socket) => socket.end()],
  ["answers with an alert", (_, socket) => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 0x46]))],
  [
    "answers as nginx does",
    (_, socket) =>
      socket.end(
        "HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n<center>The plain HTTP request was sent to HTTPS port</center>",
      ),
  ],
];

test.each(tlsServers)(
  "137: an http address of a server with TLS, which %s, is told with the other one",
  async (_, handle) => {
    const server = await closing(serveRaw(handle));
    const pool = await readyPoolOf(http(server.url));
    const hint = pool.status()[0]?.error?.hint;
    expect(hint?.en).toContain(`If ${new URL(server.url).host} speaks TLS, write https:// instead of http://`);
  },
);

test("137: TLS against a server that has none fails within its start limit", async () => {
  const server = await closing(serveRaw((_, socket) => socket.end()));
  const pool = await readyPoolOf(http(server.url.replace("http:", "https:"), { startTimeoutMs: 4000 }));
  expect(pool.status()[0]?.state).toBe("failed");
});

/** A server of 2026-07-28 by hand, with these tools. */
function modernServer(tools: () => object[]): Promise<FakeHttp> {
  return serveHttp((request, response, body) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message: Message = JSON.parse(body);
    const serverInfo = { name: "modern", version: "1" };
    const common = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    if (request.headers["mcp-protocol-version"] !== "2026-07-28") {
      return void response.writeHead(400).end("Unsupported protocol version");
    }
    if (message.method === "server/discover") {
      const found = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, serverInfo };
      return answer(response, message, { ...common, ...found });
    }
    if (message.method === "tools/list") return answer(response, message, { ...common, tools: tools() });
    if (message.id === undefined) return void response.writeHead(202).end();
    return answer(response, message, { ...common, content: [{ type: "text", text: "yes" }] });
  });
}

test("138: a tool whose headers are malformed is left out with the reason, the others stay", async () => {
  const withHeader = (name: string, ...headers: unknown[]) => ({
    name,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        headers.map((header, index) => [`p${index}`, { type: "string", "x-mcp-header": header }]),
      ),
    },
  });
  const server = await closing(
    modernServer(() => [
      withHeader("good", "Region"),
      withHeader("injects", "Region\r\nAuthorization: Bearer x"),
      withHeader("twice", "Region", "REGION"),
      withHeader("blank", "My Region"),
      withHeader("number", 7),
      { name: "plain", inputSchema: { type: "object" } },
    ]),
  );
  const pool = await readyPoolOf(http(server.url));
  expect(pool.tools().map(({ name }) => name)).toEqual(["web__good", "web__plain"]);
  const problems = pool.status()[0]?.problems.map(({ en }) => en) ?? [];
  expect(problems).toHaveLength(4);
  for (const problem of problems) expect(problem).toContain("x-mcp-header");
  expect((await call(pool, "web__good", { p0: "eu\r\nx: y" })).text).toBe("yes");
  expect(server.hits.every(({ headers }) => headers.x === undefined && headers.authorization === undefined)).toBe(true);
});

test("139: a server that goes from one revision to the other and back is spoken to in its own each time", async () => {
  const modern = await closing(modernServer(() => [{ name: "ask", inputSchema: { type: "object" } }]));
  const legacy = await closing(sessionServer((message, response) => said(response, message)));
  let target = legacy;
  const front = await closing(
    serveHttp(async (request, response, body) => {
      const headers = new Headers();
      for (const [name, value] of Object.entries(request.headers)) {
        if (!["host", "connection", "content-length", "transfer-encoding"].includes(name))
          headers.set(name, String(value));
      }
      const method = request.method ?? "GET";
      const abort = new AbortController();
      response.on("close", () => abort.abort());
      const reply = await fetch(target.url, {
        method,
        headers,
        signal: abort.signal,
        ...(body !== "" && { body }),
      }).catch(() => undefined);
      if (reply === undefined) return void response.destroy();
      const session = reply.headers.get("mcp-session-id");
      response.writeHead(reply.status, {
        "content-type": reply.headers.get("content-type") ?? "text/plain",
        ...(session !== null && { "mcp-session-id": session }),
      });
      response.end(Buffer.from(await reply.arrayBuffer().catch(() => new ArrayBuffer(0))));
    }),
  );
  const pool = poolOf(http(front.url));
  await pool.ready();
  expect(pool.status()).toMatchObject([{ state: "ready", protocolVersion: "2025-06-18" }]);
  for (const [next, version] of [
    [modern, "2026-07-28"],
    [legacy, "2025-06-18"],
  ] as const) {
    target = next;
    await vi.waitFor(
      async () => {
        for (const { name } of pool.tools().slice(0, 1)) await call(pool, name, { text: "a" });
        expect(pool.status()).toMatchObject([{ state: "ready", protocolVersion: version }]);
      },
      { timeout: 60_000, interval: 300 },
    );
  }
  expect(pool.status()[0]?.restarts).toBeLessThanOrEqual(6);
});
