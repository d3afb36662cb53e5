import type { McpServer } from "@modelcontextprotocol/server";
import type { List } from "../../src/app/tools/gateway.ts";
import { ignoreRejection } from "../../src/kit/async/ignore-rejection.ts";
import { startHttpFace } from "../fakes/http-interface.ts";
import { createFixtures } from "../fixtures/conformance/server.ts";

/** Serves the fixtures by the product's HTTP side. */
export function serveFixtures(): Promise<{ url: string; close(): Promise<void> }> {
  const listeners = new Set<(list: List) => void>();
  const sessions = new Set<McpServer>();
  const createFixtureServer = createFixtures({
    announce(list) {
      for (const listener of listeners) listener(list);
      for (const server of sessions) void ignoreRejection(tell(server, list), "the session is over");
    },
  });
  return startHttpFace({
    async createServer(_caller, isOneRequest) {
      const server = createFixtureServer();
      if (isOneRequest) return server;
      sessions.add(server);
      server.server.onclose = () => void sessions.delete(server);
      return server;
    },
    onChange(_caller, listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
}

async function tell(server: McpServer, list: "tools" | "prompts"): Promise<void> {
  if (server.isConnected())
    await (list === "tools" ? server.server.sendToolListChanged() : server.server.sendPromptListChanged());
}
