import type { CallToolResult, GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/server";
import type { Gateway } from "../../../app/open-duet.ts";
import type { Locale } from "../../../kit/locale.ts";
import type { Connection } from "../../../runs/input/host-connection.ts";
import type { Rounds } from "../../../runs/input/input-requests.ts";

/** What one connection's host is offered, and how. */
export interface Exposed {
  gateway: Gateway;
  locale: Locale;
  /** Tokens that a list of tools may weigh; beyond them the host gets two tools that find and call the others. */
  listLimit: number;
  /** Stands for the host's user: whoever is asked by this connection is one person. */
  person: object;
  connection: Connection;
  rounds: GatewayRounds;
}

/** The requests of all connections. */
export interface GatewayRounds {
  tools: Rounds<CallToolResult>;
  prompts: Rounds<GetPromptResult>;
  resources: Rounds<ReadResourceResult>;
}
