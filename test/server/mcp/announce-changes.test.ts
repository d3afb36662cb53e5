import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import type { Capabilities } from "../../../src/server/mcp/capabilities.ts";
import { serveCapabilities } from "../../../src/server/mcp/mcp-interface.ts";

test("a server listens to changes from its first list to its end, and one that is never connected does not", async () => {
  const listening = new Set<unknown>();
  const provider: Capabilities = {
    tools: { list: async () => [], call: async () => undefined },
    onChange(listener) {
      listening.add(listener);
      return () => void listening.delete(listener);
    },
  };
  const server = new McpServer({ name: "test", version: "1" });
  serveCapabilities(server, [provider]);
  expect(listening.size).toBe(0);
  const [above, below] = InMemoryTransport.createLinkedPair();
  await server.connect(below);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(above);
  await client.listTools();
  await client.listTools();
  expect(listening.size).toBe(1);
  await client.close();
  await expect.poll(() => listening.size).toBe(0);
});
