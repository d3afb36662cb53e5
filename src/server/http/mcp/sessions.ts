import { randomInt, randomUUID } from "node:crypto";
import { type McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Caller } from "../../../core/caller.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import type { Locale } from "../../../kit/locale.ts";
import { isTimeoutReason, lostCallerMs } from "../../../runs/run-service.ts";
import type { Message } from "../../mcp/check-message.ts";
import { toJsonRpcError } from "../response/dialects.ts";
import { closing, toRefusalResponse } from "../response/refusal.ts";
import { createAbandonedRuns, type StopRuns } from "./abandoned-runs.ts";
import { createEventLog, type EventBudget, type EventLimits, eventLimits } from "./event-log.ts";
import type { McpExchange } from "./mcp-exchange.ts";
import type { PassedMessages } from "./passed-messages.ts";
import { addIdPrefix } from "./request-id-prefix.ts";
import { createSession, readCancel, retryMs, type Session } from "./session.ts";
import {
  createFullRefusal,
  createUnknownSessionRefusal,
  findInitializeProblem,
  isNotInitialized,
  noIdRefusal,
} from "./session-refusals.ts";
import type { SharedSession, SharedSessions } from "./shared-sessions.ts";

export interface SessionOptions {
  /** Limits what is kept for clients that come back; of the sessions of one server. */
  eventLimits?: EventLimits | undefined;
  createServer(caller: Caller, isOneRequest: boolean, details?: { sessionId: string }): Promise<McpServer>;
  /** Limits the sessions at one time. */
  most: number;
  /** Limits how long a session may stay without a request and without an open stream, in milliseconds. */
  idleMs: number;
  locale: Locale;
  /** Knows the sessions of all processes, and passes messages on to them; without it, each process has its own sessions. */
  shared?: SharedParts | undefined;
}

interface SharedParts {
  sessions: SharedSessions;
  messages: PassedMessages;
  /** Stops what a request of a caller has begun, or all requests of a session, in processes that no longer answer. */
  stopRuns?: StopRuns | undefined;
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

/** Limits the number before the first stream of a session that several processes serve: a number has nine digits. */
const highestFirstStream = 900_000_000;

/** Names the request that begins a session here which another process has begun. */
const takenUp = "initialize";

export function createSessions(options: SessionOptions): Sessions {
  const { createServer, most, idleMs, locale, shared } = options;
  const budget: EventBudget = { limits: options.eventLimits ?? eventLimits, used: 0 };
  const sessions = new Map<string, Entry>();
  /** Counts the sessions that are being created, which already take a place. */
  let coming = 0;
  /** Holds the sessions of other processes that are being taken up. */
  const taking = new Map<string, Promise<Session | undefined>>();
  let isClosed = false;
  const stops = createAbandonedRuns(shared?.stopRuns);

  function closeSession(id: string): void {
    const entry = sessions.get(id);
    sessions.delete(id);
    shared?.sessions.forget(id);
    void ignoreRejection(entry?.session.close(), "the session is over in any case");
  }

  const receiver = {
    has: (id: string): boolean => sessions.has(id),
    isOwn: (id: string, body: Readonly<Record<string, unknown>>): boolean =>
      sessions.get(id)?.session.isOwn(body) ?? false,
    handle: (id: string, body: Readonly<Record<string, unknown>>): void => sessions.get(id)?.session.handlePassed(body),
    close: closeSession,
  };

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

  async function connect(caller: Caller, { id, key }: { id: string; key: string }) {
    const server = await createServer(caller, false, { sessionId: id });
    const events = createEventLog(budget, shared && randomInt(highestFirstStream));
    const transport = new WebStandardStreamableHTTPServerTransport({
      eventStore: events,
      retryInterval: retryMs,
      sessionIdGenerator: () => id,
      onsessioninitialized: () => void sessions.set(id, { session, key }),
      async onsessionclosed() {
        sessions.delete(id);
        await endEverywhere(id, caller);
      },
    });
    const others = shared && {
      restore: addIdPrefix(transport),
      passOn: (body: Readonly<Record<string, unknown>>) => passOn(shared, { id, caller }, body),
    };
    await server.connect(transport);
    const session = createSession(server, { transport, events, locale, others });
    return { session, transport, events };
  }

  /** Ends a session in all processes. Its client is told when it has ended. */
  async function endEverywhere(id: string, caller: Caller): Promise<void> {
    await shared?.sessions.remove(id);
    const announced = shared?.messages.announceEnd(id);
    await ignoreRejection(announced, "no process takes it up any more, and each closes it when it is idle");
    // The process of a call may have ended; another one that goes on with its run knows no session.
    stops.stopLater({ sessionId: id }, caller, lostCallerMs);
  }

  /** Passes a message on. The client is told when it was taken, and of a cancel when it is kept, as where it is handled here. */
  async function passOn(
    { messages }: SharedParts,
    { id, caller }: { id: string; caller: Caller },
    body: Readonly<Record<string, unknown>>,
  ): Promise<Response> {
    const { requestId, reason } = readCancel(body) ?? {};
    // A host whose time was up has not cancelled: its run goes on as that of one whose connection broke.
    const ms = isTimeoutReason(reason) ? lostCallerMs : 0;
    await messages.passOn(id, body, () => stops.stopLater({ sessionId: id, requestId }, caller, ms));
    return new Response(null, { status: 202 });
  }

  async function open(exchange: McpExchange, caller: Caller, key: string): Promise<Response> {
    const id = randomUUID();
    shared?.messages.startListening(receiver);
    const { session } = await connect(caller, { id, key });
    try {
      if (isClosed) return toRefusalResponse(closing, locale, toJsonRpcError);
      const response = await session.handle(exchange);
      const refusal = (await isNotInitialized(response)) ? await findInitializeProblem(exchange.message) : undefined;
      if (refusal) return toRefusalResponse(refusal, locale, toJsonRpcError);
      // The client may come to another process with its next request.
      if (sessions.has(id) && exchange.message)
        await shared?.sessions.add(id, { key, initialize: exchange.message.body });
      return response;
    } finally {
      if (!sessions.has(id)) await session.close();
    }
  }

  /**
   * Handles what needs no session of this process, which may be full: the end of one of another process, a response, and a cancel.
   * Returns undefined for all else.
   */
  async function handleForOthers(
    id: string,
    { request, message }: McpExchange,
    { caller, key }: { caller: Caller; key: string },
  ): Promise<Response | undefined> {
    const isEnd = request.method === "DELETE";
    const isForOthers = message && (message.method === undefined || isCancel(message));
    if (!(isEnd || isForOthers) || (await shared?.sessions.find(id))?.key !== key || shared === undefined)
      return undefined;
    if (message) return passOn(shared, { id, caller }, message.body);
    await endEverywhere(id, caller);
    return new Response(null, { status: 200 });
  }

  /** Begins a session of another process here as that has begun it. Returns undefined when there is none, or no place for it. */
  async function takeUp(id: string, caller: Caller, key: string): Promise<Session | undefined> {
    const begun = await shared?.sessions.find(id);
    if (begun?.key !== key || isClosed || (isFull() && !closeLongestIdle(key))) return undefined;
    coming += 1;
    try {
      return await beginAgain(id, caller, begun);
    } finally {
      coming -= 1;
    }
  }

  async function beginAgain(
    id: string,
    caller: Caller,
    { key, initialize }: SharedSession,
  ): Promise<Session | undefined> {
    const { session, transport, events } = await connect(caller, { id, key });
    const isBegun = (): boolean => sessions.get(id)?.session === session;
    try {
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const request = new Request("http://localhost/mcp", { method: "POST", headers });
      const answer = await transport.handleRequest(request, { parsedBody: initialize });
      await answer.text();
      if (events.assign(takenUp)) events.forget(takenUp);
      const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
      const next = new Request("http://localhost/mcp", {
        method: "POST",
        headers: { ...headers, "mcp-session-id": id },
      });
      await transport.handleRequest(next, { parsedBody: initialized });
      // Another process may have ended it meanwhile.
      if (isBegun() && (await shared?.sessions.markUsed(id)) === false) closeSession(id);
      return isBegun() ? session : undefined;
    } finally {
      if (!isBegun()) await session.close();
    }
  }

  /** Several requests may come at once to a process that does not know their session. */
  function takeUpOnce(id: string, caller: Caller, key: string): Promise<Session | undefined> {
    const name = JSON.stringify([id, key]);
    const taken = taking.get(name) ?? takeUp(id, caller, key).finally(() => taking.delete(name));
    taking.set(name, taken);
    return taken;
  }

  async function find(id: string, caller: Caller, key: string): Promise<Session | undefined> {
    const entry = sessions.get(id);
    if (entry === undefined) return shared && takeUpOnce(id, caller, key);
    if (entry.key !== key) return undefined;
    void shared?.sessions.markUsed(id).then((isThere) => isThere || closeSession(id));
    return entry.session;
  }

  return {
    async handle(exchange, caller) {
      const key = JSON.stringify([caller.owner, caller.tools]);
      const id = exchange.request.headers.get("mcp-session-id");
      if (id === null)
        return exchange.message?.method === "initialize"
          ? begin(exchange, caller, key)
          : toRefusalResponse(noIdRefusal, locale, toJsonRpcError);
      shared?.messages.startListening(receiver);
      const passed = sessions.has(id) ? undefined : await handleForOthers(id, exchange, { caller, key });
      if (passed) return passed;
      const session = await find(id, caller, key);
      return session !== undefined
        ? session.handle(exchange)
        : toRefusalResponse(createUnknownSessionRefusal(exchange, id), locale, toJsonRpcError);
    },
    async close() {
      isClosed = true;
      clearInterval(sweep);
      shared?.messages.close();
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.allSettled([...open.map(({ session }) => session.close()), stops.stopNow()]);
    },
  };
}

function isCancel({ id, body }: Message): boolean {
  return id === undefined && readCancel(body) !== undefined;
}
