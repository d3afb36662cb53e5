import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import {
  call,
  initialize,
  messagesOf,
  openSession,
  openSocket,
  post,
  rawText,
  sendRaw,
  startHttpFace,
} from "../../fakes/http-interface.ts";
import { collect, startProgram } from "../../fakes/program.ts";

async function started(options: Parameters<typeof startHttpFace>[0] = {}) {
  const face = await startHttpFace(options);
  onTestFinished(() => face.close());
  return face;
}

test("a port in use is one line", async () => {
  const { port } = await started();
  await expect(startHttpFace({ port })).rejects.toMatchObject({
    code: "network",
    message: `127.0.0.1:${port} is already in use`,
  });
});

test("healthz says that it lives, readyz whether it could serve; both without a sign-in, and no more than that", async () => {
  const details = { store: "ok" };
  let ready = async () => ({ isReady: true, details });
  const { url } = await started({ token: "t", readiness: () => ready() });
  const ask = async (path: string, headers = {}): Promise<[number, unknown]> => {
    const response = await fetch(new URL(path, url), { headers });
    return [response.status, await response.json()];
  };
  expect(await ask("/readyz", { authorization: "Bearer t" })).toEqual([200, { status: "ready", store: "ok" }]);
  expect(await ask("/readyz", { authorization: "Bearer u" })).toEqual([200, { status: "ready" }]);
  expect(await ask("/healthz")).toEqual([200, { status: "ok" }]);
  expect(await ask("/readyz")).toEqual([200, { status: "ready" }]);
  ready = async () => ({ isReady: false, details });
  expect(await ask("/readyz")).toEqual([503, { status: "not ready" }]);
  ready = () => Promise.reject(new Error("no model"));
  expect((await ask("/readyz"))[0]).toBe(503);
  expect((await ask("/healthz"))[0]).toBe(200);
});

test("an unknown path is 404, a wrong method 405 with what is allowed, as problem details where it is not MCP", async () => {
  const { url } = await started();
  const unknown = await fetch(new URL("/nothing", url));
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { code: "not_found", status: 404 }]);
  const wrong = await fetch(url, { method: "PUT", headers: { "content-type": "application/json" }, body: "{}" });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, POST, DELETE, OPTIONS"]);
  const head = await fetch(url, { method: "HEAD" });
  expect(head.status).toBe(405);
  const posted = await fetch(new URL("/healthz", url), {
    method: "POST",
    headers: { "content-type": "application/json" },
  });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test("the method is judged before the body, and an unknown path is told all paths, whatever is sent to it", async () => {
  const { url } = await started();
  const send = (path: string, method: string) => fetch(new URL(path, url), { method, body: "no JSON" });
  const untyped = await Promise.all([send("/healthz", "POST"), send("/mcp", "PUT"), send("/mcp", "POST")]);
  expect(untyped.map(({ status }) => status)).toEqual([405, 405, 415]);
  const unknown = await send("/nosuch", "POST");
  expect([unknown.status, await unknown.json()]).toMatchObject([
    404,
    { detail: 'unknown path "/nosuch" (allowed: /healthz, /readyz, /mcp)' },
  ]);
});

test("every answer says that it is not to be kept, sniffed or framed, and not by what it was made", async () => {
  const { url } = await started();
  const session = await openSession(url);
  for (const response of [await fetch(new URL("/healthz", url)), await session.send(call(1, "who"))]) {
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "cache-control": expect.stringMatching(/^no-store/),
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    });
    expect([response.headers.has("x-powered-by"), response.headers.has("server")]).toEqual([false, false]);
    await response.text();
  }
});

test("a server that cannot be made is an internal error for the caller and a line for the operator", async () => {
  const { url, port, lines } = await started({ createServer: () => Promise.reject(new Error("the disk is full")) });
  const answer = await sendRaw(port, post(port, initialize));
  expect([answer.status, messagesOf(answer.body)[0]?.error?.code]).toEqual([500, -32603]);
  expect(answer.body).not.toContain("disk");
  expect([url !== "", lines]).toEqual([true, ["the disk is full"]]);
});

test("an answer whose source fails in the middle is cut off, without a word of why", async () => {
  async function* failing() {
    yield Buffer.from("data: 1\n\n");
    await turn();
    throw new Error("the disk is full");
  }
  const broken = new Response(ReadableStream.from(failing()), { headers: { "content-type": "text/event-stream" } });
  const { port } = await started({ routes: { "/broken": { GET: async () => broken } } });
  const answer = await sendRaw(port, rawText("GET", "/broken", port));
  expect(answer.body).toContain("data: 1");
  expect(answer.body).not.toMatch(/disk|\r\n0\r\n/);
});

test("line separators of Unicode are escaped in event streams, wherever the pieces are cut", async () => {
  const text = "a\u2028b\u2029c\u0085d\u00e9\u4e2d\ufeff";
  const bytes = Buffer.from(`\ufeffdata: ${JSON.stringify({ text })}\n\n`);
  const pieces = Array.from(bytes, (byte) => Buffer.from([byte]));
  const headers = { "content-type": "text/event-stream" };
  const { url } = await started({
    routes: { "/odd": { GET: async () => new Response(ReadableStream.from(pieces), { headers }) } },
  });
  const answer = await (await fetch(new URL("/odd", url))).text();
  expect(answer).not.toMatch(/[\u0085\u2028\u2029]/);
  expect(JSON.parse(answer.slice(answer.indexOf("{")))).toEqual({ text });
});

test("the end closes streams, aborts calls, frees the port, and waits for nobody", async () => {
  const face = await startHttpFace();
  const session = await openSession(face.url);
  const waiting = session.send(call(1, "wait")).then((response) => response.text());
  const stream = await fetch(face.url, { headers: { accept: "text/event-stream", "mcp-session-id": session.id } });
  const idle = await openSocket(face.port);
  const half = await openSocket(face.port);
  half.write(rawText("POST", "/mcp", face.port, { "content-length": "100", "content-type": "application/json" }));
  await face.begun();
  await Promise.all([face.close(), face.aborted(), waiting, stream.text(), once(idle, "close"), once(half, "close")]);
  const again = await startHttpFace({ port: face.port });
  await again.close();
});

test("duet serve --http tells its address, serves agent_ask, and ends with 0 at SIGTERM", async () => {
  // The operator's language.
  const child = await startProgram(["serve", "--http", "0"], { env: { LANG: "en_US.UTF-8" } });
  const finished = collect(child);
  let told = "";
  child.stderr.on("data", (text) => {
    told += text;
  });
  await expect.poll(() => told).toMatch(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
  const url = /http:\/\/\S+\/mcp/.exec(told)?.[0] ?? "";
  const session = await openSession(url);
  const listed = await session.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  expect(await listed.text()).toContain('"agent_ask"');
  for (const path of ["/readyz", "/metrics"]) expect((await fetch(new URL(path, url))).status).toBe(200);
  const asked = await fetch(new URL("/v1/chat/completions", url), {
    method: "POST",
    body: JSON.stringify({ model: "duet-agent", messages: [{ role: "user", content: "计算 [1,2,3] 的平均值" }] }),
    headers: { "content-type": "application/json" },
  });
  expect(await asked.text()).toContain("工具调用阶段");
  child.kill("SIGTERM");
  expect(await finished).toMatchObject({ code: 0, stdout: "" });
});

test("duet serve refuses an address that is none, and one that others reach without a token, in one line", async () => {
  const wrong = await collect(await startProgram(["serve", "--http", "80x", "--locale", "en"]));
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringMatching(/^duet: --http: "80x" is not an address .*\n$/),
  ]);
  const open = await collect(await startProgram(["serve", "--http", "0.0.0.0:0", "--locale", "en"]));
  expect([open.code, open.stderr]).toEqual([
    2,
    expect.stringMatching(/^duet: --http: "0\.0\.0\.0" .*DUET_HTTP_TOKEN.*\n$/),
  ]);
});
