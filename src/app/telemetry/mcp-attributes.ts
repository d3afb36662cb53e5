import type { Attributes } from "@opentelemetry/api";
import type { ServerStatus } from "../../client/server-connection.ts";
import type { Tool } from "../../core/tools/tool.ts";
import { attribute } from "./attribute-names.ts";

/** What a call's span says of its tool; for one of a downstream server also what the MCP conventions ask for. */
export function toToolAttributes(name: string, tools: readonly Tool[], servers: readonly ServerStatus[]): Attributes {
  const tool = tools.find((known) => known.name === name);
  const server = servers.find((known) => known.name === tool?.source);
  return {
    [attribute.toolName]: name,
    [attribute.toolType]: server ? "extension" : "function",
    [attribute.toolDescription]: tool?.description,
    ...(server && mcpAttributes(server)),
  };
}

function mcpAttributes({ name, transport, protocolVersion }: ServerStatus): Attributes {
  return {
    [attribute.mcpMethod]: "tools/call",
    [attribute.mcpProtocolVersion]: protocolVersion ?? undefined,
    [attribute.networkTransport]: transport === "stdio" ? "pipe" : "tcp",
    [attribute.server]: name,
  };
}
