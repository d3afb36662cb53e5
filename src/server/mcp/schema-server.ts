import {
  type Implementation,
  type JSONRPCMessage,
  McpServer,
  type ServerOptions,
  type Transport,
} from "@modelcontextprotocol/server";
import type { JsonSchema } from "../../kit/json.ts";
import type { Locale } from "../../kit/locale.ts";
import { refuseInvalidRequests } from "./refuse-requests.ts";

/**
 * Is a server whose tools are listed by handlers of our own. Over HTTP the package compares the `Mcp-Param-*` headers of a call
 * with its arguments (MCP 2026-07-28), for which it asks here for the schema of the tool that is called.
 */
export class SchemaServer extends McpServer {
  readonly #schemas = new Map<string, JsonSchema>();
  readonly #locale: Locale;

  /** Refuses wrong requests in the language of `locale`. */
  constructor(info: Implementation, options: ServerOptions, locale: Locale) {
    super(info, options);
    this.#locale = locale;
  }

  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport);
    numberFromOne(transport);
    refuseInvalidRequests(transport, this.#locale);
  }

  setToolSchema(name: string, inputSchema: JsonSchema): void {
    this.#schemas.set(name, inputSchema);
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#schemas.get(name);
  }
}

/**
 * Numbers the server's own requests from 1 over a transport that is already connected. The package begins with 0, and hosts on version 1
 * of the TypeScript SDK ignore that 0 is cancelled: its `_oncancel` returns on `!notification.params.requestId`.
 */
function numberFromOne(transport: Transport): void {
  const { onmessage } = transport;
  const send = transport.send.bind(transport);
  transport.onmessage = (message, extra) => {
    const isReply = !("method" in message);
    onmessage?.call(transport, isReply ? { ...message, id: Number(message.id) - 1 } : message, extra);
  };
  transport.send = (message, options) => send(toNumberedFromOne(message), options);
}

/** Leaves a reply as it is, whose id is the host's. */
function toNumberedFromOne(message: JSONRPCMessage): JSONRPCMessage {
  if (!("method" in message)) return message;
  if ("id" in message) return { ...message, id: Number(message.id) + 1 };
  const { method, params } = message;
  if (method !== "notifications/cancelled") return message;
  return { ...message, params: { ...params, requestId: Number(params?.requestId) + 1 } };
}
