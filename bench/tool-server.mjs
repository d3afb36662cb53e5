// The MCP server of the scripts that ask: one tool, `echo`, over stdio, with nothing in between.
import { createInterface } from "node:readline";

const echo = {
  name: "echo",
  description: "Gives back the text.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "bench", version: "0" },
  }),
  "tools/list": () => ({ tools: [echo] }),
  "tools/call": ({ arguments: args }) => ({ content: [{ type: "text", text: `${args.text} and hello again to you` }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method]?.(params);
  const reply = answer ? { result: answer } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
});
