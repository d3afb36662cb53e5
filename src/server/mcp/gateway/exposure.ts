import type { CallToolResult, GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/server";
import type { Gateway } from "../../../app/open-duet.ts";
import type { Locale } from "../../../kit/locale.ts";
import type { HostConnection } from "../../../runs/input/host-connection.ts";
import type { InputRequests } from "../../../runs/input/input-requests.ts";

/** Holds what one connection's host is offered, and how. */
export interface Exposure {
  gateway: Gateway;
  locale: Locale;
  /** Limits the weight of a tool list, in tokens. Beyond it, the host gets two tools that find and call the others. */
  listLimit: number;
  /** Stands for the host's user: whoever is asked by this connection is one person. */
  person: object;
  connection: HostConnection;
  inputRequests: GatewayInputRequests;
}

/** Holds the requests of all connections. */
export interface GatewayInputRequests {
  tools: InputRequests<CallToolResult>;
  prompts: InputRequests<GetPromptResult>;
  resources: InputRequests<ReadResourceResult>;
}
