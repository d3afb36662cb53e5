import type { McpServer } from "@agentclientprotocol/sdk";
import { fakePath } from "../../client/servers.ts";
import { compileCache } from "../../fakes/program.ts";

/** An MCP server as an editor hands it over for a session. */
export function createHandedServer(journal: string, mode = "normal"): McpServer {
  const args = [fakePath, "--mode", mode, "--journal", journal];
  const env = Object.entries(compileCache()).map(([name, value]) => ({ name, value }));
  return { name: "From the editor", command: process.execPath, args, env };
}
