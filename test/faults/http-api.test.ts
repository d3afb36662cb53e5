// Fault group G (docs/development/faults-network.md#g-our-own-http-and-mcp-server) over every route that `serve --http` has: the
// agent API, OpenAI's wire, the page, health, figures and MCP. What only MCP has is tested in http-interface.test.ts; whose is what,
// group H, in http-callers.test.ts.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { longestTurn } from "../../src/agent/loop/turn/limit-turn.ts";
import { replaceStream } from "../../src/core/model/model.ts";
import { sleep } from "../../src/kit/async/timeout.ts";
import { findCode } from "../../src/server/http/response/error-table.ts";
import { type HttpDuet, openHttpDuet, startHttpDuet } from "../fakes/http-duet.ts";
import { openSocket, post, type RawAnswer, rawText, readRaw, sendRaw, startHttpFace } from "../fakes/http-interface.ts";
import { scriptedModel } from "../fakes/model.ts";
import {
  everyRequest,
  guardedRoutes,
  openRoutes,
  postRoutes,
  readingRoutes,
  routes,
  servedRequests,
} from "./http-routes.ts";

const origin = "https://app.example.com";
const host = "duet.example.com";
/** Each request has a connection of its own here, and comes from the operator. */
const http = {
  ...{ allowedOrigins: [origin], allowedHosts: [host], maxConnectionsPerAddress: 1000, maxBody: 100_000 },
  operator: "proxied",
};

const turns = Array.from({ length: 40 }, () => "Said.");

function start(more: Record<string, unknown> = {}, environment: Record<string, string> = {}) {
  return startHttpDuet({ turns, settings: { serve: { http: { ...http, ...more } } }, environment });
}

/** Is for the tests whose requests are all refused: its model is never asked. */
let refusing: HttpDuet;
beforeAll(async () => {
  refusing = await openHttpDuet({ turns, settings: { serve: { http } } });
});
afterAll(() => refusing.close());

function sendAll(port: number, texts: readonly string[]): Promise<RawAnswer[]> {
  return Promise.all(texts.map((text) => sendRaw(port, text)));
}

/** What the texts are answered with, each status once. */
async function statuses(port: number, texts: readonly string[]): Promise<number[]> {
  return [...new Set((await sendAll(port, texts)).map(({ status }) => status))];
}

test("the table of these tests has every route of the server", async () => {
  const served = await openRoutes();
  const paths = ["/mcp", ...Object.keys({ ...served.open, ...served.routes })];
  expect(paths.toSorted()).toEqual(Object.keys(routes).toSorted());
});

test("80: a foreign Host is refused on every route, whatever the method, and nothing is done", async () => {
  const { port, model } = refusing;
  expect(await statuses(port, everyRequest(port, { host: `evil.test:${port}` }))).toEqual([403]);
  expect(model.requests).toEqual([]);
});

test("81: an odd Host is a bad request on every route", async () => {
  const { port, model } = refusing;
  expect(await statuses(port, servedRequests(port, { host: `evil.com@127.0.0.1:${port}` }))).toEqual([400]);
  const twice = servedRequests(port).map((text) => text.replace("\r\n", `\r\nHost: ${host}\r\n`));
  expect(await statuses(port, twice)).toEqual([400]);
  expect(model.requests).toEqual([]);
});

test("82: a page of another origin is refused on every route, and CORS says nothing to it", async () => {
  const { port, model } = refusing;
  for (const odd of ["https://evil", "null"]) {
    const answers = await sendAll(port, servedRequests(port, { origin: odd, cookie: "a=b" }));
    expect([odd, [...new Set(answers.map(({ status }) => status))]]).toEqual([odd, [403]]);
    expect(answers.map(({ head }) => head).join()).not.toContain("access-control");
  }
  expect(model.requests).toEqual([]);
});

test("83: what a page could send without asking first is read on no route", async () => {
  const { port, model } = refusing;
  const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json", ""];
  const texts = postRoutes.flatMap(({ path, body }) => [
    ...types.map((type) => post(port, body, { "content-type": type }, path)),
    post(port, body, {}, path).replace("content-type: application/json\r\n", ""),
  ]);
  expect(await statuses(port, texts)).toEqual([415]);
  expect(model.requests).toEqual([]);
});

test("84: CORS names a configured origin on every route, never another one, never with credentials", async () => {
  const { port } = refusing;
  const asked = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "idempotency-key, x-evil",
  };
  const gets = Object.values(routes).map(({ path }) => rawText("GET", path, port, { origin }));
  const preflights = Object.values(routes).map(({ path }) => rawText("OPTIONS", path, port, { origin, ...asked }));
  for (const { head } of await sendAll(port, [...gets, ...preflights])) {
    expect(head).toContain(`access-control-allow-origin: ${origin}\r\n`);
    expect(head).not.toMatch(/allow-credentials|x-evil|allow-origin: \*/);
  }
  for (const { status, head } of await sendAll(port, preflights)) {
    expect(status).toBe(204);
    expect(head).toMatch(/access-control-allow-headers: .*idempotency-key.*last-event-id/);
  }
  const own = servedRequests(port, { origin: `http://127.0.0.1:${port}` }).filter((text) => !text.startsWith("POST"));
  for (const { head } of await sendAll(port, own)) expect(head).not.toContain("access-control-allow-origin");
});

test("86: without the token every route but the open ones is closed, by every method", async () => {
  const token = "0123456789abcdef";
  const { port, model, lines } = await start({}, { DUET_HTTP_TOKEN: token });
  const wrong: Record<string, string>[] = [
    { authorization: "Bearer 0123456789abcde" },
    { cookie: `token=${token}; authorization=Bearer ${token}`, "x-api-key": "0123456789abcde" },
  ];
  const isGuarded = (text: string) =>
    !text.startsWith("OPTIONS") &&
    !/^\w+ \/(healthz|readyz|manifest\.webmanifest|page\/\w+\.js|signin(\/session)?)? HTTP/.test(text);
  for (const headers of wrong) {
    const answers = await sendAll(port, everyRequest(port, headers).filter(isGuarded));
    // Guesses of a token are slowed down and not all looked at.
    const refused = [401, 429];
    expect([headers, answers.filter(({ status }) => !refused.includes(status))]).toEqual([headers, []]);
    for (const { head } of answers.filter(({ status }) => status === 401))
      expect(head).toMatch(/www-authenticate: bearer realm="duet"/);
  }
  const inAddress = guardedRoutes.flatMap(({ path, methods }) =>
    methods.map((method) => rawText(method, `${path}?access_token=${token}&token=${token}`, port)),
  );
  expect((await statuses(port, inAddress)).filter((status) => status !== 401 && status !== 415)).toEqual([]);
  const long = guardedRoutes.map(({ path }) =>
    rawText("GET", path, port, { authorization: `Bearer ${"x".repeat(100_000)}` }),
  );
  expect(await statuses(port, long)).toEqual([431]);
  const right = guardedRoutes.map(({ path }) => rawText("GET", path, port, { authorization: `bearer ${token}` }));
  expect(await statuses(port, right)).not.toContain(401);
  expect(model.requests).toEqual([]);
  expect(lines.join()).not.toContain(token);
});

describe("87: a body that is wrong", () => {
  /** How each part of the server words what it refuses. */
  function isInDialect(path: string, { head, body }: RawAnswer): boolean {
    const said = JSON.parse(body);
    if (/^\/(agent|operator)/.test(path))
      return head.includes("application/problem+json") && said.status >= 400 && said.code === findCode(said.status);
    if (path.startsWith("/v1")) return said.error.type === "invalid_request_error";
    return said.jsonrpc === "2.0" && said.error.code < 0;
  }

  test("is refused on every route in the words of its callers, before it costs anything", async () => {
    const { port, model, lines } = refusing;
    const told = lines.length;
    const bodies = [
      "[".repeat(90_000),
      `{"message":${'{"a":'.repeat(10_000)}1${"}".repeat(10_001)}`,
      `{"message":"x","message":"y","model":"duet-agent"}`,
      `{"message":"x","m\\u0065ssage":"y"}`,
      "{",
      "",
      "null",
      "[]",
      "1",
      '"message"',
      "\ufeff",
    ];
    for (const { path } of readingRoutes)
      for (const body of bodies) {
        const answer = await sendRaw(port, post(port, body, {}, path));
        const shown = `${path} ${body.slice(0, 30)}`;
        expect([shown, answer.status, isInDialect(path, answer)]).toEqual([shown, 400, true]);
      }
    expect([model.requests, lines.slice(told)]).toEqual([[], []]);
  });

  test("that is no UTF-8 is refused, one with a byte order mark is read", async () => {
    const { port } = await start();
    for (const { path, body } of readingRoutes) {
      const head = rawText("POST", path, port, { "content-type": "application/json", "content-length": "4" });
      const answer = await sendRaw(port, Buffer.concat([Buffer.from(head), Buffer.from([0x22, 0xff, 0xfe, 0x22])]));
      expect([path, answer.status, isInDialect(path, answer)]).toEqual([path, 400, true]);
      const marked = await sendRaw(port, post(port, `\ufeff${JSON.stringify(body)}`, {}, path));
      expect([path, marked.status]).not.toEqual([path, 400]);
    }
  });

  test("that is too long is cut off at the limit, whether it says so or not", async () => {
    const { port, model } = refusing;
    for (const { path } of readingRoutes) {
      const type = { "content-type": "application/json" };
      const told = await sendRaw(port, rawText("POST", path, port, { ...type, "content-length": "1000000000" }));
      expect([path, told.status]).toEqual([path, 413]);
      const socket = await openSocket(port);
      const answer = readRaw(socket);
      socket.write(rawText("POST", path, port, { ...type, "transfer-encoding": "chunked" }));
      const piece = "x".repeat(16_384);
      let sent = 0;
      const send = (): void => {
        if (!socket.writable || sent > 64_000_000) return;
        sent += piece.length;
        socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`, () => setImmediate(send));
      };
      send();
      expect([path, (await answer).status]).toEqual([path, 413]);
      expect(sent).toBeLessThan(64_000_000);
    }
    expect(model.requests).toEqual([]);
  });

  test("that would change what all objects have changes nothing", async () => {
    const { port } = await start();
    const evil = '{"polluted":true}';
    for (const { path, body } of postRoutes) {
      const own = JSON.stringify(body).slice(1, -1);
      const texts = [
        `{${own},"__proto__":${evil}}`,
        `{${own},"constructor":{"prototype":${evil}}}`,
        `{${own},"models":{"__proto__":${evil}},"parameters":{"__proto__":${evil}}}`,
        `{${own},"models":{"function_call":"__proto__","answer":"constructor/prototype"}}`,
        `{${own},"mode":"__proto__","locale":"constructor"}`,
      ];
      const found = await statuses(
        port,
        texts.map((text) => post(port, text, {}, path)),
      );
      expect([path, found.filter((status) => status >= 500)]).toEqual([path, []]);
    }
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

test("98: no answer of any route may be kept on its way, be taken for something else, or tell of our insides", async () => {
  const { port, lines } = await start();
  for (const text of everyRequest(port)) {
    const [request = ""] = text.split(" HTTP");
    const { head, body } = await sendRaw(port, text);
    expect([request, head]).toEqual([request, expect.stringContaining("x-content-type-options: nosniff")]);
    // A browser asks whether the page and its parts, which have no data, are still the same. That of the sign-in says who somebody is.
    const caching = /^(GET|HEAD) \/(manifest\.webmanifest|page\/\w+\.js)?$/.test(request) ? /^no-cache/ : /^no-store/;
    expect([request, /cache-control: (\S+)/.exec(head)?.[1]]).toEqual([request, expect.stringMatching(caching)]);
    expect([request, head]).toEqual([request, expect.not.stringMatching(/^(server|x-powered-by):/m)]);
    // The page's own scripts may say what they like.
    if (!/text\/(html|javascript)/.test(head))
      expect([request, body]).toEqual([
        request,
        expect.not.stringMatching(/node_modules|\.[jt]s:\d|file:\/\/|\n\s+at /),
      ]);
  }
  expect(lines.filter((line) => /internal|undefined/.test(line))).toEqual([]);
});

test("88: a body that comes slowly is given up on every route, and others are served meanwhile", async () => {
  const limits = { headersMs: 150, requestMs: 300, checkMs: 50 };
  const face = await startHttpFace({ ...(await openRoutes()), limits });
  onTestFinished(() => face.close());
  const slow = await Promise.all(
    readingRoutes.map(async ({ path }) => {
      const socket = await openSocket(face.port);
      socket.write(rawText("POST", path, face.port, { "content-type": "application/json", "content-length": "50" }));
      socket.write('{"message":');
      return readRaw(socket);
    }),
  );
  expect((await sendRaw(face.port, rawText("GET", "/v1/models", face.port))).status).toBe(200);
  expect(slow.map(({ status }) => status)).toEqual(readingRoutes.map(() => 408));
});

describe("with a model that goes on and on", () => {
  /** Says `piece` as often as it is let, or nothing at all. */
  function endless(piece = "") {
    const begun = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const said = { bytes: 0, calls: 0 };
    const model = replaceStream(scriptedModel([]), async (_, onEvent, signal) => {
      said.calls += 1;
      signal.addEventListener("abort", () => aborted.resolve(), { once: true });
      begun.resolve();
      if (piece === "") await sleep(600_000, signal);
      for (;;) {
        signal.throwIfAborted();
        said.bytes += piece.length;
        onEvent({ type: "text-delta", text: piece });
        await sleep(0, signal);
      }
    });
    return { models: { functionCall: model, answer: model }, begun: begun.promise, aborted: aborted.promise, said };
  }

  const messages = [{ role: "user", content: "Go on." }];
  const chat = { model: "duet-agent", messages };

  test.each([
    ["/agent/chat", { message: "Go on." }, "application/json"],
    ["/v1/chat/completions", chat, "application/json"],
    ["/v1/chat/completions", { ...chat, stream: true }, "text/event-stream"],
  ])(
    "144: who leaves %s %j before the first word stops the model, and it is not asked again",
    async (path, body, accept) => {
      const { models, begun, aborted, said } = endless();
      const { port } = await startHttpDuet({ models });
      const socket = await openSocket(port);
      socket.write(post(port, body, { accept, connection: "keep-alive" }, path));
      await begun;
      socket.destroy();
      await aborted;
      await expect
        .poll(async () => (await sendRaw(port, rawText("GET", "/agent/runs", port))).body)
        .toMatch(/"status":"cancelled"/);
      expect(said.calls).toBe(1);
    },
  );

  test("89: a client that reads nothing of a streamed completion is cut off, and the model stops", async () => {
    // Six bytes each on the wire: far more than what is on its way can hold before the turn is as long as it may be.
    const { models, aborted, said } = endless("\u0001".repeat(50_000));
    const { port } = await startHttpDuet({ models });
    const socket = await openSocket(port);
    socket.pause();
    socket.write(post(port, { ...chat, stream: true }, { connection: "keep-alive" }, "/v1/chat/completions"));
    await aborted;
    // By the limit of what waits for a reader, and not by that of a turn.
    expect(said.bytes).toBeLessThan(longestTurn);
    socket.destroy();
  });

  test("149: a run that is one too many is refused by every way in, and what goes on can still be stopped", async () => {
    const { models, begun, said } = endless();
    const { port } = await startHttpDuet({ models, settings: { serve: { maxRuns: 1 } } });
    const socket = await openSocket(port);
    onTestFinished(() => void socket.destroy());
    socket.write(
      post(port, { message: "Go on." }, { accept: "text/event-stream", connection: "keep-alive" }, "/agent/chat"),
    );
    await begun;
    for (const [path, body] of [
      ["/agent/chat", { message: "One more." }],
      ["/v1/chat/completions", chat],
      ["/v1/chat/completions", { ...chat, stream: true }],
    ] as const) {
      const { status, body: told } = await sendRaw(port, post(port, body, {}, path));
      expect([path, status]).toEqual([path, 503]);
      expect(told).toMatch(/"overloaded"/);
    }
    expect(said.calls).toBe(1);
    const { body } = await sendRaw(port, rawText("GET", "/agent/runs", port));
    const id = /"run_id":"(run-[0-9a-f]+)"/.exec(body)?.[1];
    const stopped = await sendRaw(port, rawText("DELETE", `/agent/runs/${id}`, port));
    expect([stopped.status, JSON.parse(stopped.body).status]).toEqual([200, "cancelled"]);
  });
});

test("147: a stall of the event loop stands in the figures", async () => {
  const { port } = await start();
  const lag = async (): Promise<number> => {
    const { body } = await sendRaw(port, rawText("GET", "/metrics", port));
    return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(body)?.[1]);
  };
  // It stands there from the beginning, and each poll restarts it.
  expect(Number.isFinite(await lag())).toBe(true);
  // The sampler measures from one of its own ticks to the next, 20 ms later.
  await sleep(60, new AbortController().signal);
  const until = performance.now() + 300;
  while (performance.now() < until);
  expect(await lag()).toBeGreaterThan(0.2);
});
