// 100 server processes over stdio with 2,000 tools below one `duet serve --expose tools`, and one more that ends at once: the
// time to the first list with all tools, beside what the machine takes for 100 bare processes of Node, which is the limit where
// that is longer; the memory of Duet; a call while a server dies; and whether find_tools puts the right tool among its first
// five. Prints a table; exits 1 when a limit is broken. A list waits 10 s for its servers, so a slower machine shows fewer.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { nameOf, questions, serverCount, toolsOfServer } from "./servers/catalog.mjs";

const limits = { listMs: 5000, memoryMB: 250, found: questions.length, deadMs: 2 };
const idleMs = 10_000;
const calls = 200;

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const program = at("../dist/duet.js");
const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
const env = { PATH: process.env.PATH ?? "", HOME: home, NODE_COMPILE_CACHE: join(home, "compiled") };
const names = Array.from({ length: serverCount }, (_, index) => nameOf(index));
const wanted = serverCount * toolsOfServer;
const rows = [];

try {
  const floor = await bareMs();
  row("100 bare processes of Node, until each has written a line", floor, "ms");
  limits.listMs = Math.max(limits.listMs, floor);
  await measureList("first tools/list, nothing cached", true);
  await measureList("first tools/list, as usual", false);
  const opened = await open(["--list-limit", "1000000"]);
  await opened.client.listTools();
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  row("memory of Duet, idle, with the whole list given (RSS)", readRss(opened.pid), "MB", limits.memoryMB);
  await measureDeath(opened);
  await opened.client.close();
  await measureFinding();
} finally {
  await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
for (const { what, value, unit, limit } of rows) {
  const most = limit === undefined ? "" : `   (at ${unit === "of 40" ? "least" : "most"} ${limit})`;
  console.log(
    `${what.padEnd(66)} ${value.toFixed(unit === "MB" || unit === "of 40" ? 0 : 1).padStart(8)} ${unit}${most}`,
  );
}
process.exitCode = rows.some(isBroken) ? 1 : 0;

function row(what, value, unit, limit) {
  rows.push({ what, value, unit, limit });
}

function isBroken({ value, unit, limit }) {
  return limit !== undefined && (unit === "of 40" ? value < limit : value > limit);
}

/** What the machine needs for as many processes that only load what a server loads. */
async function bareMs() {
  const began = performance.now();
  const lines = names.map(async () => {
    const child = spawn(process.execPath, ["-e", "require('node:readline'); console.log(1); process.stdin.resume()"], {
      stdio: ["pipe", "pipe", "ignore"],
      env,
    });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    return child;
  });
  const children = await Promise.all(lines);
  const took = performance.now() - began;
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(children.map((child) => new Promise((resolve) => child.once("close", resolve))));
  return took;
}

async function open(more) {
  const servers = names.map((name, index) => [
    name,
    { command: process.execPath, args: [at("servers/catalog-server.mjs"), String(index)] },
  ]);
  servers.push(["dead", { command: process.execPath, args: ["-e", "process.exit(1)"] }]);
  const config = join(home, "duet.config.json");
  await writeFile(config, JSON.stringify({ mcpServers: Object.fromEntries(servers), locale: "en" }));
  const client = new Client({ name: "bench", version: "0" });
  const args = [program, "serve", "--config", config, "--expose", "tools", ...more];
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" });
  await client.connect(transport, { timeout: 120_000 });
  return { client, pid: transport.pid };
}

/** From the start of the process to a list that has all tools. */
async function measureList(what, isFirst) {
  if (isFirst) await rm(join(home, ".local"), { recursive: true, force: true });
  const began = performance.now();
  const { client, pid } = await open(["--list-limit", "1000000"]);
  const { tools } = await client.listTools({}, { timeout: 120_000 });
  row(what, performance.now() - began, "ms", limits.listMs);
  row("  processor time of Duet for it", readCpuMs(pid), "ms");
  const listed = tools.filter(({ name }) => name.includes("__")).length;
  await client.close();
  if (listed < wanted) throw new Error(`${listed} tools listed of ${wanted}`);
}

/** Of the process alone, without its children. */
function readCpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function readRss(pid) {
  const [, kB] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kB) / 1024;
}

/** The same calls in turn, with all servers and with one that dies again and again. */
async function measureDeath({ client }) {
  const quiet = await median(client);
  let isOver = false;
  let deaths = 0;
  const dying = (async () => {
    while (!isOver) {
      const { content } = await client
        .callTool({ name: "toys__list_puzzle", arguments: {} })
        .catch(() => ({ content: [] }));
      const [, pid] = / of (\d+)$/.exec(content[0]?.text ?? "") ?? [];
      if (pid !== undefined) {
        process.kill(Number(pid), "SIGKILL");
        deaths += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  const noisy = await median(client);
  isOver = true;
  await dying;
  row("a call, all servers there", quiet, "ms");
  row(`a call, while another server dies (${deaths} times)`, noisy, "ms");
  row("what the dead server costs the others", noisy - quiet, "ms", limits.deadMs);
}

async function median(client) {
  const times = [];
  for (let call = 0; call < calls; call++) {
    const began = performance.now();
    await client.callTool({ name: "jewelry__list_necklace", arguments: {} });
    times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b)[calls / 2];
}

async function measureFinding() {
  const { client } = await open([]);
  const missed = [];
  for (const [query, ...right] of questions) {
    const { structuredContent } = await client.callTool({ name: "find_tools", arguments: { query, limit: 5 } });
    const found = structuredContent.tools.map(({ name }) => name.slice(name.indexOf("__") + 2));
    if (!found.some((name) => right.includes(name))) missed.push([query, right[0], found]);
  }
  await client.close();
  for (const [query, right, found] of missed) console.log(`not found: ${query} → ${right}; found ${found.join(", ")}`);
  row("find_tools: the right tool among the first five", questions.length - missed.length, "of 40", limits.found);
}
