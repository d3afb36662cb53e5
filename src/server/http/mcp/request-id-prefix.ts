import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { isRecord } from "../../../kit/json.ts";
import { createRandomHex } from "../../../kit/random.ts";

/** Returns a response as the sender of its request knows it, without the prefix; undefined for one to a request of another process. */
export type RestoreResponse = (response: Readonly<Record<string, unknown>>) => Record<string, unknown> | undefined;

/** Returns true for a response to a request whose ID has a prefix, of this process or of another one. */
export function isPrefixedResponse({ id }: Readonly<Record<string, unknown>>): boolean {
  return typeof id === "string" && /^[0-9a-f]{12}-\d+$/.test(id);
}

/**
 * Adds a prefix of this process to the IDs of what a session's server asks its client, because each process that serves the session counts
 * its requests from 1.
 */
export function addIdPrefix(transport: Pick<Transport, "send">): RestoreResponse {
  const prefix = `${createRandomHex().slice(0, 12)}-`;
  const addTo = (id: unknown): unknown => (typeof id === "number" ? `${prefix}${id}` : id);
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(addToMessage(message, addTo), options);
  return (response) => {
    const { id } = response;
    if (!isPrefixedResponse(response) || typeof id !== "string" || !id.startsWith(prefix)) return undefined;
    return { ...response, id: Number(id.slice(prefix.length)) };
  };
}

function addToMessage(message: JSONRPCMessage, addTo: (id: unknown) => unknown): JSONRPCMessage {
  if (!("method" in message)) return message;
  if ("id" in message) return { ...message, id: addTo(message.id) } as JSONRPCMessage;
  const { params } = message;
  if (message.method !== "notifications/cancelled" || !isRecord(params)) return message;
  return { ...message, params: { ...params, requestId: addTo(params.requestId) } } as JSONRPCMessage;
}
