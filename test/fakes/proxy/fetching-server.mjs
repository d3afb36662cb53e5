#!/usr/bin/env node
// An MCP server over stdio without dependencies. Its tool gets an address with Node's own `fetch`, as many servers do.
import { createInterface } from "node:readline";

const inputSchema = { type: "object", properties: { url: { type: "string" } }, required: ["url"] };
const tools = [{ name: "get", description: "Gets an address", inputSchema, annotations: { readOnlyHint: true } }];

const answers = {
  initialize: async ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "fetching", version: "1.0.0" },
  }),
  "tools/list": async () => ({ tools }),
  async "tools/call"({ arguments: { url } }) {
    const text = await fetch(url).then(
      (response) => response.text(),
      (error) => `failed: ${error.message} ${error.cause?.message}`,
    );
    return { content: [{ type: "text", text: `${text} ${process.env.HTTPS_PROXY}` }] };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = await answers[method]?.(params);
  const reply = result === undefined ? { error: { code: -32601, message: "unknown" } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
}
