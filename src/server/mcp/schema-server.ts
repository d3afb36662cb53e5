import { type Implementation, McpServer, type ServerOptions, type Transport } from "@modelcontextprotocol/server";
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
    refuseInvalidRequests(transport, this.#locale);
  }

  setToolSchema(name: string, inputSchema: JsonSchema): void {
    this.#schemas.set(name, inputSchema);
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#schemas.get(name);
  }
}
