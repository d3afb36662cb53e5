// MCP servers over HTTP on a port of their own: hand-written ones that can lie, and real ones on both SDKs.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { McpServer as OldMcpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

export interface FakeHttp {
  url: string;
  /** Every request, in order. */
  hits: { method: string; path: string; headers: IncomingMessage["headers"]; body: string }[];
  /** Breaks off what is under way, as a restart does. */
  drop(): void;
  close(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void | Promise<void>;

export async function serveHttp(handle: Handler): Promise<FakeHttp> {
  const hits: FakeHttp["hits"] = [];
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    hits.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
    await handle(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    hits,
    drop: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** What came in on one connection, and the connection itself, for answers that no HTTP library would send. */
export type RawHandler = (request: string, socket: Socket) => void;

/** A server on a bare socket. */
export async function serveRaw(handle: RawHandler): Promise<{ url: string; connections: number[]; close(): void }> {
  const open = new Set<Socket>();
  const connections: number[] = [];
  const server = createSocketServer((socket) => {
    connections.push(performance.now());
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    let request = "";
    socket.on("data", (chunk) => {
      request += chunk.toString("latin1");
      const length = Number(/content-length: (\d+)/i.exec(request)?.[1] ?? 0);
      const start = request.indexOf("\r\n\r\n") + 4;
      if (start < 4 || request.length < start + length) return;
      const whole = request;
      request = "";
      handle(whole, socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    connections,
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

export type Message = { id?: number; method?: string; params?: Record<string, unknown> };

/** A 2025 server with a session; `call` decides what happens to `tools/call`, and `refuseList` to `tools/list`. */
export function sessionServer(
  call: (message: Message, response: ServerResponse) => void,
  refuseList?: (response: ServerResponse) => void,
): Promise<FakeHttp> {
  let session = 0;
  return serveHttp((request, response, body) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message: Message = JSON.parse(body);
    if (message.method === "initialize") {
      session += 1;
      response.setHeader("mcp-session-id", `session-${session}`);
      const serverInfo = { name: "sessions", version: "1" };
      return answer(response, message, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    if (request.headers["mcp-session-id"] !== `session-${session}`) {
      return void response.writeHead(400).end("Bad Request: no valid session");
    }
    if (message.method === "tools/list") {
      if (refuseList) return refuseList(response);
      return answer(response, message, { tools: [{ name: "ask", inputSchema: { type: "object" } }] });
    }
    return call(message, response);
  });
}

export function answer(response: ServerResponse, message: Message, result: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
}

/** A real server of the newest SDK, in both eras. */
export async function newServer(): Promise<FakeHttp> {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: "new", version: "2" });
      const inputSchema = z.object({ text: z.string() });
      server.registerTool("shout", { description: "Louder.", inputSchema }, async ({ text }) => ({
        content: [{ type: "text", text: text.toUpperCase() }],
      }));
      return server;
    },
    { responseMode: "sse" },
  );
  return serveHandler(handler);
}

/** The same with the tools that are in the list now, which says when they change to whoever listens. */
export async function changingServer(tools: readonly string[]): Promise<FakeHttp & { announce(): void }> {
  const handler = createMcpHandler(() => {
    const server = new McpServer(
      { name: "changing", version: "1" },
      { capabilities: { tools: { listChanged: true } } },
    );
    for (const name of tools) {
      server.registerTool(name, { inputSchema: z.object({}) }, async () => ({
        content: [{ type: "text", text: name }],
      }));
    }
    return server;
  });
  return { ...(await serveHandler(handler)), announce: () => handler.notify.toolsChanged() };
}

function serveHandler(handler: { fetch(request: Request): Promise<Response> }): Promise<FakeHttp> {
  return serveHttp(async (request, response, body) => {
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const method = request.method ?? "GET";
    const url = `http://127.0.0.1${request.url}`;
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const { signal } = gone;
    const answered = await handler.fetch(new Request(url, { method, headers, signal, ...(body !== "" && { body }) }));
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    if (answered.body === null) response.end();
    else
      Readable.fromWeb(answered.body)
        .on("error", () => {})
        .pipe(response);
  });
}

/** A real server of the old transport (2024-11-05): a stream at `GET /mcp`, messages to another address. */
export async function oldServer(): Promise<FakeHttp> {
  const transports = new Map<string, SSEServerTransport>();
  return serveHttp(async (request, response, body) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method === "GET" && url.pathname === "/mcp") {
      const server = new OldMcpServer({ name: "old", version: "1" });
      server.registerTool("whisper", { inputSchema: { text: z.string() } }, async ({ text }) => ({
        content: [{ type: "text", text: text.toLowerCase() }],
      }));
      const transport = new SSEServerTransport("/messages", response);
      transports.set(transport.sessionId, transport);
      await server.connect(transport);
      return;
    }
    const transport = transports.get(url.searchParams.get("sessionId") ?? "");
    if (transport === undefined) return void response.writeHead(404).end("not here");
    await transport.handlePostMessage(request, response, JSON.parse(body));
  });
}
