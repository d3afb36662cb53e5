import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { answer, type FakeHttp, newServer, oldServer, serveHttp, sessionServer } from "../../fakes/mcp-http.ts";
import { call, fake, http, readyPoolOf } from "../servers.ts";

async function closing(server: Promise<FakeHttp>): Promise<FakeHttp> {
  const opened = await server;
  onTestFinished(() => opened.close());
  return opened;
}

test("a server of the newest protocol is spoken to in it", async () => {
  const server = await closing(newServer());
  const pool = await readyPoolOf(http(server.url));
  expect(pool.status()).toMatchObject([
    { state: "ready", transport: "http", protocolVersion: "2026-07-28", toolCount: 1 },
  ]);
  expect((await call(pool, "web__shout", { text: "hello" })).text).toBe("HELLO");
});

test("a server of 2025 is spoken to in its protocol, and its session is ended by our goodbye", async () => {
  const server = await closing(
    sessionServer((message, response) => answer(response, message, { content: [{ type: "text", text: "yes" }] })),
  );
  const pool = await readyPoolOf(http(server.url, { headers: { "X-Api-Key": "CANARY-key" } }));
  expect(pool.status()).toMatchObject([{ state: "ready", protocolVersion: "2025-06-18" }]);
  expect((await call(pool, "web__ask")).text).toBe("yes");
  expect(server.hits.every(({ headers }) => headers["x-api-key"] === "CANARY-key")).toBe(true);
  await pool.close();
  expect(server.hits.at(-1)).toMatchObject({ method: "DELETE", headers: { "mcp-session-id": "session-1" } });
});

test.each(["http", "sse"] as const)("a server of the old transport works, configured as %s", async (type) => {
  const server = await closing(oldServer());
  const pool = await readyPoolOf({ ...http(server.url), transport: { type, url: server.url, headers: {} } });
  expect(pool.status()).toMatchObject([{ state: "ready", toolCount: 1, serverInfo: { name: "old", version: "1" } }]);
  expect((await call(pool, "web__whisper", { text: "HELLO" })).text).toBe("hello");
});

test("134: a server that refuses us is reported with its status, its words and what to do, never with a key", async () => {
  const server = await closing(
    serveHttp((request, response) => {
      response.writeHead(401).end(`bad token ${request.headers.authorization}`);
    }),
  );
  const url = `${server.url}?key=CANARY-in-url`;
  const pool = await readyPoolOf(http(url, { headers: { Authorization: "Bearer CANARY-token" } }), fake("normal"));
  const [refused, good] = pool.status();
  expect(good?.state).toBe("ready");
  expect(refused).toMatchObject({ state: "failed", error: { code: "auth" } });
  expect(refused?.error?.text.en).toContain(`HTTP 401 from ${server.url}`);
  expect(refused?.error?.hint?.en).toContain("headers");
  expect(JSON.stringify([refused, refused?.error?.text, refused?.error?.cause])).not.toContain("CANARY");
});

test("137: a server that is not there is reported as unreachable", async () => {
  const server = await newServer();
  await server.close();
  const pool = await readyPoolOf(http(server.url));
  expect(pool.status()).toMatchObject([{ state: "failed", error: { code: "network" } }]);
  expect(pool.status()[0]?.error?.text.en).toMatch(
    /it cannot be reached: the connection was refused; nothing listens there \(ECONNREFUSED\)$/,
  );
});

test.each(["http", "sse"] as const)("a port that fetch refuses is named, configured as %s", async (type) => {
  const url = "http://127.0.0.1:6000/mcp";
  const pool = await readyPoolOf({ ...http(url), transport: { type, url, headers: {} } });
  const [server] = pool.status();
  expect(server?.error?.text).toEqual({
    zh: "MCP 服务器 web 无法使用：无法连接：端口 6000 被视为不安全，fetch 拒绝连接",
    en: "MCP server web cannot be used: it cannot be reached: port 6000 is refused as unsafe by fetch",
  });
  expect(server?.error?.hint?.en).toBe("Let the server listen at another port, such as 8080.");
});

test("137: a server that accepts and says nothing fails at its start limit", async () => {
  const sockets = createServer(() => {});
  await new Promise<void>((resolve) => sockets.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void sockets.close());
  const { port } = sockets.address() as AddressInfo;
  const pool = await readyPoolOf(http(`http://127.0.0.1:${port}/mcp`, { startTimeoutMs: 700 }));
  expect(pool.status()).toMatchObject([{ state: "failed", error: { code: "timeout" } }]);
});

test("134: a page instead of a server is reported, not believed", async () => {
  const server = await closing(
    serveHttp((_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>login</html>")),
  );
  const pool = await readyPoolOf(http(server.url));
  expect(pool.status()).toMatchObject([{ state: "failed", error: { code: "bad_response" } }]);
});

test("a redirect to another origin is not followed, and the key stays here", async () => {
  const thief = await closing(serveHttp((_, response) => void response.writeHead(200).end("{}")));
  const server = await closing(serveHttp((_, response) => void response.writeHead(307, { location: thief.url }).end()));
  const pool = await readyPoolOf(http(server.url, { headers: { Authorization: "Bearer CANARY-token" } }));
  expect(pool.status()[0]?.state).toBe("failed");
  expect(thief.hits).toEqual([]);
});

test("135: a stream that is cut before the answer fails the call at once", async () => {
  const server = await closing(
    sessionServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": nothing yet\n\n");
      response.end();
    }),
  );
  const pool = await readyPoolOf(http(server.url));
  const result = await call(pool, "web__ask");
  expect(result.error?.code).toBe("network");
  expect(result.text).toContain("cut off. The call may have taken effect");
});

test("136: a stream of nothing but comments ends at the limit of the call", async () => {
  const server = await closing(
    sessionServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write(": ping\n\n"), 50);
      response.on("close", () => clearInterval(timer));
    }),
  );
  const pool = await readyPoolOf(http(server.url, { timeoutMs: 400 }));
  expect((await call(pool, "web__ask")).error?.code).toBe("timeout");
});

test.each(["application/json", "text/event-stream"])(
  "133: an endless answer of type %s is cut at the limit",
  async (type) => {
    let sent = 0;
    const server = await closing(
      sessionServer((_, response) => {
        response.writeHead(200, { "content-type": type });
        response.write("data: ");
        const more = (): void => {
          while (!response.destroyed && response.write("x".repeat(100_000))) sent += 100_000;
        };
        response.on("drain", more);
        more();
      }),
    );
    const pool = await readyPoolOf(http(server.url));
    const result = await call(pool, "web__ask");
    expect(result.ok).toBe(false);
    expect(result.error?.code).not.toBe("timeout");
    expect(sent).toBeLessThan(40_000_000);
  },
);

test("a lost session fails the call that finds out; the next start makes a new one", async () => {
  let lost = false;
  const server = await closing(
    sessionServer((message, response) => {
      if (lost) return void response.writeHead(404).end("Session not found");
      return answer(response, message, { content: [{ type: "text", text: "yes" }] });
    }),
  );
  const pool = await readyPoolOf(http(server.url));
  lost = true;
  const result = await call(pool, "web__ask");
  expect(result.text).toContain("HTTP 404");
  expect(result.text).not.toContain("may have taken effect");
  expect(pool.status()[0]?.state).toBe("failed");
});

test("a call that is aborted ends at once, and the server is told", async () => {
  const server = await closing(
    sessionServer(
      (_, response) => void response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders(),
    ),
  );
  const pool = await readyPoolOf(http(server.url));
  const abort = new AbortController();
  const running = call(pool, "web__ask", {}, { signal: abort.signal });
  await expect.poll(() => server.hits.some(({ body }) => body.includes("tools/call"))).toBe(true);
  abort.abort(new Error("stop"));
  await expect(running).rejects.toThrow("stop");
  await expect.poll(() => server.hits.some(({ body }) => body.includes("notifications/cancelled"))).toBe(true);
});
