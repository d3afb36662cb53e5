import { randomUUID } from "node:crypto";
import { type McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Caller } from "../../../core/caller.ts";
import type { Locale } from "../../../kit/locale.ts";
import type { HttpRefusal } from "../response/refusal.ts";
import { closing, toRefusalResponse } from "../response/refuse.ts";
import type { McpExchange } from "./mcp-exchange.ts";
import { createSession, type Session } from "./session.ts";

export interface SessionOptions {
  createServer(caller: Caller, isOneRequest: boolean): Promise<McpServer>;
  /** Sessions at one time. */
  most: number;
  /** Milliseconds without a request and without an open stream. */
  idleMs: number;
  locale: Locale;
}

/** The sessions of all clients of the 2025 protocol. */
export interface Sessions {
  handle(exchange: McpExchange, caller: Caller): Promise<Response>;
  close(): Promise<void>;
}

interface Entry {
  session: Session;
  /** Whose it is, with what rights: nobody else finds it. */
  key: string;
}

/** How often sessions are looked through, in milliseconds; more often where they end sooner. */
const sweepMs = 30_000;

export function createSessions({ createServer, most, idleMs, locale }: SessionOptions): Sessions {
  const sessions = new Map<string, Entry>();
  /** Those that are being made, which count already. */
  let coming = 0;
  let isClosed = false;

  function end(id: string): void {
    const entry = sessions.get(id);
    sessions.delete(id);
    entry?.session.close().catch(() => {});
  }

  const sweep = setInterval(
    () => {
      const now = performance.now();
      for (const [id, { session }] of sessions) if (session.isIdle && now - session.usedAt >= idleMs) end(id);
    },
    Math.min(sweepMs, Math.max(50, idleMs / 4)),
  );
  sweep.unref();

  /** Makes room where all places are taken: the session goes that has been idle longest, the caller's own before others'. */
  function hasRoom(key: string): boolean {
    if (sessions.size + coming < most) return true;
    const idle = [...sessions].filter(([, { session }]) => session.isIdle);
    const longest = idle.toSorted(([, a], [, b]) => a.session.usedAt - b.session.usedAt);
    const found = longest.find(([, entry]) => entry.key === key) ?? longest[0];
    if (found === undefined) return false;
    end(found[0]);
    return true;
  }

  async function begin(exchange: McpExchange, caller: Caller, key: string): Promise<Response> {
    if (!hasRoom(key)) return toRefusalResponse(full, locale);
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
      return entry?.key === key ? entry.session.handle(exchange) : toRefusalResponse(unknown(exchange), locale);
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

/** The status tells the client to begin again with `initialize` (Streamable HTTP, session management). */
function unknown({ message }: McpExchange): HttpRefusal {
  return { status: 404, code: -32_001, id: message?.id, text: { zh: "没有此会话", en: "Session not found" } };
}

const full: HttpRefusal = {
  status: 503,
  text: { zh: "会话已满，请稍后再试", en: "all sessions are in use; try again later" },
  headers: { "retry-after": "5" },
};
