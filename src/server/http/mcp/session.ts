import type {
  HandleRequestOptions,
  JSONRPCMessage,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { isRecord } from "../../../kit/json.ts";
import type { Locale } from "../../../kit/locale.ts";
import { lostConnection } from "../../../runs/run-service.ts";
import type { Message } from "../../mcp/check-message.ts";
import type { HttpConnection } from "../connection.ts";
import type { HttpRefusal } from "../response/dialects.ts";
import { toJsonRpcError } from "../response/dialects.ts";
import { toRefusalResponse } from "../response/refusal.ts";
import { type EventLog, eventLimits } from "./event-log.ts";
import { closeWhenExpired, type McpExchange } from "./mcp-exchange.ts";
import type { RestoreResponse } from "./request-id-prefix.ts";

type RequestId = string | number;

/** Represents a client of the 2025 protocol across its requests, with one server and one id. */
export interface Session {
  handle(exchange: McpExchange): Promise<Response>;
  /** Returns true for a response to a request of this process, and for the cancel of a request that is open here. */
  isOwn(body: Readonly<Record<string, unknown>>): boolean;
  /** Handles such a message, which came to another process. */
  handlePassed(body: Readonly<Record<string, unknown>>): void;
  /** Is true when no response and no stream is open. */
  readonly isIdle: boolean;
  /** Is when the session was last used, by `performance.now()`. */
  readonly usedAt: number;
  /** Ends its streams and aborts what it still does. */
  close(): Promise<void>;
}

/** Is after how long a client whose stream was cut off should come back, in milliseconds. */
export const retryMs = 1000;

/** Is how long a request goes on whose client was cut off and may come back, in milliseconds. */
const resumeMs = 30_000;

/** Connects a session with the other processes that serve it. */
interface OtherProcesses {
  restore: RestoreResponse;
  /** Passes a message of the client on to the process that it is for. */
  passOn(body: Readonly<Record<string, unknown>>): Promise<Response>;
}

interface SessionParts {
  transport: WebStandardStreamableHTTPServerTransport;
  events: EventLog;
  locale: Locale;
  /** Is absent where only this process serves the session. */
  others?: OtherProcesses | undefined;
}

export function createSession(server: McpServer, parts: SessionParts): Session {
  const { transport, events, locale, others } = parts;
  /** Holds the ids of the requests that wait for their answers. */
  const live = new Set<RequestId>();
  /** Maps each of them to the connection that its stream was opened on last. */
  const readers = new Map<RequestId, HttpConnection>();
  /** Maps those whose client was cut off to the timers that end them. */
  const lost = new Map<RequestId, NodeJS.Timeout>();
  let entering: Promise<unknown> = Promise.resolve();
  let streams = 0;
  let usedAt = performance.now();

  /** Drops a request that the client no longer waits for: its handler's signal aborts, and nothing of it is kept. */
  async function cancelRequest(id: RequestId, reason: string): Promise<void> {
    transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason } });
    await forget(id);
  }

  /** A cancelled request gets no answer, so the transport would keep its entry and its stream open. */
  async function forget(id: RequestId): Promise<void> {
    if (!live.has(id)) return;
    removeRequest(id);
    transport.closeSSEStream(id);
    const error = { code: -32_000, message: "cancelled" };
    await ignoreRejection(transport.send({ jsonrpc: "2.0", id, error }), "the client may have left already");
    events.forget(id);
  }

  function removeRequest(id: RequestId): void {
    live.delete(id);
    readers.delete(id);
    clearTimeout(lost.get(id));
    lost.delete(id);
  }

  /** Begins one request after the other, so that it is known which stream belongs to which. */
  function enter(request: Request, options: HandleRequestOptions, id: RequestId | undefined) {
    const entered = entering.then(async () => {
      const response = await transport.handleRequest(request, options);
      return { response, isResumable: id !== undefined && events.assign(id) };
    });
    entering = ignoreRejection(entered, "whoever has sent the request gets the failure");
    return entered;
  }

  async function handlePost({ request, authInfo, connection }: McpExchange, message: Message): Promise<Response> {
    const { id, method } = message;
    if (others && method !== undefined && isCancelOfUnknownRequest(message)) return others.passOn(message.body);
    const body = others && method === undefined ? others.restore(message.body) : message.body;
    if (others && body === undefined) return others.passOn(message.body);
    if (id !== undefined && live.has(id)) return toRefusalResponse(createIdInUseRefusal(id), locale, toJsonRpcError);
    if (id !== undefined) live.add(id);
    const { response, isResumable } = await enter(request, { parsedBody: body, authInfo }, id);
    await forgetCancelled(message.body);
    if (id === undefined) return response;
    if (!isStream(response)) {
      live.delete(id);
      return response;
    }
    if (isResumable) readOn(id, connection);
    else
      connection.onClose((isWhole) => {
        usedAt = performance.now();
        if (isWhole) live.delete(id);
        else void cancelRequest(id, lostConnection);
      });
    return response;
  }

  function isCancelOfUnknownRequest({ id, body }: Message): boolean {
    const cancelled = id === undefined ? readCancel(body)?.requestId : undefined;
    return cancelled !== undefined && !live.has(cancelled);
  }

  function isOwn(body: Readonly<Record<string, unknown>>): boolean {
    if (body.method === undefined) return others?.restore(body) !== undefined;
    const id = readCancel(body)?.requestId;
    return id !== undefined && live.has(id);
  }

  function handlePassed(body: Readonly<Record<string, unknown>>): void {
    const id = readCancel(body)?.requestId;
    if (id === undefined) {
      transport.onmessage?.(others?.restore(body) as JSONRPCMessage);
      return;
    }
    // The request may be on its way to the server still.
    const entered = entering.then(() => {
      transport.onmessage?.({ ...body } as JSONRPCMessage);
      return forget(id);
    });
    entering = ignoreRejection(entered, "the request has ended meanwhile");
  }

  /** Keeps a request going for a while when this connection ends before its answer has been handed over. */
  function readOn(id: RequestId, connection: HttpConnection): void {
    clearTimeout(lost.get(id));
    lost.delete(id);
    readers.set(id, connection);
    connection.onClose((isWhole) => {
      usedAt = performance.now();
      // The client has come back on another one already.
      if (readers.get(id) !== connection) return;
      if (isWhole && events.isAnswered(id)) {
        removeRequest(id);
        events.forget(id);
      } else lost.set(id, setTimeout(() => void dropLostRequest(id), resumeMs).unref());
    });
  }

  async function dropLostRequest(id: RequestId): Promise<void> {
    if (!events.isAnswered(id)) return cancelRequest(id, lostConnection);
    removeRequest(id);
    events.forget(id);
  }

  async function forgetCancelled(body: Readonly<Record<string, unknown>>): Promise<void> {
    const id = readCancel(body)?.requestId;
    if (id !== undefined) await forget(id);
  }

  function listen({ connection }: McpExchange): void {
    streams += 1;
    connection.onClose(() => {
      streams -= 1;
      usedAt = performance.now();
    });
  }

  /** A client that has lost its connection comes back before we know of the loss: the new stream is the one it reads. */
  function closeEarlier(id: RequestId | undefined): void {
    if (id === undefined) transport.closeStandaloneSSEStream();
    else transport.closeSSEStream(id);
  }

  async function handleOther(exchange: McpExchange): Promise<Response> {
    const { request, authInfo, connection } = exchange;
    if (!isListening(request)) return transport.handleRequest(request, { authInfo });
    const lastEvent = request.headers.get("last-event-id") ?? "";
    if (lastEvent !== "" && !events.canReplay(lastEvent)) {
      const refusal = events.isForeign(lastEvent) ? createForeignRefusal(lastEvent) : createGoneRefusal(lastEvent);
      return toRefusalResponse(refusal, locale, toJsonRpcError);
    }
    const id = lastEvent === "" ? undefined : events.findRequest(lastEvent);
    if (id !== undefined) readOn(id, connection);
    closeEarlier(id);
    events.keepStandalone();
    const response = await transport.handleRequest(request, { authInfo });
    if (isStream(response) && id === undefined) {
      listen(exchange);
      closeWhenExpired(exchange);
    }
    return response;
  }

  return {
    handle(exchange) {
      usedAt = performance.now();
      return exchange.message === undefined ? handleOther(exchange) : handlePost(exchange, exchange.message);
    },
    isOwn,
    handlePassed,
    get isIdle() {
      return streams === 0 && live.size === 0;
    },
    get usedAt() {
      return usedAt;
    },
    async close() {
      for (const id of live) removeRequest(id);
      events.close();
      await server.close();
    },
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

function showEvent(lastEvent: string): string {
  return JSON.stringify(lastEvent).slice(0, 60);
}

/** Tells a client that another process holds what it has missed, and that asking anew would begin another run. */
function createForeignRefusal(lastEvent: string): HttpRefusal {
  const shown = showEvent(lastEvent);
  return {
    status: 400,
    code: -32_000,
    text: {
      zh: `${shown} 所在的流只能在打开它的副本上接续；请用 agent_result（run_id）取得运行的结果，或去掉 Last-Event-ID 重新监听`,
      en: `the stream of the event ${shown} resumes only on the replica that opened it; get the result of a run with agent_result (run_id), or listen without Last-Event-ID`,
    },
  };
}

/** Tells a client that what it has missed is no longer here. */
function createGoneRefusal(lastEvent: string): HttpRefusal {
  const shown = showEvent(lastEvent);
  return {
    status: 400,
    code: -32_000,
    text: {
      zh: `${shown} 之后的事件已不再保留（每个会话最多 ${eventLimits.ofSession} 个字符，断开后保留 ${resumeMs / 1000} 秒），请重新发送请求`,
      en: `what came after the event ${shown} is no longer kept (at most ${eventLimits.ofSession} characters of a session, for ${resumeMs / 1000} s after a disconnection); send the request again`,
    },
  };
}

/** Returns what a cancel names; undefined for another message. */
export function readCancel({
  method,
  params,
}: Readonly<Record<string, unknown>>): { requestId: RequestId; reason: unknown } | undefined {
  const { requestId, reason } = method === "notifications/cancelled" && isRecord(params) ? params : {};
  return typeof requestId === "string" || typeof requestId === "number" ? { requestId, reason } : undefined;
}
