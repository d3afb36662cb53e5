// An MCP server over stdio that logs each of its effects to the file CHAOS_LOG: `node tool-server.mjs`. A payment that is under way when
// its host dies takes effect all the same; everything else is cut off.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const kinds = {
  read: { readOnlyHint: true, openWorldHint: false },
  put: { readOnlyHint: false, idempotentHint: true, destructiveHint: false, openWorldHint: false },
  pay: { readOnlyHint: false, idempotentHint: false, destructiveHint: false, openWorldHint: false },
  wipe: { readOnlyHint: false, idempotentHint: false, destructiveHint: true, openWorldHint: false },
};
const inputSchema = {
  type: "object",
  properties: { call: { type: "string" }, ms: { type: "integer" } },
  required: ["call", "ms"],
};
const tools = Object.entries(kinds).flatMap(([kind, annotations]) =>
  ["quick", "slow"].map((speed) => ({
    name: `${kind}_${speed}`,
    description: `Does ${kind}, and is ${speed}.`,
    inputSchema,
    annotations,
  })),
);

const log = (what, tool, call) =>
  appendFileSync(
    process.env.CHAOS_LOG,
    `${JSON.stringify({ at: Date.now(), what, tool, call, pid: process.pid, parent: process.ppid })}\n`,
  );
let paying = 0;
let isLeft = false;

async function callTool({ name, arguments: { call, ms } }) {
  const isPayment = name.startsWith("pay");
  paying += Number(isPayment);
  log("begin", name, call);
  await new Promise((resolve) => setTimeout(resolve, ms));
  log("end", name, call);
  paying -= Number(isPayment);
  if (isLeft && paying === 0) process.exit();
  return { content: [{ type: "text", text: `The call ${call} of ${name} is done, and it took ${ms} ms.` }] };
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "work", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": callTool,
  ping: () => ({}),
};

process.stdout.on("error", () => {});
createInterface({ input: process.stdin })
  .on("line", async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = answers[method];
    const reply = answer ? { result: await answer(params) } : { error: { code: -32601, message: "no such method" } };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
  })
  .on("close", () => {
    isLeft = true;
    if (paying === 0) process.exit();
  });
