import type { McpServer } from "@agentclientprotocol/sdk";
import type { ServerSettings, ServerTransport } from "../../config/config.ts";

/** Limits the calls and the start of a server that an editor hands over, in milliseconds, as the defaults of the configuration do. */
const timeoutMs = 60_000;
const startTimeoutMs = 30_000;

/**
 * Returns the servers that an editor hands over for a session, beside those of the configuration. One whose name is taken gets another
 * one, because its tools are named by it.
 */
export function toServerSettings(
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
    return { type: "stdio", command: server.command, args: server.args, env, inheritEnv: [], cwd: directory };
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
