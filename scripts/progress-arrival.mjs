// Counts the progress notifications that official MCP clients drop: those whose result follows too closely. A tap, a process between
// client and server, counts what is on the wire; each client counts what its handler is given and what it reports as an error.
// Half of the calls are `agent_ask`, whose model says its last word a given time before it ends; half are a tool of a server below,
// whose progress the gateway passes on. Every core is kept busy meanwhile. Run `npm run build` first. The Python client is installed
// into a temporary folder unless `--python` names an interpreter that has `mcp`.
// `node scripts/progress-arrival.mjs [--calls 300] [--at-once 4] [--busy 2] [--only "SDK v1, stdio"] [--python FILE]`
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const script = fileURLToPath(import.meta.url);
const program = fileURLToPath(new URL("../dist/duet.js", import.meta.url));
const notified = "notifications/progress";

/** Are how long before the result the last notification becomes due, in milliseconds. */
const delaysMs = [0, 1, 4];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: "string", default: "300" },
    "at-once": { type: "string", default: "4" },
    busy: { type: "string", default: String(availableParallelism()) },
    only: { type: "string", default: "" },
    python: { type: "string" },
  },
});

const [role, ...args] = positionals;
if (role === "tap-stdio") await tapStdio(args);
else if (role === "tap-http") await tapHttp(args);
else if (role === "client") console.log(JSON.stringify(await runClient(JSON.parse(args[0]))));
else if (role === "tool-server") serveTool();
else await main();

async function main() {
  const home = await mkdtemp(join(tmpdir(), "duet-progress-"));
  const children = [];
  const start = (...more) => {
    const child = spawn(process.execPath, more, { stdio: ["pipe", "pipe", "ignore"] });
    children.push(child);
    return child;
  };
  const model = await startModel();
  try {
    const python = values.python ?? installPython(home);
    const config = join(home, "duet.config.json");
    const local = {
      wire: "openai-chat",
      baseUrl: `http://127.0.0.1:${model.address().port}/v1`,
      apiKeyEnv: "LOCAL_KEY",
    };
    await writeFile(
      config,
      JSON.stringify({
        models: { functionCall: { provider: "local", model: "m" } },
        providers: { local },
        mcpServers: { below: { command: process.execPath, args: [script, "tool-server"] } },
        tools: { allow: ["below__*"] },
        conversations: { store: "memory" },
      }),
    );
    const env = { PATH: process.env.PATH, HOME: home, LOCAL_KEY: "k" };
    const serve = [program, "serve", "--config", config, "--expose", "both"];
    for (let index = 0; index < Number(values.busy); index++) start("-e", "for (;;);");
    let lost = 0;
    for (const { name, kind, era, transport } of listClients()) {
      if (!name.includes(values.only)) continue;
      if (kind === "python" && python === undefined) {
        console.log(`${name.padEnd(26)} skipped: mcp could not be installed`);
        continue;
      }
      const counts = join(home, "counts.json");
      await rm(counts, { force: true });
      let url;
      const served = [];
      if (transport === "http") {
        const server = spawn(process.execPath, [...serve, "--http", "0"], { env, stdio: ["pipe", "ignore", "pipe"] });
        const address = await findAddress(server);
        const tap = spawn(process.execPath, [script, "tap-http", new URL(address).port, counts], {
          stdio: ["pipe", "pipe", "inherit"],
        });
        const [port] = await once(tap.stdout, "data");
        url = `http://127.0.0.1:${String(port).trim()}/mcp`;
        served.push(tap, server);
      }
      const task = { kind, era, url, env, calls: Number(values.calls), atOnce: Number(values["at-once"]) };
      task.command = [process.execPath, script, "tap-stdio", "--", counts, process.execPath, ...serve];
      const [file, ...rest] =
        kind === "python"
          ? [python, fileURLToPath(new URL("progress-arrival.py", import.meta.url))]
          : [process.execPath, script, "client", "--"];
      const found = JSON.parse(await readOutput(file, [...rest, JSON.stringify(task)]));
      for (const child of served) {
        child.stdin.end();
        if (child !== served[0]) child.kill("SIGTERM");
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      }
      const { sent, gapsMs } = await readCounts(counts);
      lost += sent - found.heard;
      const shown = [
        `${found.calls} calls`,
        `${sent} notifications on the wire`,
        `${sent - found.heard} lost`,
        `${found.errors} errors`,
        `${found.late} after the result`,
        `last to result p50 ${quantile(0.5, gapsMs)} p99 ${quantile(0.99, gapsMs)} ms`,
      ];
      console.log(`${name.padEnd(26)} ${shown.join(", ")}`);
    }
    if (lost !== 0) process.exitCode = 1;
  } finally {
    for (const child of children) child.kill("SIGKILL");
    model.close();
    await rm(home, { recursive: true, force: true });
  }
}

function listClients() {
  const kinds = [
    ["SDK v1", "v1", "2025-11-25"],
    ["SDK v2 2025", "v2", "2025-11-25"],
    ["SDK v2 2026", "v2", "2026-07-28"],
    ["Python 2025", "python", "2025-11-25"],
    ["Python 2026", "python", "2026-07-28"],
  ];
  return kinds.flatMap(([name, kind, era]) =>
    ["stdio", "http"].map((transport) => ({ name: `${name}, ${transport}`, kind, era, transport })),
  );
}

/** Returns an interpreter that has the newest `mcp`, or undefined where that cannot be installed. */
function installPython(home) {
  const folder = join(home, "venv");
  const quietly = { stdio: "ignore" };
  try {
    execFileSync("python3", ["-m", "venv", folder], quietly);
    execFileSync(join(folder, "bin", "pip"), ["install", "--quiet", "mcp"], quietly);
    return join(folder, "bin", "python");
  } catch {
    return undefined;
  }
}

async function readOutput(file, rest) {
  const child = spawn(file, rest, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => (text += piece));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
  return text;
}

async function findAddress(child) {
  let told = "";
  for await (const piece of child.stderr.iterator({ destroyOnReturn: false })) {
    told += piece;
    const found = /http:\/\/\S+\/mcp/.exec(told);
    if (found) {
      child.stderr.resume();
      return found[0];
    }
  }
  throw new Error(told);
}

/** Starts a model whose answer is two words, the second one as long before the end as the question says. */
async function startModel() {
  const server = createHttpServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const delayMs = Number(/ (\d+) ms/.exec(body)[1]);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const write = (delta, finish_reason = null) =>
      response.write(
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
      );
    write({ role: "assistant", content: "first " });
    // Progress begins 100 ms after the run, and the next line may follow 112 ms later.
    await sleep(250);
    write({ content: "last" });
    await sleep(delayMs);
    write({}, "stop");
    response.end("data: [DONE]\n\n");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

/** Serves a tool over stdio that says something as long before its result as the call asks for. */
function serveTool() {
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const tool = {
    name: "late",
    description: "Speaks late.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  };
  const results = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "late", version: "1" },
    },
    "tools/list": { tools: [tool] },
    ping: {},
  };
  createInterface({ input: process.stdin }).on("line", async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "tools/call") {
      const progressToken = params._meta?.progressToken;
      send({ method: notified, params: { progressToken, progress: 1, message: "first" } });
      await sleep(130);
      send({ method: notified, params: { progressToken, progress: 2, message: "last" } });
      await sleep(params.arguments.delayMs);
      send({ id, result: { content: [{ type: "text", text: "done" }] } });
    } else if (method in results) send({ id, result: results[method] });
    else if (id !== undefined) send({ id, error: { code: -32601, message: "unknown" } });
  });
}

/** Appends a line for each notification that passes, and how soon a result follows the last one of its call. */
function createCounter(counts) {
  const lastAt = new Map();
  return (message) => {
    if (message.method === notified) {
      lastAt.set(message.params.progressToken, performance.now());
      appendFileSync(counts, "sent\n");
    } else if (message.id !== undefined && lastAt.has(message.id)) {
      appendFileSync(counts, `${performance.now() - lastAt.get(message.id)}\n`);
      lastAt.delete(message.id);
    }
  };
}

async function readCounts(counts) {
  const lines = (await readFile(counts, "utf8")).trim().split("\n");
  const gapsMs = lines.filter((line) => line !== "sent").map(Number);
  return { sent: lines.length - gapsMs.length, gapsMs };
}

async function tapStdio([counts, command, ...rest]) {
  const child = spawn(command, rest, { stdio: ["pipe", "pipe", "ignore"] });
  process.stdin.pipe(child.stdin);
  const count = createCounter(counts);
  createInterface({ input: child.stdout }).on("line", (line) => {
    process.stdout.write(`${line}\n`);
    count(JSON.parse(line));
  });
  await once(child, "close");
}

async function tapHttp([port, counts]) {
  const count = createCounter(counts);
  const tap = createServer((socket) => {
    const through = connect(Number(port), "127.0.0.1");
    socket.setNoDelay(true).pipe(through.setNoDelay(true)).pipe(socket);
    let rest = "";
    through.setEncoding("utf8").on("data", (piece) => {
      const lines = (rest + piece).split("\n");
      rest = lines.pop();
      for (const line of lines) if (line.startsWith("data: {")) count(JSON.parse(line.slice(6)));
    });
    for (const each of [socket, through]) each.on("error", () => {});
  });
  await once(tap.listen(0, "127.0.0.1"), "listening");
  console.log(tap.address().port);
  await once(process.stdin.resume(), "end");
  process.exit();
}

/** Makes the calls of one client, several at once. */
async function runClient({ kind, era, url, env, command: [command, ...rest], calls, atOnce }) {
  const isV1 = kind === "v1";
  const { Client } = await (isV1
    ? import("@modelcontextprotocol/sdk/client/index.js")
    : import("@modelcontextprotocol/client"));
  const { StdioClientTransport } = await (isV1
    ? import("@modelcontextprotocol/sdk/client/stdio.js")
    : import("@modelcontextprotocol/client/stdio"));
  const { StreamableHTTPClientTransport } = await (isV1
    ? import("@modelcontextprotocol/sdk/client/streamableHttp.js")
    : import("@modelcontextprotocol/client"));
  const mode = era === "2026-07-28" ? { pin: era } : "legacy";
  const client = new Client({ name: "progress-arrival", version: "1" }, isV1 ? {} : { versionNegotiation: { mode } });
  const found = { calls: 0, heard: 0, late: 0, errors: 0 };
  client.onerror = ({ message }) => {
    if (message.includes("unknown token")) found.errors += 1;
  };
  const transport =
    url === undefined
      ? new StdioClientTransport({ command, args: rest, env, stderr: "ignore" })
      : new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  let next = 0;
  async function callOnAndOn() {
    while (next < calls) {
      const index = next++;
      let isOver = false;
      const onprogress = () => {
        found.heard += 1;
        if (isOver) found.late += 1;
      };
      const params = toCall(index);
      await (isV1 ? client.callTool(params, undefined, { onprogress }) : client.callTool(params, { onprogress }));
      isOver = true;
      found.calls += 1;
    }
  }
  await Promise.all(Array.from({ length: atOnce }, callOnAndOn));
  await sleep(200);
  await client.close();
  return found;
}

function toCall(index) {
  const delayMs = delaysMs[index % delaysMs.length];
  return index % 2 === 0
    ? { name: "agent_ask", arguments: { question: `question ${index}: ${delayMs} ms` } }
    : { name: "below__late", arguments: { delayMs } };
}

function sleep(ms) {
  return new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)));
}

function quantile(part, sample) {
  const sorted = sample.toSorted((a, b) => a - b);
  return (sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
}
