import { McpServer } from "@modelcontextprotocol/server";
import type { JsonSchema } from "../../kit/json.ts";

/**
 * Is a server whose tools are listed by handlers of our own. Over HTTP the package compares the `Mcp-Param-*` headers of a call
 * with its arguments (MCP 2026-07-28), for which it asks here for the schema of the tool that is called.
 */
export class SchemaServer extends McpServer {
  readonly #schemas = new Map<string, JsonSchema>();

  setToolSchema(name: string, inputSchema: JsonSchema): void {
    this.#schemas.set(name, inputSchema);
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#schemas.get(name);
  }
}
