import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { serveSchema } from "../../src/config/schema/file-schema.ts";
import type { Caller } from "../../src/core/caller.ts";
import { type HttpServerOptions, serveOverHttp } from "../../src/server/http/serve-http.ts";
import { readStreamData } from "./event-stream.ts";

export interface ServedFace {
  /** Of `/mcp`. */
  url: string;
  port: number;
  /** Calls of `wait` that go on. */
  readonly waiting: number;
  /** Calls of any tool. */
  readonly calls: number;
  /** Bytes that calls of `flood` have sent. */
  readonly flooded: number;
  /** Resolves when a call of `wait` begins. */
  begun(): Promise<void>;
  /** Resolves with the reason when the signal of a call of `wait` or `flood` aborts. */
  aborted(): Promise<unknown>;
  /** Lets calls of `held` have their answer, those to come, too. */
  release(): void;
  /** What the operator was told. */
  lines: string[];
  close(): Promise<void>;
}

type HttpSettings = Partial<HttpServerOptions["settings"]>;

/** Serves a small MCP server by the product's HTTP side, on a real socket. */
export async function startHttpFace(
  options: Partial<Omit<HttpServerOptions, "settings">> & { http?: HttpSettings } = {},
): Promise<ServedFace> {
  const over = new AbortController();
  const { promise: url, resolve: onListening, reject } = Promise.withResolvers<string>();
  const lines: string[] = [];
  const tool = waitingTool();
  const { http, ...rest } = options;
  const served = serveOverHttp({
    createServer: async (caller) => tool.serverFor(caller),
    settings: { ...serveSchema.parse({}).http, ...http },
    host: "127.0.0.1",
    port: 0,
    readiness: async () => ({ isReady: true, details: {} }),
    locale: "en",
    log: (line) => void lines.push(line),
    onListening,
    signal: over.signal,
    ...rest,
  });
  served.catch(reject);
  const address = await url;
  return {
    url: address,
    port: Number(new URL(address).port),
    lines,
    get waiting() {
      return tool.waiting.size;
    },
    get calls() {
      return tool.calls();
    },
    get flooded() {
      return tool.flooded();
    },
    begun: () => tool.begun.next(),
    aborted: () => tool.aborted.next(),
    release: tool.release,
    async close() {
      over.abort();
      await served;
    },
  };
}

/** Hands out what has happened, in order, to whoever waits for it. */
function happenings<T>() {
  const happened: T[] = [];
  const waiters: ((what: T) => void)[] = [];
  return {
    tell(what: T): void {
      const waiter = waiters.shift();
      if (waiter) waiter(what);
      else happened.push(what);
    },
    next(): Promise<T> {
      return happened.length > 0
        ? Promise.resolve(happened.shift() as T)
        : new Promise((resolve) => waiters.push(resolve));
    },
  };
}

function waitingTool() {
  const begun = happenings<void>();
  const aborted = happenings<unknown>();
  const waiting = new Set<AbortSignal>();
  // Once for all servers: compiling them is most of the work of a small one.
  const text = z.object({ text: z.string() });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let calls = 0;
  let flooded = 0;

  function serverFor(caller: Caller): McpServer {
    const server = new McpServer({ name: "small", version: "0" });
    server.registerTool("echo", { inputSchema: text, outputSchema: text }, async ({ text }, { mcpReq }) => {
      calls += 1;
      const { progressToken } = mcpReq._meta ?? {};
      if (progressToken !== undefined)
        for (const progress of [1, 2, 3])
          await mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress, message: `step ${progress}` },
          });
      return { content: [{ type: "text", text }], structuredContent: { text } };
    });
    server.registerTool("who", {}, async () => ({ content: [{ type: "text", text: caller.owner ?? "operator" }] }));
    server.registerTool("wait", {}, async ({ mcpReq: { signal } }) => {
      calls += 1;
      waiting.add(signal);
      begun.tell();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      waiting.delete(signal);
      aborted.tell(signal.reason);
      return { content: [] };
    });
    server.registerTool("held", {}, async ({ mcpReq: { signal } }) => {
      await released;
      return { content: [{ type: "text", text: signal.aborted ? "aborted" : "held" }] };
    });
    server.registerTool("flood", {}, async ({ mcpReq: { signal, notify } }) => {
      const message = "x".repeat(100_000);
      for (let progress = 1; !signal.aborted; progress++) {
        flooded += message.length;
        await notify({ method: "notifications/progress", params: { progressToken: 1, progress, message } }).catch(
          () => {},
        );
        await turn();
      }
      aborted.tell(signal.reason);
      return { content: [] };
    });
    return server;
  }

  return { serverFor, begun, aborted, release, waiting, calls: () => calls, flooded: () => flooded };
}

export interface RawAnswer {
  status: number;
  /** With the status line, in lower case. */
  head: string;
  body: string;
}

/** Sends bytes as they are and reads until the server closes. `connection: close` is for the text to say. */
export async function sendRaw(port: number, text: string | Buffer): Promise<RawAnswer> {
  const socket = await openSocket(port);
  socket.write(text);
  return readRaw(socket);
}

/** Reads until the connection ends or is cut: what came before is what there is. */
export async function readRaw(socket: Socket): Promise<RawAnswer> {
  let all = "";
  socket.setEncoding("utf8").on("data", (piece) => {
    all += piece;
  });
  socket.resume();
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
  const [head = "", ...rest] = all.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1] ?? 0), head: head.toLowerCase(), body: rest.join("\r\n\r\n") };
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  socket.removeAllListeners("error").on("error", () => {});
  return socket;
}

/** The text of a POST of JSON; `headers` on top of, or in place of, those that are due. */
export function post(port: number, body: unknown, headers: Record<string, string> = {}, path = "/mcp"): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return rawText("POST", path, port, { ...due, "content-length": String(Buffer.byteLength(text)), ...headers }) + text;
}

const due = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** A request's head, with `connection: close`. */
export function rawText(method: string, path: string, port: number, headers: Record<string, string> = {}): string {
  const all = { host: `127.0.0.1:${port}`, connection: "close", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`;
}

export function call(id: string | number, name: string, args: unknown = {}, meta?: unknown) {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta: meta } };
}

export const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
};

/** The JSON-RPC messages of an answer, streamed or not. */
export function messagesOf(
  body: string,
): { id?: unknown; error?: { code: number }; result?: unknown; method?: string }[] {
  const streamed = readStreamData(body)
    .filter((data) => data.trim() !== "")
    .map((data) => JSON.parse(data));
  return streamed.length > 0 ? streamed : [JSON.parse(body)];
}

/** A connection that is kept for one request after another, each answered with a stream. Cheap, for thousands of them. */
export async function keepConnection(port: number) {
  const socket = await openSocket(port);
  let all = "";
  let answered = (_: string): void => {};
  socket.setEncoding("utf8").on("data", (piece) => {
    all += piece;
    if (!all.endsWith("\r\n0\r\n\r\n")) return;
    answered(all);
    all = "";
  });
  return {
    ask(text: string): Promise<string> {
      socket.write(text);
      return new Promise((resolve) => {
        answered = resolve;
      });
    },
    close: () => void socket.destroy(),
  };
}

export interface RawSession {
  id: string;
  send(body: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** A session of the 2025 protocol by `fetch`. */
export async function openSession(url: string, more: Record<string, string> = {}): Promise<RawSession> {
  const headers = { ...due, ...more };
  const send = (body: unknown, extra = {}): Promise<Response> =>
    fetch(url, { method: "POST", headers: { ...headers, ...extra }, body: JSON.stringify(body) });
  const response = await send(initialize);
  await response.text();
  const id = response.headers.get("mcp-session-id");
  if (id === null) throw new Error(`no session: ${response.status}`);
  return { id, send: (body, extra = {}) => send(body, { "mcp-session-id": id, ...extra }) };
}

/** What goes along with each request of the 2026 protocol. */
export const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export function modernHeaders(method: string, name?: string): Record<string, string> {
  return { ...due, "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...(name ? { "mcp-name": name } : {}) };
}
