import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { isRecord } from "../../../kit/json.ts";
import { createRandomHex } from "../../../kit/random.ts";

/** Tells the requests that this process has sent to a session's client from those of another process, which count theirs from 0, too. */
export interface RequestMarks {
  /** Returns a response as the request's sender knows it; undefined for one to a request of another process. */
  restore(response: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined;
}

/** Returns true for a response to a request that a process has marked, this one or another. */
export function isMarkedResponse({ id }: Readonly<Record<string, unknown>>): boolean {
  return typeof id === "string" && /^[0-9a-f]{12}-\d+$/.test(id);
}

/** Marks the IDs of what a session's server asks its client. */
export function markRequests(transport: Pick<Transport, "send">): RequestMarks {
  const mark = `${createRandomHex().slice(0, 12)}-`;
  const toMarked = (id: unknown): unknown => (typeof id === "number" ? `${mark}${id}` : id);
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(toMarkedMessage(message, toMarked), options);
  return {
    restore(response) {
      const { id } = response;
      if (!isMarkedResponse(response) || typeof id !== "string" || !id.startsWith(mark)) return undefined;
      return { ...response, id: Number(id.slice(mark.length)) };
    },
  };
}

function toMarkedMessage(message: JSONRPCMessage, toMarked: (id: unknown) => unknown): JSONRPCMessage {
  if (!("method" in message)) return message;
  if ("id" in message) return { ...message, id: toMarked(message.id) } as JSONRPCMessage;
  const { params } = message;
  if (message.method !== "notifications/cancelled" || !isRecord(params)) return message;
  return { ...message, params: { ...params, requestId: toMarked(params.requestId) } } as JSONRPCMessage;
}
