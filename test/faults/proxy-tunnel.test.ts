import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { ProxyRules } from "../../src/kit/net/proxy-rules.ts";
import { openTransport } from "../../src/providers/wires/transport.ts";

const never = new AbortController().signal;

/** Starts a proxy that does with each connection what `onConnection` does. Gives the connections and a way to ask a model behind it. */
async function startRawProxy(onConnection: (socket: Socket) => void, connectMs = 60_000) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    onConnection(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const proxy = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/`;
  const network: ProxyRules = { http: proxy, https: proxy, noProxy: [] };
  const transport = openTransport({ network, connectMs });
  const post = (signal = never, origin = "https://model.example") =>
    transport.post({ url: `${origin}/`, path: "", headers: { authorization: "Bearer k" } }, {}, signal);
  return { sockets, post, proxy };
}

async function waitForClose(socket: Socket | undefined): Promise<void> {
  if (socket?.destroyed === false) await once(socket, "close");
}

test("a proxy that never answers is given up at the limit for connecting, and its connection closes", async () => {
  const { sockets, post } = await startRawProxy((socket) => void socket.resume(), 200);
  await expect(post()).rejects.toThrow(
    /^(?:the proxy|代理) http:\/\/127\.0\.0\.1:\d+ (?:cannot be reached: connecting timed out|无法连接：连接超时)/,
  );
  await waitForClose(sockets[0]);
  expect(sockets).toHaveLength(1);
});

test("a caller that leaves while a tunnel is being opened closes its connection to the proxy", async () => {
  const asked = Promise.withResolvers<void>();
  const { sockets, post } = await startRawProxy((socket) => void socket.on("data", () => asked.resolve()));
  const stop = new AbortController();
  const asking = post(stop.signal);
  await Promise.race([asked.promise, asking]);
  const reason = new Error("the caller left");
  stop.abort(reason);
  await expect(asking).rejects.toBe(reason);
  await waitForClose(sockets[0]);
});

test.each([
  ["https://model.example", "HTTP/1.1 403 Forbidden", /did not connect to model\.example \(HTTP 403\)/],
  ["https://model.example:8443", "HTTP/1.1 502 Bad Gateway", /did not connect to model\.example:8443 \(HTTP 502\)/],
  ["https://model.example", "no HTTP", /cannot be reached: the response is not valid HTTP|响应不是有效的 HTTP/],
])("a tunnel to %s that is answered by %j is a failure that names the proxy", async (origin, line, text) => {
  const { sockets, post, proxy } = await startRawProxy((socket) => {
    socket.once("data", () => socket.write(`${line}\r\ncontent-length: 0\r\n\r\n`));
  });
  await expect(post(never, origin)).rejects.toMatchObject({
    text: { en: expect.stringMatching(text) },
    message: expect.stringContaining(new URL(proxy).origin),
  });
  await waitForClose(sockets[0]);
});

test("a tunnel asks for host and port, without the headers of the model, and a forwarded request for the whole address", async () => {
  const heads: string[] = [];
  const { post } = await startRawProxy((socket) => {
    socket.once("data", (data) => {
      heads.push(String(data));
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    });
  });
  for (const origin of ["https://[2001:db8::1]", "http://model.example:81"])
    await expect(post(never, origin)).rejects.toThrow();
  expect(heads[0]).toMatch(/^CONNECT \[2001:db8::1\]:443 HTTP\/1\.1\r\n/);
  expect(heads[0]).toMatch(/^host: \[2001:db8::1\]:443\r$/im);
  expect(heads[0]).not.toContain("Bearer k");
  expect(heads[1]).toContain("authorization: Bearer k");
  expect(heads[1]).toMatch(/^POST http:\/\/model\.example:81\/ HTTP\/1\.1\r\n/);
  expect(heads[1]).toMatch(/^host: model\.example:81\r$/im);
});
