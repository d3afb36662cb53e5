import type { Transport } from "@modelcontextprotocol/server";
import { isRecord } from "../../kit/json.ts";
import { type ResourceSubscriptions, readSubscribedUris } from "./resource-subscriptions.ts";

/**
 * Reads from a connection over stdio which resources its streams ask about (2026-07-28): the package answers these requests
 * itself, and its server hears of none.
 */
export interface StreamFilters {
  /** Takes what follows the resources; a later one replaces it. */
  attach(subscriptions: ResourceSubscriptions): void;
  /** Reads what comes through a transport that is already connected. */
  follow(transport: Pick<Transport, "onmessage">): void;
}

export function createStreamFilters(): StreamFilters {
  const filters = new Map<string | number, string[]>();
  let attached: ResourceSubscriptions | undefined;

  function set(stream: string | number, uris: string[]): void {
    if (uris.length > 0) filters.set(stream, uris);
    else if (!filters.delete(stream)) return;
    attached?.follow(stream, uris);
  }

  return {
    attach(subscriptions) {
      attached = subscriptions;
      for (const [stream, uris] of filters) subscriptions.follow(stream, uris);
    },
    follow(transport) {
      const { onmessage } = transport;
      transport.onmessage = (message, extra) => {
        if ("method" in message) {
          const { method, params } = message;
          if (method === "subscriptions/listen" && "id" in message) set(message.id, readSubscribedUris(params));
          const cancelled: unknown = method === "notifications/cancelled" && isRecord(params) && params.requestId;
          if (typeof cancelled === "string" || typeof cancelled === "number") set(cancelled, []);
        }
        onmessage?.call(transport, message, extra);
      };
    },
  };
}
