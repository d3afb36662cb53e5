import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Rounds } from "../asking/rounds.ts";
import type { Connection } from "../connection.ts";
import type { RunRoom, RunSeat } from "../runs/room.ts";

/** What the agent's tools share, over all connections. */
export interface AgentRoom extends RunRoom {
  rounds: Rounds<CallToolResult>;
}

/** One connection's part of it. */
export interface AgentSeat extends AgentRoom, RunSeat {
  connection: Connection;
}
