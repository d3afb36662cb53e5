import { randomUUID } from "node:crypto";
import { type McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Caller } from "../../../core/caller.ts";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import type { Locale } from "../../../kit/locale.ts";
import type { HttpRefusal } from "../response/dialects.ts";
import { toJsonRpcError } from "../response/dialects.ts";
import { closing, toRefusalResponse } from "../response/refusal.ts";
import { createEventLog, type EventBudget, type EventLimits, eventLimits } from "./event-log.ts";
import type { McpExchange } from "./mcp-exchange.ts";
import { createSession, retryMs, type Session } from "./session.ts";

export interface SessionOptions {
  /** Limits what is kept for clients that come back; of the sessions of one server. */
  eventLimits?: EventLimits | undefined;
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

export function createSessions(options: SessionOptions): Sessions {
  const { createServer, most, idleMs, locale } = options;
  const budget: EventBudget = { limits: options.eventLimits ?? eventLimits, used: 0 };
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
    if (isFull() && !closeLongestIdle(key)) return toRefusalResponse(createFullRefusal(most), locale, toJsonRpcError);
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
    const events = createEventLog(budget);
    const transport = new WebStandardStreamableHTTPServerTransport({
      eventStore: events,
      retryInterval: retryMs,
      sessionIdGenerator: () => id,
      onsessioninitialized: () => void sessions.set(id, { session, key }),
      onsessionclosed: () => void sessions.delete(id),
    });
    await server.connect(transport);
    const session = createSession(server, { transport, events, locale });
    try {
      return isClosed ? toRefusalResponse(closing, locale, toJsonRpcError) : await session.handle(exchange);
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
          : toRefusalResponse(noId, locale, toJsonRpcError);
      const entry = sessions.get(id);
      return entry?.key === key
        ? entry.session.handle(exchange)
        : toRefusalResponse(createUnknownSessionRefusal(exchange, id), locale, toJsonRpcError);
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
