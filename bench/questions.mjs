// What a question costs (one tool round, an answer of 60 chunks) beside the floor in floor/, which is the same loop by hand on undici and
// the MCP client and has nothing around it: in a process of its own, and as `agent_ask` over stdio with progress. Each figure is of a
// fresh process with a store of its own, after a warm-up; the contestants take turns, and the ratio is the median of the ratios of
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
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startModel, timeModel } from "./contestants.mjs";
import { openReport } from "./figures/report.mjs";
import { median, quantile } from "./measure/statistics.mjs";
import { findDockerAgent } from "./questions/docker-agent.mjs";
import { openServer } from "./questions/mcp-server.mjs";

const rounds = Number(process.argv[2] ?? 5);
const [, , , chosen = "", otherDist] = process.argv;
const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const builds = { duet: at("../dist"), ...(otherDist && { other: resolve(otherDist) }) };

/** What is read of a measured contestant, for the figures. */
const read = {
  cpu: ({ cpu }) => cpu,
  p50: ({ times }) => quantile(0.5, times),
  p99: ({ times }) => quantile(0.99, times),
  memory: ({ rss }) => rss,
  beyond: ({ times, modelMs }) => quantile(0.5, times) - modelMs,
};

/** The rows: what is asked, and the figures that come of it (figures/table.mjs). */
const allRows = [
  { title: "in process, C=1", open: openProcess, warm: 60, count: 100, atOnce: 1, figures: { "process-1": "cpu" } },
  { title: "in process, C=10", open: openProcess, warm: 60, count: 200, atOnce: 10, figures: { "process-10": "cpu" } },
  {
    title: "in process, C=100",
    open: openProcess,
    warm: 100,
    count: 300,
    atOnce: 100,
    figures: { "process-100": "cpu" },
  },
  {
    title: "in process, paced, C=50",
    open: openProcess,
    model: "paced",
    warm: 50,
    count: 100,
    atOnce: 50,
    figures: { "process-paced": "cpu" },
  },
  {
    title: "over MCP, C=1",
    open: openOverMcp,
    warm: 60,
    count: 150,
    atOnce: 1,
    figures: { "mcp-1": "cpu", "mcp-p50": "p50" },
  },
  {
    title: "over MCP, C=10",
    open: openOverMcp,
    warm: 60,
    count: 300,
    atOnce: 10,
    figures: { "mcp-10": "cpu", "mcp-p99": "p99", "mcp-memory": "memory" },
  },
  {
    title: "over MCP, paced, C=1",
    open: openOverMcp,
    model: "paced",
    warm: 4,
    count: 10,
    atOnce: 1,
    figures: { "mcp-paced": "beyond", "mcp-paced-cpu": "cpu" },
  },
];
const rows = allRows.filter(({ title }) => title.includes(chosen));
if (rows.length === 0) throw new Error(`no row is called ${chosen}`);
const report = openReport(rows.flatMap(({ figures }) => Object.keys(figures)));

const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
let stores = 0;
/** Returns the environment of a process, with a store of its own. */
const createEnv = () => ({
  ...{ PATH: process.env.PATH, HOME: home, DUET_HOME: join(home, `duet-${++stores}`) },
  ...{ BENCH_KEY: "k", OPENAI_API_KEY: "k" },
});
const models = { atOnce: await startModel(-1), paced: await startModel(5) };
try {
  for (const row of rows) await measure(row);
} finally {
  for (const model of Object.values(models)) model.close();
  await rm(home, { recursive: true, force: true });
}

async function measure({ title, open, model = "atOnce", warm, count, atOnce, figures }) {
  const { url } = models[model];
  const hasDockerAgent = open === openOverMcp && process.env.DUET_BENCH_DOCKER_AGENT !== undefined;
  const names = ["floor", ...Object.keys(builds), ...(hasDockerAgent ? ["docker-agent"] : [])];
  const found = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 ? names : names.toReversed()) {
      const { run, close } = await open(name, url);
      await run({ count: warm, atOnce });
      const measured = await run({ count, atOnce });
      await close();
      found[name].push({ ...measured, modelMs: await timeModel(url) });
    }
  console.log(`\n${title}   load ${loadavg()[0].toFixed(0)}, ${rounds} rounds`);
  const middle = (name, key) => median(found[name].map(read[key]));
  const ratioOf = (name, key) =>
    median(found[name].map((one, round) => read[key](one) / read[key](found.floor[round])));
  for (const name of names) {
    const shown = [
      `cpu ${middle(name, "cpu").toFixed(2).padStart(6)} ms ${ratioOf(name, "cpu").toFixed(2).padStart(5)} x`,
      `p50 ${middle(name, "p50").toFixed(1).padStart(6)} ms`,
      `p99 ${middle(name, "p99").toFixed(1).padStart(6)} ms`,
      // The model's time is that of one caller.
      ...(atOnce === 1 ? [`beyond the model ${middle(name, "beyond").toFixed(1).padStart(6)} ms`] : []),
      `memory ${middle(name, "memory").toFixed(0).padStart(4)} MB`,
    ];
    const { progress } = found[name][0];
    console.log(
      `${name.padEnd(13)} ${shown.join("   ")}${progress === undefined ? "" : `   ${progress.toFixed(1)} messages`}`,
    );
  }
  for (const [key, what] of Object.entries(figures)) report(key, toFigure(what));

  function toFigure(what) {
    const [duet, floor] = [middle("duet", what), middle("floor", what)];
    // What is beyond the model's time may be nothing for the floor.
    const ratio = what === "beyond" ? Number.NaN : ratioOf("duet", what);
    if (!hasDockerAgent) return { duet, floor, ratio };
    const isRatio = what === "cpu" && model === "atOnce";
    return { duet, floor, ratio, dockerAgent: isRatio ? ratioOf("docker-agent", what) : middle("docker-agent", what) };
  }
}

/** Opens a process that asks by itself. */
async function openProcess(name, url) {
  const args = [at("./questions/in-process.mjs"), name === "floor" ? name : builds[name], url];
  const child = spawn(process.execPath, args, { env: createEnv(), cwd: home, stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const readLine = async () => {
    const { value } = await lines.next();
    if (value === undefined) throw new Error(`${name} ended with ${await exited}`);
    return JSON.parse(value);
  };
  await readLine();
  return {
    run(what) {
      child.stdin.write(`${JSON.stringify(what)}\n`);
      return readLine();
    },
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}

/** Opens a server that has the agent as its tool. */
async function openOverMcp(name, url) {
  const env = createEnv();
  const toolServer = at("./tool-server.mjs");
  if (name === "floor")
    return openServer({ command: process.execPath, args: [at("./floor/serve.mjs"), url, toolServer], env });
  if (name === "docker-agent") {
    const { serve, ...agent } = await findDockerAgent({ url, toolServer, home, env });
    return openServer({ ...agent, args: serve });
  }
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
