import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { resolveModel } from "../../src/config/models/resolve-model.ts";
import { createVendorTable } from "../../src/config/models/vendor-table.ts";
import type { Model, ModelEvent } from "../../src/core/model/model.ts";
import { createModel } from "../../src/providers/create-model.ts";
import { question, textOf } from "./reading.ts";

// Sockets are real, what limits the wait for them is moved by hand.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

interface Provider {
  model: Model;
  /** The answer to the first request, as soon as there is one. */
  answer: Promise<ServerResponse>;
  /** Whether the caller has closed that request. */
  isLeft(): boolean;
}

/** A provider that sends what a test writes, and a model with the usual settings. */
async function openProvider(provider: "openai" | "anthropic"): Promise<Provider> {
  const answer = Promise.withResolvers<ServerResponse>();
  let isLeft = false;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    response.on("close", () => {
      isLeft = true;
    });
    answer.resolve(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = {
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: `${url}/v1`,
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: url,
  };
  const model = provider === "openai" ? "gpt-4o" : "claude-sonnet-4-5";
  const settings = resolveModel({ provider, model }, createVendorTable({}), environment, "models.answer");
  return { model: createModel(settings), answer: answer.promise, isLeft: () => isLeft };
}

/** Lets what was sent over sockets arrive. */
async function arrive(): Promise<void> {
  for (let round = 0; round < 100; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

function piece(content: string, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
}

test("a provider that sends nothing but pings is left after 30 seconds without content, and not before", async () => {
  const { model, answer, isLeft } = await openProvider("anthropic");
  const caller = new AbortController();
  const failing = expect(model.call(question, caller.signal)).rejects.toThrow();
  const response = await answer;
  for (let sent = 0; sent < 5; sent += 1) {
    response.write('event: ping\ndata: {"type":"ping"}\n\n');
    await arrive();
  }
  vi.advanceTimersByTime(29_999);
  await arrive();
  expect(isLeft()).toBe(false);
  vi.advanceTimersByTime(1);
  await expect.poll(isLeft).toBe(true);
  caller.abort(new Error("enough"));
  await failing;
});

test("a program that is busy for longer than a provider may be silent loses nothing of the answer", async () => {
  const { model, answer } = await openProvider("openai");
  const { first, onEvent, events } = collectEvents();
  const ending = model.stream(question, onEvent, new AbortController().signal);
  const response = await answer;
  response.write(piece("It "));
  await first;
  // The answer goes on, but this process looks at nothing before the time of its clock is up.
  setImmediate(() => {
    response.write(piece("rains."));
    vi.advanceTimersByTime(100_000);
  });
  await arrive();
  response.end(`${piece("", "stop")}data: [DONE]\n\n`);
  expect(await ending).toMatchObject({ message: { content: "It rains." } });
  expect(textOf(events, "text-delta")).toBe("It rains.");
});

/** Keeps the events of a turn, and says when the first one has come. */
function collectEvents() {
  const first = Promise.withResolvers<void>();
  const events: ModelEvent[] = [];
  const onEvent = (event: ModelEvent): void => {
    events.push(event);
    first.resolve();
  };
  return { first: first.promise, onEvent, events };
}

test("an answer that stops for 60 seconds is left", async () => {
  const { model, answer, isLeft } = await openProvider("openai");
  const { first, onEvent } = collectEvents();
  const failing = expect(model.stream(question, onEvent, new AbortController().signal)).rejects.toMatchObject({
    code: "timeout",
  });
  (await answer).write(piece("It "));
  await first;
  await arrive();
  vi.advanceTimersByTime(59_999);
  await arrive();
  expect(isLeft()).toBe(false);
  vi.advanceTimersByTime(60_001);
  await failing;
  await expect.poll(isLeft).toBe(true);
});
