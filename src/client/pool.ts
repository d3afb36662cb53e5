import type { Implementation } from "@modelcontextprotocol/client";
import type { Environment } from "../core/processes/environment.ts";
import { createLifeline } from "../core/processes/lifeline.ts";
import type { Tool } from "../core/tool.ts";
import { abortable } from "../core/waiting.ts";
import { Connection, type ServerStatus, type Surroundings } from "./connection.ts";
import type { RemoteTool } from "./listing.ts";
import { createNames } from "./naming.ts";
import type { ServerSettings } from "./settings.ts";
import { asTool } from "./tool.ts";
import type { Sdk } from "./transport/http.ts";

export interface PoolOptions {
  /** Our environment, of which a child sees only what it needs to run. */
  environment: Environment;
  /** How we introduce ourselves to servers. */
  clientInfo: Implementation;
}

/** All configured servers, side by side: none waits for another, none stops another. */
export interface Pool {
  /** Starts every server and returns at once; the processes are running then. */
  start(): void;
  /** Settles when each has started or failed, within the longest start limit; rejects only when the signal aborts. */
  ready(signal?: AbortSignal): Promise<void>;
  /** Whether none is starting, so that there is nothing to wait for. */
  isSettled(): boolean;
  /** The tools of the servers that have been ready, in the order of the configuration, then of the server. */
  tools(): Tool[];
  status(): ServerStatus[];
  /** Ends every server and all that they started, within about 2 s. Never rejects; may be called twice. */
  close(): Promise<void>;
}

export function createPool(servers: readonly ServerSettings[], options: PoolOptions): Pool {
  const lifeline = createLifeline(options.environment.PATH);
  const names = createNames();
  let sdk: Promise<Sdk> | undefined;
  const surroundings: Surroundings = {
    ...options,
    lifeline,
    sdk() {
      sdk ??= import("@modelcontextprotocol/client");
      return sdk;
    },
  };
  const connections = servers.map((settings) => new Connection(settings, surroundings));
  /** A tool stays the same object while its server lists it, so that what others keep with it stays valid. */
  const tools = new WeakMap<RemoteTool, Tool>();

  function toolOf(connection: Connection, remote: RemoteTool): Tool {
    const known = tools.get(remote);
    if (known) return known;
    const tool = asTool(connection, remote, names.nameOf(connection.settings.name, remote.name));
    tools.set(remote, tool);
    return tool;
  }

  async function close(): Promise<void> {
    await Promise.all(connections.map((connection) => connection.close()));
    lifeline.close();
  }

  return {
    start() {
      for (const connection of connections) connection.start();
    },
    async ready(signal) {
      for (const connection of connections) connection.start();
      await abortable(Promise.all(connections.map((connection) => connection.settled())), signal);
    },
    isSettled: () => connections.every(({ status }) => status.state !== "idle" && status.state !== "starting"),
    tools: () => connections.flatMap((connection) => connection.tools.map((remote) => toolOf(connection, remote))),
    status: () => connections.map((connection) => connection.status),
    close,
  };
}
