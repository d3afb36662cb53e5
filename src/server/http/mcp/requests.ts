import { createMcpHandler, type McpHttpHandler, type McpServer, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { List } from "../../../app/tools/gateway.ts";
import type { Caller } from "../../../core/caller.ts";
import { getMessage } from "../../../kit/errors.ts";
import { isRecord } from "../../../kit/json.ts";
import type { Locale } from "../../../kit/locale.ts";
import type { Message } from "../../mcp/check-message.ts";
import type { ConnectionDetails } from "../../mcp/mcp-interface.ts";
import { readSubscribedUris } from "../../mcp/resource-subscriptions.ts";
import type { Log } from "../../operations/log.ts";
import type { HttpRefusal } from "../response/dialects.ts";
import { toJsonRpcError } from "../response/dialects.ts";
import { toRefusalResponse } from "../response/refusal.ts";
import { closeWhenExpired, type McpExchange } from "./mcp-exchange.ts";

/** Calls `listener` each time one of the caller's lists may have changed, until the returned function is called. */
export type OnChange = (caller: Caller, listener: (list: List) => void) => () => void;

/** Calls `onUpdated` each time one of the resources has changed, until the returned function is called. */
export type FollowResources = (caller: Caller, uris: readonly string[], onUpdated: (uri: string) => void) => () => void;

export interface RequestsOptions {
  createServer(caller: Caller, isOneRequest: boolean, details?: ConnectionDetails): Promise<McpServer>;
  onChange?: OnChange | undefined;
  followResources?: FollowResources | undefined;
  /** Limits the subscriptions at one time. */
  most: number;
  locale: Locale;
  log: Log;
}

/** Handles requests of the 2026 protocol, each with a server of its own. */
export interface Requests {
  handle(exchange: McpExchange, caller: Caller): Promise<Response>;
  close(): Promise<void>;
}

export function createRequests({
  createServer,
  onChange,
  followResources,
  most,
  locale,
  log,
}: RequestsOptions): Requests {
  const open = new Set<McpHttpHandler>();
  let subscriptions = 0;

  /** The caller only learns that something has failed. */
  function logAndThrow(thrown: unknown): never {
    log(getMessage(thrown), "error", { route: "/mcp" });
    throw thrown;
  }

  return {
    async handle(exchange, caller) {
      const { request, authInfo, message, connection } = exchange;
      const isSubscription = message?.method === "subscriptions/listen";
      if (isSubscription && subscriptions >= most)
        return toRefusalResponse({ ...full, id: message?.id }, locale, toJsonRpcError);
      // One for each request, so that a subscription hears of its own caller's lists only.
      const handler = createMcpHandler(
        () => createServer(caller, true, { calledTool: findCalledTool(message) }).catch(logAndThrow),
        {
          legacy: "reject",
          responseMode: "sse",
        },
      );
      const unlisten = isSubscription ? onChange?.(caller, createListNotifier(handler)) : undefined;
      const uris = isSubscription ? readSubscribedUris(message.body.params) : [];
      const unfollow = uris.length > 0 ? followResources?.(caller, uris, handler.notify.resourceUpdated) : undefined;
      open.add(handler);
      if (isSubscription) subscriptions += 1;
      connection.onClose(() => {
        open.delete(handler);
        unlisten?.();
        unfollow?.();
        if (isSubscription) subscriptions -= 1;
      });
      if (isSubscription) closeWhenExpired(exchange);
      return withEarlyStatus(await handler.fetch(request, { authInfo, parsedBody: message?.body }));
    },
    async close() {
      await Promise.allSettled([...open].map((handler) => handler.close()));
    },
  };
}

function findCalledTool(message: Message | undefined): string | undefined {
  const params = message?.method === "tools/call" ? message.body.params : undefined;
  return isRecord(params) && typeof params.name === "string" ? params.name : undefined;
}

function createListNotifier({ notify }: McpHttpHandler): (list: List) => void {
  const changed = {
    tools: notify.toolsChanged,
    prompts: notify.promptsChanged,
    resources: notify.resourcesChanged,
  };
  return (list) => changed[list]();
}

const full: HttpRefusal = {
  status: 503,
  text: { zh: "订阅已满，请稍后再试", en: "all subscriptions are in use; try again later" },
  headers: { "retry-after": "5" },
};

/**
 * Limits how long the response head waits for the first event, in milliseconds. A request that needs no user is answered by
 * then.
 */
const patienceMs = 20;

/**
 * A request that needs a capability its client lacks MUST be answered with status 400 (2026-07-28,
 * `MissingRequiredClientCapability`), but by then the package has already promised a stream. So the response head waits briefly
 * for the first event.
 */
export async function withEarlyStatus(response: Response): Promise<Response> {
  const { body, headers } = response;
  if (body === null || !headers.get("content-type")?.startsWith("text/event-stream")) return response;
  const reader = body.getReader();
  const first = reader.read();
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), patienceMs);
  const early = await Promise.race([first, late.promise]).finally(() => clearTimeout(timer));
  const refusal = early?.value && readRefusal(Buffer.from(early.value).toString("utf8"));
  if (refusal !== undefined) {
    await reader.cancel();
    return Response.json(refusal, { status: 400 });
  }
  let next: typeof first | undefined = first;
  const rest = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await (next ?? reader.read());
      next = undefined;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(rest, { status: response.status, headers });
}

function readRefusal(event: string): object | undefined {
  const data = /^data: (\{.*\})$/m.exec(event)?.[1];
  // Of a long stream nothing but its first line would be read twice, and answers never.
  if (data === undefined || !data.includes(String(ProtocolErrorCode.MissingRequiredClientCapability))) return undefined;
  const message: unknown = JSON.parse(data);
  const isRefusal =
    isRecord(message) &&
    isRecord(message.error) &&
    message.error.code === ProtocolErrorCode.MissingRequiredClientCapability;
  return isRefusal ? message : undefined;
}
