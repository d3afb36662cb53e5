import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import type { Capabilities } from "../../../src/server/mcp/capabilities.ts";
import { serveCapabilities } from "../../../src/server/mcp/mcp-interface.ts";
import { createWarnings } from "../../../src/server/mcp/warnings.ts";

async function connected(providers: Capabilities[]) {
  const server = new McpServer({ name: "test", version: "1" });
  serveCapabilities(server, providers);
  const [above, below] = InMemoryTransport.createLinkedPair();
  await server.connect(below);
  const client = new Client({ name: "test", version: "1" });
  const heard: unknown[] = [];
  client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params));
  await client.connect(above);
  await client.ping();
  onTestFinished(() => client.close());
  return { client, heard };
}

test("a host reads the warnings for the operator, without secrets, and nothing less severe", async () => {
  const warnings = createWarnings({ keeps: true });
  const written: string[] = [];
  const log = warnings.follow(
    (line) => void written.push(line),
    (text) => text.replace("sk-1", "***"),
  );
  const { client, heard } = await connected([{ onLog: warnings.onLog }]);
  log("a server is gone, key sk-1", "warn");
  log("listening");
  log("the store cannot be written\u001b[2J", "error");
  await client.ping();
  expect(heard).toEqual([
    { level: "warning", logger: "duet", data: "a server is gone, key ***" },
    { level: "error", logger: "duet", data: "the store cannot be written\\u{1b}[2J" },
  ]);
  expect(written).toHaveLength(3);
  await client.setLoggingLevel("error");
  log("a second warning", "warn");
  await client.ping();
  expect(heard).toHaveLength(2);
});

test("the first host also reads what was told before it came, and no later one does", async () => {
  const warnings = createWarnings({ keeps: true });
  const log = warnings.follow(() => {});
  log("a server is gone", "warn");
  const first = await connected([{ onLog: warnings.onLog }]);
  expect(first.heard).toEqual([{ level: "warning", logger: "duet", data: "a server is gone" }]);
  const second = await connected([{ onLog: warnings.onLog }]);
  expect(second.heard).toEqual([]);
});

test("what was told before the secrets were known is read without them", async () => {
  const warnings = createWarnings({ keeps: true });
  warnings.follow(() => {})("a server is gone, key sk-1", "warn");
  warnings.follow(
    () => {},
    (text) => text.replace("sk-1", "***"),
  );
  const { heard } = await connected([{ onLog: warnings.onLog }]);
  expect(heard).toEqual([{ level: "warning", logger: "duet", data: "a server is gone, key ***" }]);
});

test("nothing is kept where no host is sure to come", async () => {
  const warnings = createWarnings({ keeps: false });
  warnings.follow(() => {})("a server is gone", "warn");
  expect((await connected([{ onLog: warnings.onLog }])).heard).toEqual([]);
});

test("logging is not declared where nothing is logged", async () => {
  const { client } = await connected([{}]);
  expect(client.getServerCapabilities()).not.toHaveProperty("logging");
  await expect(client.setLoggingLevel("debug")).rejects.toThrow(/Method not found/);
});
