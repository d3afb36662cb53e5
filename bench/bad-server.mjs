// Runs beside the servers of shared-process.mjs: an MCP server over stdio that misbehaves in one way, `node bad-server.mjs WAY`.
import { once } from "node:events";
import { createInterface } from "node:readline";

const megabyte = 1_000_000;
const floodPerTick = 500;
const tickMs = 10;
let lastLine = Promise.resolve();
const way = process.argv[2] ?? "good";

/** What each way does with a call, with its list of tools, and by itself once it has been initialised. */
const ways = {
  hangs: { call: () => {} },
  "floods with logs": { atReady: () => flood(notification("message", { level: "info", data: "x".repeat(60) })) },
  "floods with progress": {
    call: ({ params }) =>
      flood(notification("progress", { progressToken: params._meta?.progressToken, progress: 1, message: "step" })),
  },
  "floods with list changes": { atReady: () => flood(notification("tools/list_changed", undefined)) },
  "floods with stray lines": { atReady: () => flood('{"level":"info","message":"Handled GET / in 3 ms"}\n') },
  "sends lines of 100 MB": {
    call({ id }) {
      lastLine = lastLine.then(() => longLine(id));
    },
  },
  "answers 9 MB of text": {
    call: ({ id }) => answer(id, { content: [{ type: "text", text: "x".repeat(9 * megabyte) }] }),
  },
  "answers 9 MB of values": {
    call: ({ id }) => process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${values}}\n`),
  },
  "answers 30,000 keys": {
    call: ({ id }) => process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${someValues}}\n`),
  },
  crashes: { call: () => process.exit(3) },
  "ships patterns that explode": { list: () => [tool("echo", exploding), tool("other", exploding)] },
  "lists 3 MB of tools": {
    list: () => Array.from({ length: 500 }, (_, index) => tool(`tool-${index}`, large)),
    atReady: () => setInterval(() => process.stdout.write(notification("tools/list_changed", undefined)), 500),
  },
};

const exploding = {
  properties: { text: { type: "string", pattern: "^(a|a)*$" } },
  patternProperties: { "^(([a-z])+.)+[A-Z]([a-z])+$": { type: "string" } },
};
const large = {
  properties: Object.fromEntries(
    Array.from({ length: 6 }, (_, index) => [`p${index}`, { type: "string", description: "x y ".repeat(120) }]),
  ),
};
const rows = (count) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",");
const values = `{"content":[],"structuredContent":{${rows(760_000)}}}`;
const someValues = `{"content":[],"structuredContent":{${rows(30_000)}}}`;

function tool(name, inputSchema) {
  return {
    name,
    description: "A tool.",
    inputSchema: { type: "object", ...inputSchema },
    outputSchema: { type: "object", ...inputSchema },
    annotations: { readOnlyHint: true },
  };
}

function notification(name, params) {
  return `${JSON.stringify({ jsonrpc: "2.0", method: `notifications/${name}`, params })}\n`;
}

/** 50,000 lines a second, or as many as are taken. */
function flood(line) {
  const lines = line.repeat(floodPerTick);
  setInterval(() => {
    if (process.stdout.writableLength < megabyte) process.stdout.write(lines);
  }, tickMs);
}

async function longLine(id) {
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
  const part = "x".repeat(megabyte);
  for (let count = 0; count < 100; count++) {
    if (!process.stdout.write(part)) await once(process.stdout, "drain");
  }
  process.stdout.write('"}]}}\n');
}

function answer(id, result) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}

function echo({ id, params }) {
  answer(id, { content: [{ type: "text", text: String(params.arguments?.text) }] });
}

const { call = echo, list = () => [tool("echo", {})], atReady = () => {} } = ways[way];
createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  const { id, method, params } = request;
  if (method === "notifications/initialized") return void atReady();
  if (id === undefined) return;
  if (method === "tools/call") return void call(request);
  if (method === "tools/list") return void answer(id, { tools: list() });
  const serverInfo = { name: "bad", version: "0" };
  if (method === "initialize")
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo });
  else
    process.stdout.write(
      `${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } })}\n`,
    );
});
