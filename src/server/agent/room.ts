import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Duet } from "../../app.ts";
import type { Config } from "../../config.ts";
import type { Mode } from "../../core/outcome.ts";
import type { Rounds } from "../asking/rounds.ts";
import type { Connection } from "../connection.ts";
import type { Confirmations } from "../runs/confirmation.ts";
import type { RunRegistry } from "../runs/registry.ts";

/** What the agent's tools share, over all connections. */
export interface AgentRoom {
  duet: Duet;
  settings: Config["serve"];
  runs: RunRegistry;
  rounds: Rounds<CallToolResult>;
  confirmations: Confirmations;
  /** The mode of a call that names none. */
  mode: Mode | undefined;
  /** Takes each thought, tool input and output, line by line; absent unless they are wanted. */
  logSteps: ((line: string) => void) | undefined;
}

/** One connection's part of it. */
export interface AgentSeat extends AgentRoom {
  connection: Connection;
}
