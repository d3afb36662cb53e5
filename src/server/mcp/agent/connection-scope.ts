import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Connection } from "../../../runs/input/host-connection.ts";
import type { Rounds } from "../../../runs/input/input-requests.ts";
import type { RunRoom, RunSeat } from "../../../runs/run-service.ts";

/** What the agent's tools share, over all connections. */
export interface AgentRoom extends RunRoom {
  rounds: Rounds<CallToolResult>;
}

/** One connection's part of it. */
export interface AgentSeat extends AgentRoom, RunSeat {
  connection: Connection;
}
