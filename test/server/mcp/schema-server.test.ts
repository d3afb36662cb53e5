import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import { SchemaServer } from "../../../src/server/mcp/schema-server.ts";

/** Asks the user of a host on version 1 of the official SDK, by requests of the server. */
async function connectHost(answer: (signal: AbortSignal) => Promise<{ action: "accept" }>) {
  const server = new SchemaServer({ name: "test", version: "1" }, { capabilities: {} }, "en");
  const client = new ClientV1({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async (_, { signal }) => answer(signal));
  const [above, below] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(below), client.connect(above as never)]);
  onTestFinished(async () => void (await Promise.all([client.close(), server.close()])));
  const params = { message: "Sure?", requestedSchema: { type: "object" as const, properties: {} } };
  const ask = (signal?: AbortSignal) => server.server.request({ method: "elicitation/create", params }, { signal });
  return { ask, server };
}

test("the first dialog of a connection is withdrawn in a host on version 1 of the official SDK", async () => {
  const shown = Promise.withResolvers<AbortSignal>();
  const { ask, server } = await connectHost((signal) => {
    shown.resolve(signal);
    return new Promise(() => {});
  });
  const stop = new AbortController();
  const asked = ask(stop.signal);
  asked.catch(() => {});
  const dialog = await shown.promise;
  stop.abort();
  await expect(asked).rejects.toThrow();
  // Whoever answers a ping has read what was sent before.
  await server.server.request({ method: "ping" });
  expect(dialog.aborted).toBe(true);
});

test("each dialog gets its own answer", async () => {
  const { ask } = await connectHost(async () => ({ action: "accept" }));
  expect(await Promise.all([ask(), ask()])).toMatchObject([{ action: "accept" }, { action: "accept" }]);
});
