import type { AgentCapabilities, McpServer } from "@agentclientprotocol/sdk";
import type { ServerSettings } from "../../config/config.ts";
import type { Environment } from "../../kit/process/child-environment.ts";
import { createChildEnvironment } from "../../kit/process/child-environment.ts";
import { findCommand } from "../../kit/process/find-command.ts";

/** Holds the MCP servers that an agent is given for a session. */
export interface HandedServers {
  servers: McpServer[];
  /** Names those that it is not given: it could not reach them, or would have more of them than the configuration allows. */
  left: string[];
}

export interface HandingOptions {
  /** Is the folder in which the agent starts them. */
  cwd: string;
  environment: Environment;
  capabilities: AgentCapabilities;
}

/** Returns servers of the configuration in the form in which an agent is given them, with nothing but what their entries hold. */
export async function toHandedServers(
  configured: readonly ServerSettings[],
  options: HandingOptions,
): Promise<HandedServers> {
  const handed: HandedServers = { servers: [], left: [] };
  for (const server of configured) {
    const given = canHandOn(server, options) ? await toMcpServer(server, options) : undefined;
    if (given === undefined) handed.left.push(server.name);
    else handed.servers.push(given);
  }
  return handed;
}

/** Returns false also for a server whose sign-in is ours, and for one that is restricted to some tools: an agent would have all of them. */
function canHandOn({ transport, includeTools, excludeTools, auth }: ServerSettings, options: HandingOptions): boolean {
  if (includeTools !== undefined || excludeTools !== undefined || auth !== undefined) return false;
  if (transport.type === "stdio") return transport.cwd === undefined || transport.cwd === options.cwd;
  return options.capabilities.mcpCapabilities?.[transport.type] === true;
}

async function toMcpServer(
  { name, transport }: ServerSettings,
  { cwd, environment }: HandingOptions,
): Promise<McpServer> {
  if (transport.type !== "stdio")
    return { type: transport.type, name, url: transport.url, headers: toPairs(transport.headers) };
  const { command, args, env, inheritEnv, networkEnv } = transport;
  const inherited = inheritEnv.map((key) => [key, environment[key]] as const);
  // The protocol wants a whole path.
  const file = await findCommand(command, createChildEnvironment(environment, transport), cwd);
  return {
    ...{ name, command: file ?? command, args },
    env: toPairs({ ...networkEnv, ...Object.fromEntries(inherited), ...env }),
  };
}

function toPairs(values: Readonly<Record<string, string | undefined>>): { name: string; value: string }[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}
