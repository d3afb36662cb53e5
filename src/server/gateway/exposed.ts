import type { CallToolResult, GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/server";
import type { Gateway } from "../../app.ts";
import type { Locale } from "../../core/locale.ts";
import type { Rounds } from "../asking/rounds.ts";
import type { Connection } from "../connection.ts";

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
