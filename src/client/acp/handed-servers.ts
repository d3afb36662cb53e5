import { access } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
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
    const given = (await canHandOn(server, options)) ? await toMcpServer(server, options) : undefined;
    if (given === undefined) handed.left.push(server.name);
    else handed.servers.push(given);
  }
  return handed;
}

/** Returns false also for a server whose sign-in is ours, and for one that is restricted to some tools: an agent would have all of them. */
async function canHandOn(
  { transport, includeTools, excludeTools, auth }: ServerSettings,
  options: HandingOptions,
): Promise<boolean> {
  if (includeTools !== undefined || excludeTools !== undefined || auth !== undefined) return false;
  if (transport.type !== "stdio") return options.capabilities.mcpCapabilities?.[transport.type] === true;
  const { command, args, cwd = process.cwd(), hasDefaultCwd = transport.cwd === undefined } = transport;
  if (cwd === options.cwd) return true;
  const isProgramOfFolder = command.includes("/") && !isAbsolute(command);
  return hasDefaultCwd && !isProgramOfFolder && !(await isAnyRelative(args, cwd));
}

/** Returns true where an argument, or what an option has after its `=`, is a path that means another file in another folder. */
async function isAnyRelative(words: readonly string[], folder: string): Promise<boolean> {
  const paths = words.map((word) => word.replace(/^-[^=]*=/, "")).filter((word) => word !== "" && !isAbsolute(word));
  if (paths.some((path) => /^\.\.?(?:\/|$)/.test(path))) return true;
  const found = await Promise.allSettled(paths.map((path) => access(join(folder, path))));
  return found.some(({ status }) => status === "fulfilled");
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
