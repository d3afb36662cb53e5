import type { McpServer } from "@agentclientprotocol/sdk";
import type { Config, ServerSettings, ServerTransport } from "../../config/config.ts";
import type { WorkspacePlace } from "./open-workspaces.ts";

/** Limits the calls and the start of a server that an editor hands over, in milliseconds, as the defaults of the configuration do. */
const timeoutMs = 60_000;
const startTimeoutMs = 30_000;

/**
 * Returns the configuration for the folder of an editor, with the servers that it hands over for it. Files are those of the folder
 * where no others are configured, and programs that name no folder of their own are started there.
 */
export function toWorkspaceConfig(loaded: Config, { directory, servers }: WorkspacePlace): Config {
  const { tools } = loaded;
  return {
    ...loaded,
    servers: [
      ...loaded.servers.map((server) => withFolder(server, directory)),
      ...toServerSettings(servers, loaded.servers, directory),
    ],
    tools: { ...tools, roots: tools.roots.length > 0 ? tools.roots : [directory] },
  };
}

function withFolder(server: ServerSettings, directory: string): ServerSettings {
  const { transport } = server;
  if (transport.type !== "stdio" || transport.cwd !== undefined) return server;
  return { ...server, transport: { ...transport, cwd: directory, hasDefaultCwd: true } };
}

/**
 * Returns the servers that an editor hands over for a session, beside those of the configuration. One whose name is taken gets another
 * one, because its tools are named by it.
 */
function toServerSettings(
  handed: readonly McpServer[],
  configured: readonly ServerSettings[],
  directory: string,
): ServerSettings[] {
  const taken = new Set(configured.map(({ name }) => name));
  return handed.map((server) => {
    const name = findFreeName(toName(server.name), taken);
    taken.add(name);
    const transport = toTransport(server, directory);
    return { name, transport, timeoutMs, startTimeoutMs, start: "eager", sampling: false, roots: [directory] };
  });
}

function toTransport(server: McpServer, directory: string): ServerTransport {
  if (!("type" in server)) {
    const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
    const { command, args } = server;
    return { type: "stdio", command, args, env, inheritEnv: [], cwd: directory, hasDefaultCwd: true };
  }
  const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
  return { type: server.type, url: server.url, headers };
}

/** Names of servers are parts of tools' names, which vendors restrict. */
function toName(written: string): string {
  return written.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "") || "editor";
}

function findFreeName(name: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name}-${n}`;
    if (!taken.has(free)) return free;
  }
}
