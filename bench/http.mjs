// What `duet serve` costs: memory while it waits, over stdio and over HTTP; how soon the first progress of agent_ask comes, of which
// none is sent in the first 100 ms; and what 100 calls of agent_ask at once take longer over HTTP than the same questions in this
// process: with a model that speaks as models do, a word every 30 ms, and with one that says all at once, which keeps every core busy
// and so shows the CPU of a call.
// Then how soon the model sees that its caller has cancelled or left, over stdio and by each way over HTTP.
// Model and tools are other processes. The ways take turns, so that a machine whose speed drifts slows all. Fails above the limits.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDuet } from "../dist/index.js";
import { calling, cancelTimes, posting, startHangingModel } from "./cancels.mjs";

const most = { memory: 90, firstProgressMs: 120, overheadMs: 50, cancelMs: 1000 };
const cancels = 20;
const atOnce = 100;
const rounds = Number(process.argv[2] ?? 9);
const warmUp = 3;
const settleMs = 1500;

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const modelServers = [];
const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
process.env.BENCH_KEY = "k";
const shared = {
  providers: { quick: await startModel(0), brisk: await startModel(5), paced: await startModel(30) },
  mcpServers: { bench: { command: process.execPath, args: [at("./tool-server.mjs")] } },
  tools: { allow: ["bench__*"] },
  conversations: { store: "memory" },
  locale: "en",
};
const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "0" } },
};
const modern = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const modernHeaders = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "agent_ask" };

const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
const failures = [];
let session;
try {
  await idle("stdio", ["serve"]);
  await idle("HTTP", ["serve", "--http", "0"]);
  await firstProgress();
  await compare("quick", "says all at once", undefined);
  await compare("paced", "says a word every 30 ms", most.overheadMs);
  await cancelled();
} finally {
  agent.destroy();
  for (const each of modelServers) each.kill();
  await rm(home, { recursive: true, force: true });
}
if (failures.length > 0) throw new Error(failures.join("; "));

/** A provider of the configuration. */
async function startModel(pauseMs) {
  const server = spawn(process.execPath, [at("./model-server.mjs"), String(pauseMs)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  modelServers.push(server);
  const [printed] = await once(server.stdout, "data");
  return { wire: "openai-chat", baseUrl: String(printed).trim(), apiKeyEnv: "BENCH_KEY" };
}

/** `limit` in milliseconds; without one the figures are only printed. */
async function compare(provider, manner, limit) {
  const models = { functionCall: { provider, model: "m" } };
  const { served, url } = await serveHttp(provider, models);
  const duet = await createDuet({ models, config: shared });
  try {
    await duet.tools();
    console.log(`\na model that ${manner}`);
    await overhead(url, duet, limit);
  } finally {
    await duet.close();
    served.kill();
  }
}

/** A server whose session is open. */
async function serveHttp(name, models) {
  const config = join(home, `${name}.config.json`);
  await writeFile(config, JSON.stringify({ ...shared, models }));
  const served = serve(["serve", "--http", "0", "--config", config]);
  const url = await addressOf(served);
  session = undefined;
  const { headers } = await post(url, initialize);
  session = headers["mcp-session-id"];
  return { served, url };
}

async function idle(name, args) {
  const child = serve(args);
  if (name === "HTTP") await post(await addressOf(child), initialize);
  else {
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
    await once(child.stdout, "data");
  }
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
  child.kill();
  const megabytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
  check(`idle memory over ${name}`, megabytes, most.memory, "MB");
}

/** The model takes about half a second, because a run that is over within 100 ms has no progress. */
async function firstProgress() {
  const { served, url } = await serveHttp("brisk", { functionCall: { provider: "brisk", model: "m" } });
  const times = { 2025: [], 2026: [] };
  try {
    for (let index = -warmUp; index < 2 * rounds; index++)
      for (const [era, found] of Object.entries(times)) {
        const { firstMs } = await ask(url, index + warmUp, era, true);
        if (index >= 0) found.push(firstMs);
      }
  } finally {
    served.kill();
  }
  for (const [era, found] of Object.entries(times))
    check(
      `first progress, ${era}`,
      quantile(0.5, found),
      most.firstProgressMs,
      "ms",
      `   p99 ${quantile(0.99, found).toFixed(1)}`,
    );
}

async function overhead(url, duet, limit = Number.POSITIVE_INFINITY) {
  const ways = {
    "in process": async () => {
      const began = performance.now();
      const { status } = await duet.ask("Say hello.");
      if (status !== "complete") throw new Error(`the run is ${status}`);
      return performance.now() - began;
    },
    2025: async (id) => (await ask(url, id, "2025")).tookMs,
    2026: async (id) => (await ask(url, id, "2026")).tookMs,
  };
  const found = Object.fromEntries(Object.keys(ways).map((name) => [name, { p50: [], p99: [] }]));
  for (let round = -warmUp; round < rounds; round++)
    for (const [name, way] of Object.entries(ways)) {
      const times = await Promise.all(Array.from({ length: atOnce }, (_, index) => way(round * 1000 + index)));
      if (round < 0) continue;
      found[name].p50.push(quantile(0.5, times));
      found[name].p99.push(quantile(0.99, times));
    }
  const middle = (name, key) => quantile(0.5, found[name][key]);
  for (const name of Object.keys(ways))
    console.log(
      `${atOnce} asks at once, ${name.padEnd(12)}  p50 ${middle(name, "p50").toFixed(0).padStart(5)} ms   p99 ${middle(name, "p99").toFixed(0).padStart(5)} ms   median of ${rounds}`,
    );
  for (const era of ["2025", "2026"]) {
    const p50 = middle(era, "p50") - middle("in process", "p50");
    check(
      `HTTP adds, ${era}, p99`,
      middle(era, "p99") - middle("in process", "p99"),
      limit,
      "ms",
      `   p50 ${p50.toFixed(1)}`,
    );
  }
}

/** How soon a cancel reaches the model. */
async function cancelled() {
  console.log("\na model that hangs");
  const model = await startHangingModel();
  const config = join(home, "hanging.config.json");
  const models = { functionCall: { provider: "hanging", model: "m" } };
  await writeFile(config, JSON.stringify({ ...shared, providers: { hanging: model.provider }, models }));
  const [stdio, http] = [[], ["--http", "0"]].map((more) => serve(["serve", "--config", config, ...more]));
  try {
    const origin = new URL(await addressOf(http)).origin;
    const send = (message) => void stdio.stdin.write(`${JSON.stringify(message)}\n`);
    send(initialize);
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    stdio.stdout.resume();
    // The session of the part before is one of another server.
    session = undefined;
    const opened = await post(`${origin}/mcp`, initialize);
    session = opened.headers["mcp-session-id"];
    const accept = "application/json, text/event-stream";
    const call = { name: "agent_ask", arguments: { question: "Wait." }, _meta: modern };
    const ways = {
      stdio: (id) => calling(send, id + 1),
      "/mcp, 2025": (id) => calling((message) => void post(`${origin}/mcp`, message).catch(() => {}), id + 1),
      "/mcp, 2026": (id) =>
        posting(
          `${origin}/mcp`,
          { jsonrpc: "2.0", id, method: "tools/call", params: call },
          { accept, ...modernHeaders },
        ),
      "/agent/chat": () => posting(`${origin}/agent/chat`, { message: "Wait." }),
      "/v1": () =>
        posting(`${origin}/v1/chat/completions`, {
          model: "duet-agent",
          stream: true,
          messages: [{ role: "user", content: "Wait." }],
        }),
    };
    for (const [name, begin] of Object.entries(ways)) {
      const times = await cancelTimes(model, begin, cancels);
      check(
        `cancel, ${name}, worst`,
        Math.max(...times),
        most.cancelMs,
        "ms",
        `   p50 ${quantile(0.5, times).toFixed(1)}`,
      );
    }
  } finally {
    session = undefined;
    stdio.kill();
    http.kill();
    model.close();
  }
}

/** Milliseconds until the first progress, and until the result, of one agent_ask. */
async function ask(url, id, era, withProgress = false) {
  const meta = era === "2026" ? modern : {};
  const progress = withProgress ? { progressToken: id } : {};
  const params = { name: "agent_ask", arguments: { question: `Say hello ${id}.` }, _meta: { ...meta, ...progress } };
  const began = performance.now();
  let firstMs;
  const { text } = await post(url, { jsonrpc: "2.0", id, method: "tools/call", params }, era, (piece) => {
    if (piece.includes("notifications/progress")) firstMs ??= performance.now() - began;
  });
  if (!text.includes('"status":"complete"')) throw new Error(`not an answer: ${text.slice(0, 500)}`);
  return { firstMs, tookMs: performance.now() - began };
}

function post(url, body, era = "2025", onPiece = () => {}) {
  const text = JSON.stringify(body);
  const own = era === "2026" ? modernHeaders : session ? { "mcp-session-id": session } : {};
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", ...own };
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      agent,
      headers: { ...headers, "content-length": Buffer.byteLength(text) },
    });
    sent.once("error", reject).once("response", (response) => {
      let all = "";
      response.setEncoding("utf8").on("data", (piece) => {
        all += piece;
        onPiece(piece);
      });
      response.once("error", reject).once("end", () => resolve({ headers: response.headers, text: all }));
    });
    sent.end(text);
  });
}

function serve(args) {
  const program = fileURLToPath(new URL("../dist/duet.js", import.meta.url));
  const env = { PATH: process.env.PATH, HOME: home, BENCH_KEY: "k" };
  return spawn(process.execPath, [program, ...args], { env, cwd: home, stdio: ["pipe", "pipe", "pipe"] });
}

async function addressOf(child) {
  let told = "";
  for await (const piece of child.stderr) {
    told += piece;
    const url = /http:\S+\/mcp/.exec(told)?.[0];
    if (url) return url;
  }
  throw new Error(`no address: ${told}`);
}

function check(name, value, limit, unit, more = "") {
  console.log(
    `${name.padEnd(28)} ${value.toFixed(1).padStart(7)} ${unit}   ${Number.isFinite(limit) ? `(at most ${limit})` : ""}${more}`,
  );
  if (value > limit) failures.push(`${name}: ${value.toFixed(1)} ${unit}, above ${limit}`);
}

function quantile(share, values) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];
}
