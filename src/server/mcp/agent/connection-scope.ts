import type { CallToolResult } from "@modelcontextprotocol/server";
import type { HostConnection } from "../../../runs/input/host-connection.ts";
import type { InputRequests } from "../../../runs/input/input-requests.ts";
import type { CallerScope, RunService } from "../../../runs/run-service.ts";

/** What the agent's tools share, over all connections. */
export interface AgentService extends RunService {
  inputRequests: InputRequests<CallToolResult>;
}

/** One connection's part of it. */
export interface ConnectionScope extends AgentService, CallerScope {
  connection: HostConnection;
}
