// What every answer has, whatever it answers: on each route, by each method, served or refused.
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type HttpDuet, openHttpDuet, startHttpDuet } from "../../fakes/http-duet.ts";
import { openSocket, post, rawText, readRaw } from "../../fakes/http-interface.ts";
import { everyRequest, routes } from "../../faults/http-routes.ts";

const origin = "https://app.example.com";
const http = { allowedOrigins: [origin], maxConnectionsPerAddress: 1000 };

let duet: HttpDuet;
beforeAll(async () => {
  duet = await openHttpDuet({ turns: Array.from({ length: 9 }, () => "Said."), settings: { serve: { http } } });
});
afterAll(() => duet.close());

interface Answer {
  status: number;
  headers: Headers;
  body: Buffer;
}

/** Sends bytes, and returns the answer as it came: a client would take its body out of its encoding. */
async function send(text: string): Promise<Answer> {
  const socket = await openSocket(duet.port);
  socket.write(text);
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  const end = whole.indexOf("\r\n\r\n");
  const [first = "", ...lines] = whole.subarray(0, end).toString().split("\r\n");
  const headers = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(":")),
    line.slice(line.indexOf(":") + 1),
  ]);
  return { status: Number(first.split(" ")[1]), headers: new Headers(headers), body: whole.subarray(end + 4) };
}

function read(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return send(rawText(method, path, duet.port, headers));
}

test("every answer has an id that a page can read, and keeps other sites' pages and devices away", async () => {
  const { port } = duet;
  const texts = everyRequest(port, { origin });
  const long = { "content-type": "application/json", "content-length": "1000000000" };
  const odd = [
    rawText("GET", "/agent/runs", port, { host: "evil.test" }),
    rawText("GET", "/healthz", port, { origin: "https://evil.test" }),
    rawText("TRACE", "/agent/chat", port),
    "no HTTP at all\r\n\r\n",
    post(port, "{", {}, "/agent/chat"),
    post(port, {}, { "content-type": "text/plain" }, "/v1/chat/completions"),
    rawText("POST", "/v1/chat/completions", port, long),
    rawText("GET", "/agent/runs", port, { "x-long": "x".repeat(20_000) }),
    "GET /agent/runs HTTP/1.1\r\nconnection: close\r\n\r\n",
    rawText("GET", "/healthz", port, { expect: "a wonder" }),
  ];
  const answers = await Promise.all([...texts, ...odd].map(async (text) => ({ text, ...(await send(text)) })));
  const statuses = answers.slice(-odd.length).map(({ status }) => status);
  expect(statuses).toEqual([403, 403, 405, 400, 400, 415, 413, 431, 400, 200]);
  for (const { text, headers } of answers) {
    const found = [text.slice(0, 60), ...kept.map((name) => headers.get(name)), headers.get("x-request-id")];
    expect(found).toEqual([text.slice(0, 60), ...keptValues, expect.stringMatching(/^(req|run)-[0-9a-f]{32}$/)]);
    if (headers.has("access-control-allow-origin"))
      expect(headers.get("access-control-expose-headers")).toContain("X-Request-Id");
  }
});

const kept = ["cross-origin-opener-policy", "cross-origin-resource-policy", "permissions-policy"];
const keptValues = ["same-origin", "same-origin", expect.stringContaining("camera=()")];

test("each path says which methods it serves, by OPTIONS and by 405, and HEAD is served where GET is one answer", async () => {
  for (const { path, methods } of Object.values(routes)) {
    const isStream = path === "/mcp";
    const served = methods.flatMap((method) => (method === "GET" && !isStream ? ["GET", "HEAD"] : [method]));
    const allowed = [...served, "OPTIONS"].join(", ");
    for (const method of ["OPTIONS", "TRACE", "PATCH"]) {
      const { status, headers } = await read(path, {}, method);
      const expected = method === "OPTIONS" ? 204 : 405;
      expect([path, method, status, headers.get("allow")]).toEqual([path, method, expected, allowed]);
    }
    if (!methods.includes("GET")) continue;
    const get = await read(path, { accept: "application/json" });
    const head = await read(path, { accept: "text/event-stream" }, "HEAD");
    expect([path, head.status, head.body.length]).toEqual([path, isStream ? 405 : get.status, 0]);
    if (isStream || path === "/metrics") continue;
    for (const name of ["content-type", "content-length", "etag"])
      expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)]);
  }
});

test("an answer comes compressed to whoever takes that, under one tag that says whether it has changed", async () => {
  for (const path of ["/openapi.json", "/"]) {
    const plain = await read(path);
    const tag = plain.headers.get("etag") ?? "";
    expect([path, tag]).toEqual([path, expect.stringMatching(/^W\/"[\w-]{22}"$/)]);
    for (const [encoding, unpack] of [
      ["br", brotliDecompressSync],
      ["gzip", gunzipSync],
    ] as const) {
      const { headers, body } = await read(path, { "accept-encoding": encoding });
      expect([headers.get("content-encoding"), headers.get("etag")]).toEqual([encoding, tag]);
      expect(headers.get("vary")).toContain("Accept-Encoding");
      expect(Number(headers.get("content-length"))).toBe(body.length);
      expect(unpack(body)).toEqual(plain.body);
      const known = await read(path, { "accept-encoding": encoding, "if-none-match": `"other", ${tag}` });
      expect([known.status, known.body.length, known.headers.get("etag")]).toEqual([304, 0, tag]);
    }
    expect((await read(path, { "if-none-match": '"other"' })).status).toBe(200);
  }
  // A browser asks again for the page, which has no data, and keeps nothing of an answer that has some.
  const caching = async (path: string) => (await read(path)).headers.get("cache-control");
  expect([await caching("/"), await caching("/agent/settings")]).toEqual(["no-cache", "no-store"]);
});

test("a stream is not held back to be compressed", async () => {
  const gate = Promise.withResolvers<void>();
  const gated = await startHttpDuet({ turns: ["Said."], gate: gate.promise });
  const response = await fetch(`${gated.origin}/agent/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream", "accept-encoding": "br, gzip" },
    body: JSON.stringify({ message: "Say it.", mode: "chat" }),
  });
  const [early, all] = response.body?.tee() ?? [];
  let seen = "";
  for await (const piece of early?.pipeThrough(new TextDecoderStream()) ?? []) {
    seen += piece;
    // The model says nothing yet.
    if (seen.includes("event: run-start")) break;
  }
  gate.resolve();
  expect(response.headers.get("content-encoding")).toBeNull();
  expect(response.headers.get("x-request-id")).toBe(/"runId":"(run-\w+)"/.exec(seen)?.[1]);
  expect(await new Response(all).text()).toContain("event: run-end");
});

test("whoever sends headers that are too long reads why, however much follows, and is not reset", async () => {
  const socket = await openSocket(duet.port);
  onTestFinished(() => void socket.destroy());
  const errors: Error[] = [];
  socket.on("error", (error) => errors.push(error));
  const answer = readRaw(socket);
  socket.write(`GET /agent/runs HTTP/1.1\r\nhost: 127.0.0.1:${duet.port}\r\n`);
  for (let count = 0; count < 40; count++) socket.write(`x-${count}: ${"x".repeat(5000)}\r\n`);
  const { status, body } = await answer;
  expect(status).toBe(431);
  expect(JSON.parse(body)).toMatchObject({
    code: "headers_too_large",
    detail: "the headers are too long (allowed: at most 16384 bytes in all)",
  });
  expect(errors).toEqual([]);
});

test("whoever sends headers that are too long or no Host reads why in the language of the request", async () => {
  const headers = { "accept-language": "zh-CN", "x-long": "x".repeat(20_000) };
  const long = await read("/agent/runs", headers);
  expect(JSON.parse(String(long.body)).detail).toBe("请求头过长（允许：总共至多 16384 字节）");
  const hostless = await send("GET /v1/models HTTP/1.1\r\naccept-language: zh\r\nconnection: close\r\n\r\n");
  expect(JSON.parse(String(hostless.body)).error.message).toBe("缺少 Host（允许：主机 或 主机:端口）");
});

test("a client that is still sending a body that is too long reads why it is refused", async () => {
  const small = await startHttpDuet({ settings: { serve: { http: { maxBody: 1024 } } } });
  const body = "x".repeat(4_000_000);
  const headers = { "content-type": "application/json" };
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const answer = await fetch(`${small.origin}/v1/responses`, { method: "POST", headers, body });
      return [answer.status, await answer.text()];
    }),
  );
  for (const said of statuses) expect(said).toEqual([413, expect.stringContaining("longer than 8192 bytes")]);
});
