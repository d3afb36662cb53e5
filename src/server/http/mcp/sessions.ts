import { randomUUID } from "node:crypto";
import { type McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Caller } from "../../../core/caller.ts";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import type { Locale } from "../../../kit/locale.ts";
import { lostConnection } from "../../../runs/run-service.ts";
import type { Message } from "../request/read-message.ts";
import type { HttpRefusal } from "../response/dialects.ts";
import { closing, toRefusalResponse } from "../response/refusal.ts";
import { closeWhenExpired, type McpExchange } from "./mcp-exchange.ts";

export interface SessionOptions {
  createServer(caller: Caller, isOneRequest: boolean): Promise<McpServer>;
  /** Limits the sessions at one time. */
  most: number;
  /** Limits how long a session may stay without a request and without an open stream, in milliseconds. */
  idleMs: number;
  locale: Locale;
}

/** Holds the sessions of all clients of the 2025 protocol. */
export interface Sessions {
  handle(exchange: McpExchange, caller: Caller): Promise<Response>;
  close(): Promise<void>;
}

interface Entry {
  session: Session;
  /** Identifies the owner of the session and its rights. No other caller finds the session. */
  key: string;
}

/** Is how often sessions are checked for expiry, in milliseconds. Shorter sessions are checked more often. */
const sweepMs = 30_000;

export function createSessions({ createServer, most, idleMs, locale }: SessionOptions): Sessions {
  const sessions = new Map<string, Entry>();
  /** Counts the sessions that are being created, which already take a place. */
  let coming = 0;
  let isClosed = false;

  function closeSession(id: string): void {
    const entry = sessions.get(id);
    sessions.delete(id);
    void ignoreRejection(entry?.session.close(), "the session is over in any case");
  }

  const sweep = setInterval(
    () => {
      const now = performance.now();
      for (const [id, { session }] of sessions) if (session.isIdle && now - session.usedAt >= idleMs) closeSession(id);
    },
    Math.min(sweepMs, Math.max(50, idleMs / 4)),
  );
  sweep.unref();

  function isFull(): boolean {
    return sessions.size + coming >= most;
  }

  /** Closes the session that has been idle longest, the caller's own before others'. Returns false when no session is idle. */
  function closeLongestIdle(key: string): boolean {
    const idle = [...sessions].filter(([, { session }]) => session.isIdle);
    const longest = idle.toSorted(([, a], [, b]) => a.session.usedAt - b.session.usedAt);
    const found = longest.find(([, entry]) => entry.key === key) ?? longest[0];
    if (found === undefined) return false;
    closeSession(found[0]);
    return true;
  }

  async function begin(exchange: McpExchange, caller: Caller, key: string): Promise<Response> {
    if (isFull() && !closeLongestIdle(key)) return toRefusalResponse(createFullRefusal(most), locale);
    coming += 1;
    try {
      return await open(exchange, caller, key);
    } finally {
      coming -= 1;
    }
  }

  async function open(exchange: McpExchange, caller: Caller, key: string): Promise<Response> {
    const server = await createServer(caller, false);
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => void sessions.set(id, { session, key }),
      onsessionclosed: () => void sessions.delete(id),
    });
    await server.connect(transport);
    const session = createSession(server, transport, locale);
    try {
      return isClosed ? toRefusalResponse(closing, locale) : await session.handle(exchange);
    } finally {
      if (!sessions.has(id)) await session.close();
    }
  }

  return {
    async handle(exchange, caller) {
      const key = JSON.stringify([caller.owner, caller.tools]);
      const id = exchange.request.headers.get("mcp-session-id");
      if (id === null)
        return exchange.message?.method === "initialize"
          ? begin(exchange, caller, key)
          : toRefusalResponse(noId, locale);
      const entry = sessions.get(id);
      return entry?.key === key
        ? entry.session.handle(exchange)
        : toRefusalResponse(createUnknownSessionRefusal(exchange, id), locale);
    },
    async close() {
      isClosed = true;
      clearInterval(sweep);
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.allSettled(open.map(({ session }) => session.close()));
    },
  };
}

const noId: HttpRefusal = {
  status: 400,
  text: {
    zh: "缺少 Mcp-Session-Id（请先发送 initialize）",
    en: "Mcp-Session-Id is missing (send initialize first)",
  },
};

/** The status tells the client to start again with `initialize` (Streamable HTTP, session management). */
function createUnknownSessionRefusal({ message }: McpExchange, session: string): HttpRefusal {
  const shown = showValue(session);
  return {
    status: 404,
    code: -32_001,
    id: message?.id,
    text: {
      zh: `没有会话 ${shown}（请发送 initialize 开始新的会话）`,
      en: `Session not found: ${shown} (send initialize to start a new one)`,
    },
  };
}

function createFullRefusal(most: number): HttpRefusal {
  return {
    status: 503,
    text: { zh: `全部 ${most} 个会话都在使用中，请稍后再试`, en: `all ${most} sessions are in use; try again later` },
    headers: { "retry-after": "5" },
  };
}

/** Represents a client of the 2025 protocol across its requests, with one server and one id. */
interface Session {
  handle(exchange: McpExchange): Promise<Response>;
  /** Is true when no response and no stream is open. */
  readonly isIdle: boolean;
  /** Is when the session was last used, by `performance.now()`. */
  readonly usedAt: number;
  /** Ends its streams and aborts what it still does. */
  close(): Promise<void>;
}

export function createSession(
  server: McpServer,
  transport: WebStandardStreamableHTTPServerTransport,
  locale: Locale,
): Session {
  /** Holds the ids of the requests that wait for their answers. */
  const live = new Set<string | number>();
  let streams = 0;
  let usedAt = performance.now();

  /** Drops a request that the client no longer waits for: its handler's signal aborts, and nothing of it is kept. */
  async function cancelRequest(id: string | number, reason: string): Promise<void> {
    transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason } });
    await forget(id);
  }

  /** A cancelled request gets no answer, so the transport would keep its entry and its stream open. */
  async function forget(id: string | number): Promise<void> {
    if (!live.delete(id)) return;
    transport.closeSSEStream(id);
    const error = { code: -32_000, message: "cancelled" };
    await ignoreRejection(transport.send({ jsonrpc: "2.0", id, error }), "the client may have left already");
  }

  async function handlePost({ request, authInfo, connection }: McpExchange, message: Message): Promise<Response> {
    const { id, method, body } = message;
    if (id !== undefined && live.has(id)) return toRefusalResponse(createIdInUseRefusal(id), locale);
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
      else void cancelRequest(id, lostConnection);
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
      if (exchange.message !== undefined) return handlePost(exchange, exchange.message);
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

function createIdInUseRefusal(id: string | number): HttpRefusal {
  const shown = JSON.stringify(id).slice(0, 60);
  return {
    status: 400,
    code: -32600,
    id,
    text: {
      zh: `此会话中编号为 ${shown} 的请求尚未完成`,
      en: `the request ID ${shown} is still in use in this session`,
    },
  };
}
