// An MCP server of tools.mjs over stdio: COUNT of the tools that real servers listed, each STEP-th from FROM on, round and
// round; one that comes again has a number behind its name. `node many-tools-server.mjs FROM COUNT [STEP]`
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [from, count, step = 1] = process.argv.slice(2).map(Number);
const lines = readFileSync(new URL("../test/fixtures/real-tools.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n");
const real = lines.map((line) => JSON.parse(line));
const tools = Array.from({ length: count }, (_, index) => {
  const at = from + index * step;
  const { name, description, inputSchema } = real[at % real.length];
  const round = Math.floor(at / real.length);
  return { name: round === 0 ? name : `${name}_${round + 1}`, description, inputSchema };
});

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "bench", version: "0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: `${name} gives 21 degrees and a light wind.` }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method]?.(params);
  const reply = answer ? { result: answer } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
});
