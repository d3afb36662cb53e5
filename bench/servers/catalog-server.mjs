// One of the servers of catalog.mjs over stdio: `node catalog-server.mjs INDEX`.
import { createInterface } from "node:readline";
import { nameOf, toolsOf } from "./catalog.mjs";

const index = Number(process.argv[2]);
const tools = toolsOf(index);

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: nameOf(index), version: "0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: `${name} of ${process.pid}` }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method]?.(params);
  const reply = answer ? { result: answer } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
});
