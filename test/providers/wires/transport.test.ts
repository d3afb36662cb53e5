import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { replaceStream } from "../../../src/core/model/model.ts";
import type { WireName } from "../../../src/core/model/model-settings.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { createModel } from "../../../src/providers/create-model.ts";
import { withRetry } from "../../../src/providers/middleware/retry.ts";
import { findOllama } from "../../../src/providers/offered-models.ts";
import { ChatReader } from "../../../src/providers/wires/openai-chat/stream.ts";
import { streamTurn } from "../../../src/providers/wires/stream-turn.ts";
import { openTransport } from "../../../src/providers/wires/transport.ts";
import { startFakeProvider } from "../../fakes/provider.ts";
import { type Replay, startReplay } from "../../fakes/replay.ts";
import { hear, settings } from "../reading.ts";
import { waitForBody } from "./wait-for-response.ts";

const answer = 'data: {"choices":[{"delta":{"content":"It rains."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

describe("over the socket", () => {
  let replay: Replay;
  beforeEach(async () => {
    replay = await startReplay();
  });
  afterEach(() => replay.close());
  const model = (changes = {}) =>
    createModel(settings({ baseUrl: `${replay.url}/v1`, ...changes }), { sleep: async () => {} });

  test("one connection serves turn after turn", async () => {
    replay.serve({ body: answer });
    const same = model();
    await hear(same);
    const opened = async () => {
      const before = replay.connections();
      await hear(same);
      return replay.connections() - before;
    };
    // The end of a body may come after the last event, so that a turn that starts at once needs a second connection.
    await expect.poll(opened).toBe(0);
  });

  test("a body that a proxy compressed is read all the same", async () => {
    const headers = { "content-type": "text/event-stream", "content-encoding": "gzip" };
    replay.serve({ headers, body: gzipSync(answer) }, 7);
    expect((await hear(model())).text).toBe("It rains.");
  });

  test("a page with status 200 is no answer, and asking again would not help", async () => {
    replay.serve({ headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" });
    await expect(hear(model())).rejects.toMatchObject({ code: "bad_response", retryable: false });
  });

  test("an error body without end is read only so far", async () => {
    replay.serve(
      { status: 400, headers: { "content-type": "application/json" }, body: `"${"x".repeat(5_000_000)}` },
      65_536,
    );
    await expect(hear(model())).rejects.toMatchObject({
      code: "invalid_request",
      text: {
        en: expect.stringMatching(
          /HTTP 400\): "x+… \(its body is longer than 65536 bytes, and the rest was not read\)$/,
        ),
      },
    });
  });

  test.each([
    [65_536, /: x+…$/],
    [65_537, /: x+… \(its body is longer than 65536 bytes, and the rest was not read\)$/],
  ])("an error body of %i bytes is told as longer only if it is", async (length, text) => {
    replay.serve({ status: 400, headers: { "content-type": "text/plain" }, body: "x".repeat(length) });
    await expect(hear(model())).rejects.toMatchObject({ text: { en: expect.stringMatching(text) } });
  });

  interface Refused {
    signal?: AbortSignal;
    timeoutMs?: number;
    /** Limits how long the body of the refusal is read; no test takes the default. */
    errorBodyMs?: number;
    /** Returns the signal of the request, for that of the turn. */
    toSignal?: (signal: AbortSignal) => AbortSignal;
  }

  /** Asks a server that refuses, and then does what `go` does with its body. */
  async function hearRefusal(
    status: number,
    go: (response: ServerResponse) => void,
    { signal, timeoutMs = 600_000, errorBodyMs = 600_000, toSignal = (until) => until }: Refused = {},
  ) {
    const server = await serve((_, response) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.flushHeaders();
      go(response);
    });
    onTestFinished(() => server.close());
    const transport = openTransport({ errorBodyMs });
    const told = settings({ timeoutMs });
    const refused = replaceStream(model(), (request, onEvent, until) =>
      streamTurn(
        {
          settings: told,
          request,
          reader: new ChatReader(told, () => "id"),
          send: (sending) => transport.post({ url: server.url, path: "", headers: {} }, {}, toSignal(sending)),
        },
        onEvent,
        signal ?? until,
      ),
    );
    return hear(refused).catch((thrown: unknown) => thrown);
  }

  const drip = (response: ServerResponse): void => {
    response.write("The model is gone. ");
    const timer = setInterval(() => response.write("."), 20);
    response.on("close", () => clearInterval(timer));
  };

  test.each<[string, (response: ServerResponse) => void, RegExp, number?]>([
    ["never comes", () => {}, /\(HTTP 400\) \(its body did not end within 0\.2 s\)$/, 200],
    ["stops", (response) => response.write('{"error":'), /: \{"error": \(its body did not end within 0\.2 s\)$/, 200],
    ["goes on for ever", drip, /: The model is gone\. \.*\s*\(its body did not end within 0\.2 s\)$/, 200],
    [
      "breaks off",
      (response) => response.write("The mo", () => response.destroy()),
      /: The mo \(its body was cut off\)$/,
    ],
  ])("a refusal whose body %s is told with its status and what has come of it", async (_, go, text, errorBodyMs) => {
    const error = await hearRefusal(400, go, { errorBodyMs });
    expect(error).toMatchObject({ code: "invalid_request", status: 400, text: { en: expect.stringMatching(text) } });
    const busy = await hearRefusal(503, go, { errorBodyMs });
    expect(busy).toMatchObject({ status: 503, retryable: true });
  });

  test("a refusal whose body takes longer than the wait for the first content is told as a refusal", async () => {
    const reading = waitForBody();
    // The limit counts from the start of the turn on; the request meets it once the head has come, however long that took.
    const toSignal = (limit: AbortSignal): AbortSignal => {
      const late = new AbortController();
      limit.addEventListener("abort", () => void reading.then(() => late.abort(limit.reason)));
      return late.signal;
    };
    expect(await hearRefusal(400, drip, { timeoutMs: 1, toSignal })).toMatchObject({
      ...{ code: "invalid_request", status: 400 },
      text: { en: expect.stringContaining("its body did not end in time") },
    });
  });

  test.each([
    ["a caller that leaves", new Error("left")],
    ["a time limit of the run", new DuetError({ code: "timeout", text: { zh: "超时", en: "too late" } })],
  ])("%s while the body of a refusal comes ends the turn with its own reason", async (_, reason) => {
    const leaving = new AbortController();
    void waitForBody().then(() => leaving.abort(reason));
    expect(await hearRefusal(400, drip, { signal: leaving.signal })).toBe(reason);
  });

  const role = { choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] };
  test.each<[string, WireName, string]>([
    ["comments", "openai-chat", ": keep-alive\n\n"],
    ["empty deltas", "openai-chat", `data: ${JSON.stringify(role)}\n\n`],
    ["pings", "anthropic-messages", 'event: ping\ndata: {"type":"ping"}\n\n'],
  ])("%s over %s are no first content, however many come", async (_, wire, bytes) => {
    const slow = await serve(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write(bytes), 20);
      response.on("close", () => clearInterval(timer));
    });
    try {
      const limits = { wire, baseUrl: `${slow.url}/v1`, idleMs: 1500, timeoutMs: 3000 };
      const error = await hear(model(limits)).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "timeout", message: expect.stringContaining("no content within 3 s") });
    } finally {
      await slow.close();
    }
  });

  test("an address that takes a connection and no TLS on it is given up at its limit, as a time-out that is not tried again", async () => {
    const deaf = createSocketServer().listen(0, "127.0.0.1");
    await once(deaf, "listening");
    let connections = 0;
    deaf.on("connection", (socket) => {
      connections += 1;
      socket.on("error", () => {});
      onTestFinished(() => void socket.destroy());
    });
    onTestFinished(() => void deaf.close());
    const address = deaf.address();
    const url = `https://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/`;
    const transport = openTransport({ connectMs: 300 });
    const told = settings({ timeoutMs: 600_000 });
    const slow = replaceStream(model(), (request, onEvent, signal) =>
      streamTurn(
        {
          settings: told,
          request,
          reader: new ChatReader(told, () => "id"),
          send: (until) => transport.post({ url, path: "", headers: {} }, {}, until),
        },
        onEvent,
        signal,
      ),
    );
    await expect(hear(withRetry(slow))).rejects.toMatchObject({
      code: "timeout",
      text: {
        zh: expect.stringContaining("0.3 秒内没有建立连接"),
        en: expect.stringContaining("no connection within 0.3 s"),
      },
    });
    expect(connections).toBe(1);
  });

  test("a socket that breaks in the middle of an answer is a network error", async () => {
    const broken = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"choices":[{"delta":{"content":"It r"}}]}\n\n', () => response.destroy());
    });
    try {
      await expect(hear(model({ baseUrl: broken.url }))).rejects.toMatchObject({ code: "network", retryable: true });
    } finally {
      await broken.close();
    }
  });
});

describe("a local Ollama", () => {
  test("is found by its first model", async () => {
    const fake = await startFakeProvider();
    fake.script("qwen3:8b", { text: "hi" });
    expect(await findOllama({ baseUrl: `${fake.openaiUrl}/` }, undefined, 20_000)).toBe("qwen3:8b");
    await fake.close();
    expect(await findOllama({ baseUrl: fake.openaiUrl })).toBeUndefined();
  });

  test("is not waited for, and is not anything that answers", async () => {
    const silent = await serve(() => {});
    expect(await findOllama({ baseUrl: silent.url })).toBeUndefined();
    await silent.close();
    const page = await serve((_, response) => response.end("<html>"));
    expect(await findOllama({ baseUrl: page.url })).toBeUndefined();
    await page.close();
  });

  test("is not asked for after an abort", async () => {
    await expect(
      findOllama({ baseUrl: "http://127.0.0.1:1/v1" }, AbortSignal.abort(new Error("stop"))),
    ).rejects.toThrow("stop");
  });
});

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
