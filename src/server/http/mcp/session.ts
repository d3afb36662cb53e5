import type { McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Locale } from "../../../kit/locale.ts";
import type { Message } from "../request/read-message.ts";
import type { HttpRefusal } from "../response/refusal.ts";
import { toRefusalResponse } from "../response/refuse.ts";
import { closeWhenExpired, type McpExchange } from "./mcp-exchange.ts";

/** A client of the 2025 protocol over its requests: one server, one id. */
export interface Session {
  handle(exchange: McpExchange): Promise<Response>;
  /** Whether no answer and no stream is open. */
  readonly isIdle: boolean;
  /** When it was last used, by `performance.now()`. */
  readonly usedAt: number;
  /** Ends its streams and aborts what it still does. */
  close(): Promise<void>;
}

export function createSession(
  server: McpServer,
  transport: WebStandardStreamableHTTPServerTransport,
  locale: Locale,
): Session {
  /** Of requests that wait for their answers. */
  const live = new Set<string | number>();
  let streams = 0;
  let usedAt = performance.now();

  /** What the client does not wait for any more: its handler's signal aborts, and nothing of it is kept. */
  async function abandon(id: string | number, reason: string): Promise<void> {
    transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason } });
    await forget(id);
  }

  /** A cancelled request gets no answer, for which the transport would keep its place, and its stream open. */
  async function forget(id: string | number): Promise<void> {
    if (!live.delete(id)) return;
    transport.closeSSEStream(id);
    const error = { code: -32_000, message: "cancelled" };
    await transport.send({ jsonrpc: "2.0", id, error }).catch(() => {});
  }

  async function post({ request, authInfo, connection }: McpExchange, message: Message): Promise<Response> {
    const { id, method, body } = message;
    if (id !== undefined && live.has(id)) return toRefusalResponse(idInUse(id), locale);
    if (id !== undefined) live.add(id);
    const response = await transport.handleRequest(request, { parsedBody: body, authInfo });
    if (method === "notifications/cancelled") await forgetCancelled(body.params);
    if (id === undefined) return response;
    if (!isStream(response)) {
      live.delete(id);
      return response;
    }
    connection.onClose((isWhole) => {
      usedAt = performance.now();
      if (isWhole) live.delete(id);
      else void abandon(id, "the client closed the connection");
    });
    return response;
  }

  async function forgetCancelled(params: unknown): Promise<void> {
    const id = typeof params === "object" && params !== null && "requestId" in params ? params.requestId : undefined;
    if (typeof id === "string" || typeof id === "number") await forget(id);
  }

  function listen({ connection }: McpExchange): void {
    streams += 1;
    connection.onClose(() => {
      streams -= 1;
      usedAt = performance.now();
    });
  }

  return {
    async handle(exchange) {
      usedAt = performance.now();
      if (exchange.message !== undefined) return post(exchange, exchange.message);
      const { request, authInfo } = exchange;
      // A client that has lost its connection comes back before we know of the loss: the new stream is the one it reads.
      if (isListening(request)) transport.closeStandaloneSSEStream();
      const response = await transport.handleRequest(request, { authInfo });
      if (isStream(response)) {
        listen(exchange);
        closeWhenExpired(exchange);
      }
      return response;
    },
    get isIdle() {
      return streams === 0 && live.size === 0;
    },
    get usedAt() {
      return usedAt;
    },
    close: () => server.close(),
  };
}

function isListening({ method, headers }: Request): boolean {
  return method === "GET" && headers.get("accept")?.includes("text/event-stream") === true;
}

function isStream(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") === true;
}

function idInUse(id: string | number): HttpRefusal {
  const shown = JSON.stringify(id).slice(0, 60);
  return {
    status: 400,
    code: -32600,
    id,
    text: {
      zh: `此会话中编号为 ${shown} 的请求还在等待回答`,
      en: `the request with the id ${shown} still waits for its answer in this session`,
    },
  };
}
