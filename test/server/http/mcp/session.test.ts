import { McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { afterEach, expect, test, vi } from "vitest";
import { createEventLog, eventLimits } from "../../../../src/server/http/mcp/event-log.ts";
import { createSession, type Session } from "../../../../src/server/http/mcp/session.ts";
import { call, initialize } from "../../../fakes/http-interface.ts";

afterEach(() => void vi.useRealTimers());

interface Opened {
  session: Session;
  /** Sends a message; gives what closes its connection. */
  send(body: { id: string | number; method: string; params: unknown }): Promise<(isWhole: boolean) => void>;
  /** Aborts with the request that waits. */
  waiting: Promise<AbortSignal>;
}

async function open(): Promise<Opened> {
  const server = new McpServer({ name: "small", version: "0" });
  const { promise: waiting, resolve } = Promise.withResolvers<AbortSignal>();
  server.registerTool("wait", {}, async ({ mcpReq: { signal } }) => {
    resolve(signal);
    await new Promise<void>((abort) => signal.addEventListener("abort", () => abort()));
    return { content: [] };
  });
  const events = createEventLog({ limits: eventLimits, used: 0 });
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => "1", eventStore: events });
  await server.connect(transport);
  const session = createSession(server, { transport, events, locale: "en" });
  async function send(body: { id: string | number; method: string; params: unknown }) {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-session-id": "1",
      "mcp-protocol-version": "2025-11-25",
    };
    const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers });
    const listeners: ((isWhole: boolean) => void)[] = [];
    const connection = {
      body: process.stdin,
      address: "",
      isReceived: () => true,
      takeTurn: async () => {},
      drained: async () => {},
      onClose: (listener: (isWhole: boolean) => void) => void listeners.push(listener),
      drop: () => {},
    };
    const { id, method } = body;
    await session.handle({ request, authInfo: undefined, message: { id, method, body: { ...body } }, connection });
    return (isWhole: boolean) => {
      for (const listener of listeners) listener(isWhole);
    };
  }
  await send({ ...initialize, id: 0 });
  return { session, send, waiting };
}

test("a request whose client does not come back within 30 s is given up", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { session, send, waiting } = await open();
  const close = await send(call(1, "wait"));
  const signal = await waiting;
  close(false);
  vi.advanceTimersByTime(29_999);
  expect([signal.aborted, session.isIdle]).toEqual([false, false]);
  const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  vi.advanceTimersByTime(1);
  await aborted;
  expect([signal.aborted, signal.reason]).toEqual([true, "the client closed the connection"]);
});

test("a session that ends aborts what waits for its client, and nothing comes after that", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { session, send, waiting } = await open();
  const close = await send(call(1, "wait"));
  const signal = await waiting;
  close(false);
  await session.close();
  expect([signal.aborted, vi.getTimerCount()]).toEqual([true, 0]);
});
