// Start-up, as whole processes: `duet serve` until it has answered `initialize`, beside `node -e 0`; and a first question, over MCP until
// it is answered, by `duet ask` until the first text of its answer, beside the floor (`floor/`: a loop by hand on undici and the MCP client). The model
// answers at once and asks for one tool call; the tool server is one on the MCP SDK. All take turns, so that a machine whose speed drifts
// slows all; prints medians, and the median of the ratios of one turn. `node bench/startup.mjs [turns] [NAME=DIST ...]` measures further
// builds beside.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startModel } from "./contestants.mjs";
import { listKeys, openReport } from "./figures/report.mjs";
import { readCpu, readMemory } from "./measure/process.mjs";
import { median } from "./measure/statistics.mjs";
import { findDockerAgent } from "./questions/docker-agent.mjs";

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const turns = Number(process.argv[2] ?? 20);
const builds = { duet: at("../dist"), ...Object.fromEntries(process.argv.slice(3).map((word) => word.split("="))) };
const toolServer = at("./floor/tool-server.mjs");
const report = openReport(listKeys("startup"));
const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
const model = await startModel();
const file = join(home, "asked.json");
await writeFile(
  file,
  JSON.stringify({
    providers: { bench: { wire: "openai-chat", baseUrl: model.url, apiKeyEnv: "BENCH_KEY" } },
    models: { functionCall: { provider: "bench", model: "m" } },
    mcpServers: { bench: { command: process.execPath, args: [toolServer] } },
    tools: { allow: ["bench__*"] },
    locale: "en",
  }),
);
/** There are no other keys, no configuration and no local model: what a first start finds. */
const env = { PATH: process.env.PATH, HOME: home, TMPDIR: process.env.TMPDIR, BENCH_KEY: "k" };
const initialize = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "0" } },
};
const call = {
  id: 2,
  method: "tools/call",
  params: { name: "agent_ask", arguments: { question: "Say hello." }, _meta: { progressToken: 1 } },
};
const answered = "word0";
const dockerAgent = await findDockerAgent({ url: model.url, toolServer, home, env });

/** What is measured: the first contestant of a row is what the others are compared with; and the figures that come of it. */
const rows = {
  "initialize is answered": {
    figures: { initialize: "ms" },
    bare: () => end(["-e", 'process.on("exit", () => process._rawDebug(JSON.stringify(process.cpuUsage())))']),
    ...eachBuild((dist) => () => serve([join(dist, "duet.js"), "serve"], [initialize])),
  },
  "first answer over MCP": {
    figures: { "cold-mcp": "ms", "cold-mcp-cpu": "cpu" },
    floor: () => serve([at("./floor/serve.mjs"), model.url, toolServer], [initialize, call]),
    ...eachBuild((dist) => () => serve([join(dist, "duet.js"), "serve", "--config", file], [initialize, call])),
    ...(dockerAgent && {
      "docker-agent": () => serve(dockerAgent.serve, [initialize, callDockerAgent()], dockerAgent),
    }),
  },
  "first text of `duet ask`": {
    figures: { "cold-ask": "ms" },
    floor: () => ask([at("./floor/ask.mjs"), model.url, toolServer, "Say hello."]),
    ...eachBuild((dist) => () => ask([join(dist, "duet.js"), "ask", "--config", file, "Say hello."])),
    ...(dockerAgent && { "docker-agent": () => ask([...dockerAgent.ask, "Say hello."], dockerAgent) }),
  },
};

function eachBuild(make) {
  return Object.fromEntries(Object.entries(builds).map(([name, dist]) => [name, make(resolve(dist))]));
}

function callDockerAgent() {
  const { tool, argument } = dockerAgent;
  return { ...call, params: { ...call.params, name: tool, arguments: { [argument]: "Say hello." } } };
}

/** Runs to the end, where it tells its processor time. */
async function end(args) {
  const began = performance.now();
  const child = start(args, "ignore");
  await once(child, "exit");
  const ms = performance.now() - began;
  if (child.stderr.readableEnded === false) await once(child.stderr, "end");
  const { user, system } = JSON.parse(child.said);
  return { ms, cpu: (user + system) / 1000 };
}

/** Sends the messages, each when the one before is answered, until the last is. */
async function serve(args, messages, program) {
  const began = performance.now();
  const child = start(args, "pipe", program);
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const waiting = [...messages];
  send(waiting[0]);
  await readUntil(child, createInterface({ input: child.stdout }), "line", (line) => {
    const { id, method } = JSON.parse(line);
    const [current] = waiting;
    // A result that follows progress waits for the answer to a ping.
    if (method !== undefined && id !== undefined) send({ id, result: {} });
    if (current === undefined) return true;
    if (method !== undefined || id !== current.id) return false;
    if (current.method === "tools/call" && !line.includes(answered)) throw new Error(`not the answer: ${line}`);
    waiting.shift();
    if (waiting.length === 0) return true;
    send({ method: "notifications/initialized" });
    send(waiting[0]);
    return false;
  });
  return finish(child, began);
}

async function ask(args, program) {
  const began = performance.now();
  const child = start(args, "ignore", program);
  let text = "";
  await readUntil(child, child.stdout, "data", (data) => {
    text += data;
    return text.includes(answered);
  });
  return finish(child, began);
}

/** Starts Node, or another program with its own environment. */
function start(args, stdin, program = { command: process.execPath, env }) {
  const child = spawn(program.command, args, { env: program.env, cwd: home, stdio: [stdin, "pipe", "pipe"] });
  child.said = "";
  child.stderr.on("data", (data) => {
    child.said += data;
  });
  return child;
}

function readUntil(child, source, event, isEnough) {
  return new Promise((resolve, reject) => {
    source.on(event, (data) => {
      if (isEnough(data)) resolve();
    });
    child.once("exit", (code) => reject(new Error(`ended with ${code}: ${child.said.slice(-1000)}`)));
  });
}

/** Measures again where the process had ended before its memory was read, as a busy machine can be late to do. */
async function measureAlive(run) {
  for (let left = 5; left > 0; left--) {
    const measured = await run();
    if (measured !== undefined) return measured;
  }
  throw new Error("the process ended five times before its memory was read");
}

/** Reads what a process has used, and ends it. Returns undefined where it has ended by itself. */
async function finish(child, began) {
  const ms = performance.now() - began;
  const used = readUsed(child.pid);
  child.kill();
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return used && { ms, ...used };
}

function readUsed(pid) {
  try {
    // The memory is read last: a process that has ended has threads, but no memory.
    return { cpu: readCpu(pid), rss: readMemory(pid) };
  } catch {
    return undefined;
  }
}

try {
  for (const [title, { figures: reported, ...contestants }] of Object.entries(rows)) {
    const figures = new Map(Object.keys(contestants).map((name) => [name, []]));
    // The first turn fills the compile cache, as any second start finds it.
    for (let turn = -1; turn < turns; turn++) {
      const order = Object.entries(contestants);
      for (const [name, run] of turn % 2 ? order : order.toReversed()) {
        const measured = await measureAlive(run);
        if (turn >= 0) figures.get(name).push(measured);
      }
    }
    print(title, figures);
    for (const [key, what] of Object.entries(reported)) report(key, toFigure(figures, what));
  }
} finally {
  model.close();
  await rm(home, { recursive: true, force: true });
}

/** Compares with the first contestant. */
function toFigure(figures, what) {
  const [base] = figures.values();
  const read = (name) => figures.get(name)?.map((one) => one[what]);
  const ratioOf = (name) => read(name) && median(read(name).map((value, turn) => value / base[turn][what]));
  return {
    duet: median(read("duet")),
    floor: median(base.map((one) => one[what])),
    ratio: ratioOf("duet"),
    dockerAgent: ratioOf("docker-agent"),
  };
}

function print(title, figures) {
  console.log(`${title}; median of ${turns}`);
  const [base] = figures.values();
  for (const [name, all] of figures) {
    const shown = ["ms", "cpu", "rss"].map((key) => {
      const unit = { ms: "ms", cpu: "ms CPU", rss: "MB" }[key];
      if (all[0][key] === undefined) return "";
      const value = `${median(all.map((one) => one[key]))
        .toFixed(0)
        .padStart(6)} ${unit}`;
      if (all === base || base[0][key] === undefined) return value;
      return `${value} (${median(all.map((one, index) => one[key] / base[index][key])).toFixed(2)} x)`;
    });
    console.log(`  ${name.padEnd(12)}${shown.join("  ")}`);
  }
}
