// What a question costs (one tool round, an answer of 60 chunks) beside the floor in floor/, which is the same loop by hand on undici and
// the MCP client and has nothing around it: in a process of its own, and as `agent_ask` over stdio with progress. Each figure is of a
// fresh process that has answered 60 questions; the contestants take turns, and the ratio is the median of the ratios of
// each turn, so that a machine whose speed drifts slows all. The journal is on disk. Needs Linux (`/proc`).
//
//     node bench/questions.mjs [ROUNDS] [ROWS] [DIST]
//
// ROWS is part of the names of the rows that are measured, DIST the `dist` of another build, which takes its turns with them.
// `DUET_BENCH_DOCKER_AGENT` may name docker-agent's binary.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startModel } from "./contestants.mjs";
import { openServer } from "./questions/mcp-server.mjs";

const rounds = Number(process.argv[2] ?? 5);
const [, , , chosen = "", otherDist] = process.argv;
const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const builds = { duet: at("../dist"), ...(otherDist && { other: otherDist }) };
const dockerAgent = process.env.DUET_BENCH_DOCKER_AGENT;

const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
const env = { PATH: process.env.PATH, HOME: home, DUET_HOME: join(home, "duet"), BENCH_KEY: "k", OPENAI_API_KEY: "k" };
const models = { atOnce: await startModel(-1), paced: await startModel(5) };

/** The rows: what is asked, and the limits of the ratios to the floor, or in milliseconds and MB. */
const rows = [
  { title: "in process, C=1", open: openProcess, warm: 60, count: 100, atOnce: 1, most: { cpu: 1.7 } },
  { title: "in process, C=10", open: openProcess, warm: 60, count: 200, atOnce: 10, most: { cpu: 1.8 } },
  { title: "in process, C=100", open: openProcess, warm: 100, count: 300, atOnce: 100, most: { cpu: 2.3 } },
  {
    title: "in process, paced, C=50",
    open: openProcess,
    model: "paced",
    warm: 50,
    count: 100,
    atOnce: 50,
    most: { cpu: 1.7 },
  },
  { title: "over MCP, C=1", open: openOverMcp, warm: 60, count: 150, atOnce: 1, most: { cpu: 2, p50: 8 } },
  { title: "over MCP, C=10", open: openOverMcp, warm: 60, count: 300, atOnce: 10, most: { cpu: 2, p99: 60, rss: 160 } },
  {
    title: "over MCP, paced, C=1",
    open: openOverMcp,
    model: "paced",
    warm: 4,
    count: 10,
    atOnce: 1,
    most: { cpuMs: 28, more: 6 },
  },
];

try {
  for (const row of rows) if (row.title.includes(chosen)) await measure(row);
} finally {
  for (const model of Object.values(models)) model.close();
  await rm(home, { recursive: true, force: true });
}

async function measure({ title, open, model = "atOnce", warm, count, atOnce, most }) {
  const names = ["floor", ...Object.keys(builds), ...(dockerAgent && open === openOverMcp ? ["docker-agent"] : [])];
  const found = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 ? names : names.toReversed()) {
      const { run, close } = await open(name, models[model].url);
      await run({ count: warm, atOnce });
      found[name].push(await run({ count, atOnce }));
      await close();
    }
  const limits = Object.entries(most).map(([key, limit]) => `${key} ${limit}`);
  console.log(`\n${title}   load ${loadavg()[0].toFixed(0)}, ${rounds} rounds   (at most: ${limits.join(", ")})`);
  for (const name of names) {
    const middle = (read) => median(found[name].map(read));
    const ratio = median(found[name].map(({ cpu }, round) => cpu / found.floor[round].cpu));
    const more = median(
      found[name].map(({ times }, round) => quantile(0.5, times) - quantile(0.5, found.floor[round].times)),
    );
    const figures = [
      `cpu ${middle(({ cpu }) => cpu)
        .toFixed(2)
        .padStart(6)} ms ${ratio.toFixed(2).padStart(5)} x`,
      `p50 ${middle(({ times }) => quantile(0.5, times))
        .toFixed(1)
        .padStart(6)} ms`,
      `p99 ${middle(({ times }) => quantile(0.99, times))
        .toFixed(1)
        .padStart(6)} ms`,
      `beyond the floor ${more.toFixed(1).padStart(6)} ms`,
      `memory ${middle(({ rss }) => rss)
        .toFixed(0)
        .padStart(4)} MB`,
    ];
    const progress =
      found[name][0].progress === undefined ? "" : `   ${middle((one) => one.progress).toFixed(1)} messages`;
    console.log(`${name.padEnd(13)} ${figures.join("   ")}${progress}`);
  }
}

/** Opens a process that asks by itself. */
async function openProcess(name, url) {
  const args = [at("./questions/in-process.mjs"), name === "floor" ? name : builds[name], url];
  const child = spawn(process.execPath, args, { env, cwd: home, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    async run(what) {
      child.stdin.write(`${JSON.stringify(what)}\n`);
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`${name} ended`);
      return JSON.parse(value);
    },
    async close() {
      const exited = once(child, "exit");
      child.stdin.end();
      await exited;
    },
  };
}

/** Opens a server that has the agent as its tool. */
async function openOverMcp(name, url) {
  const toolServer = at("./tool-server.mjs");
  if (name === "floor")
    return openServer({ command: process.execPath, args: [at("./floor/serve.mjs"), url, toolServer], env });
  if (name === "docker-agent") return openServer(await dockerAgentOf(url, toolServer));
  const config = join(home, "duet.config.json");
  const bench = { command: process.execPath, args: [toolServer] };
  const settings = {
    providers: { bench: { wire: "openai-chat", baseUrl: url, apiKeyEnv: "BENCH_KEY" } },
    models: { functionCall: { provider: "bench", model: "m" } },
    mcpServers: { bench },
    tools: { allow: ["bench__*"] },
    locale: "en",
  };
  await writeFile(config, JSON.stringify(settings));
  return openServer({
    command: process.execPath,
    args: [join(builds[name], "duet.js"), "serve", "--config", config],
    env,
  });
}

/** The same agent for docker-agent, whose tool is called `root`. */
async function dockerAgentOf(url, toolServer) {
  const file = join(home, "agent.yaml");
  const lines = [
    "providers:",
    "  bench:",
    "    api_type: openai_chatcompletions",
    `    base_url: ${url}`,
    "    token_key: BENCH_KEY",
    "agents:",
    "  root:",
    "    model: bench/m",
    "    description: Answers questions.",
    "    instruction: You are a helpful assistant. Use the tools when they help.",
    "    toolsets:",
    "      - type: mcp",
    `        command: ${process.execPath}`,
    `        args: [${JSON.stringify(toolServer)}]`,
  ];
  await writeFile(file, `${lines.join("\n")}\n`);
  const args = ["serve", "mcp", file, "--working-dir", home];
  const quiet = { ...env, TELEMETRY_ENABLED: "false" };
  return { command: dockerAgent, args, env: quiet, tool: "root", argument: "message" };
}

function quantile(share, values) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];
}

function median(values) {
  return quantile(0.5, values);
}
