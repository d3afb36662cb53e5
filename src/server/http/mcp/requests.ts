import { createMcpHandler, type McpHttpHandler, type McpServer } from "@modelcontextprotocol/server";
import type { List } from "../../../app/open-duet.ts";
import type { Caller } from "../../../core/caller.ts";
import { getMessage } from "../../../kit/errors.ts";
import type { Locale } from "../../../kit/locale.ts";
import type { Log } from "../../operations/log.ts";
import { withEarlyStatus } from "../response/early-status.ts";
import type { HttpRefusal } from "../response/refusal.ts";
import { toRefusalResponse } from "../response/refuse.ts";
import { closeWhenExpired, type McpExchange } from "./mcp-exchange.ts";

/** Told of a list of a caller's that may have changed, each time; until the function that it gives is called. */
export type OnChange = (caller: Caller, listener: (list: List) => void) => () => void;

export interface RequestsOptions {
  createServer(caller: Caller, isOneRequest: boolean): Promise<McpServer>;
  onChange?: OnChange | undefined;
  /** Subscriptions at one time. */
  most: number;
  locale: Locale;
  log: Log;
}

/** Requests of the 2026 protocol, each with a server of its own. */
export interface Requests {
  handle(exchange: McpExchange, caller: Caller): Promise<Response>;
  close(): Promise<void>;
}

export function createRequests({ createServer, onChange, most, locale, log }: RequestsOptions): Requests {
  const open = new Set<McpHttpHandler>();
  let subscriptions = 0;

  /** The caller gets no more than that something has failed. */
  function told(thrown: unknown): never {
    log(getMessage(thrown), "error", { route: "/mcp" });
    throw thrown;
  }

  return {
    async handle(exchange, caller) {
      const { request, authInfo, message, connection } = exchange;
      const isSubscription = message?.method === "subscriptions/listen";
      if (isSubscription && subscriptions >= most) return toRefusalResponse({ ...full, id: message?.id }, locale);
      // One for each request, so that a subscription hears of its own caller's lists only.
      const handler = createMcpHandler(() => createServer(caller, true).catch(told), {
        legacy: "reject",
        responseMode: "sse",
      });
      const unlisten = isSubscription ? onChange?.(caller, tell(handler)) : undefined;
      open.add(handler);
      if (isSubscription) subscriptions += 1;
      connection.onClose(() => {
        open.delete(handler);
        unlisten?.();
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

function tell({ notify }: McpHttpHandler): (list: List) => void {
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
