// What `duet serve --http` costs as a model of OpenAI's chat API (`/v1`), beside the floor (floor/http.mjs): the processor time of a
// streamed chunk, ten streams of 2,000 chunks at once, for which the contestants take turns, each in a fresh process; and the memory after
// 10,000 runs, ten at once, each in a conversation of its own, with the journal on disk, which is measured once for each. Needs Linux
// (`/proc`).
//
//     node bench/model-api.mjs [ROUNDS] [RUNS] [DIST]
//
// With fewer RUNS than 10,000 their memory is printed but is not the promised figure. DIST is the `dist` of another build.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startModel } from "./contestants.mjs";
import { listKeys, openReport } from "./figures/report.mjs";
import { readCpu, readMemory, readPeakMemory } from "./measure/process.mjs";
import { median } from "./measure/statistics.mjs";

const rounds = Number(process.argv[2] ?? 5);
const runs = Number(process.argv[3] ?? 10_000);
const [, , , , otherDist] = process.argv;
const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const builds = { duet: at("../dist"), ...(otherDist && { other: resolve(otherDist) }) };
const names = ["floor", ...Object.keys(builds)];
const atOnce = 10;
const chunks = 2000;
const shortChunks = 60;
/** Asked before, one after the other, so that the code that is measured has been compiled. */
const warmUp = 2;

const report = openReport(listKeys("model-api"));
const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
const env = { PATH: process.env.PATH, HOME: home, DUET_HOME: join(home, "duet"), BENCH_KEY: "k" };
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
const models = { long: await startModel(0, chunks), short: await startModel(-1, shortChunks) };
try {
  await measureStreams();
  await measureMemory();
} finally {
  agent.destroy();
  for (const model of Object.values(models)) model.close();
  await rm(home, { recursive: true, force: true });
}

async function measureStreams() {
  const found = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 ? names : names.toReversed()) {
      const { pid, url, close } = await open(name, models.long.url);
      for (let warm = 0; warm < warmUp; warm++) await ask(url, true, chunks);
      const before = readCpu(pid);
      await Promise.all(Array.from({ length: atOnce }, () => ask(url, true, chunks)));
      found[name].push((1000 * (readCpu(pid) - before)) / atOnce / chunks);
      await close();
    }
  const ratioOf = (name) => median(found[name].map((us, round) => us / found.floor[round]));
  console.log(`a streamed chunk, C=${atOnce}   load ${loadavg()[0].toFixed(0)}, ${rounds} rounds`);
  for (const name of names)
    console.log(`${name.padEnd(8)} ${median(found[name]).toFixed(1).padStart(6)} us  ${ratioOf(name).toFixed(2)} x`);
  report("model-api", { duet: median(found.duet), floor: median(found.floor), ratio: ratioOf("duet") });
}

async function measureMemory() {
  const found = {};
  console.log(`\nmemory after ${runs} runs, C=${atOnce}   load ${loadavg()[0].toFixed(0)}`);
  for (const name of names) {
    const { pid, url, close } = await open(name, models.short.url);
    let left = runs;
    const worker = async () => {
      while (left-- > 0) await ask(url, false, shortChunks);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    found[name] = readMemory(pid);
    console.log(
      `${name.padEnd(8)} ${found[name].toFixed(0).padStart(4)} MB   most ${readPeakMemory(pid).toFixed(0)} MB`,
    );
    await close();
  }
  if (runs >= 10_000) report("http-memory", { duet: found.duet, floor: found.floor });
}

/** Starts a server and returns where its API is. */
async function open(name, modelUrl) {
  const toolServer = at("./tool-server.mjs");
  const args = name === "floor" ? [at("./floor/http.mjs"), modelUrl, toolServer] : await serveArguments(name, modelUrl);
  const child = spawn(process.execPath, args, { env, cwd: home, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const told = { text: "" };
  const isReady = new Promise((done) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (piece) => {
        told.text += piece;
        const origin = /http:\/\/[\d.:]+(?=\/)/.exec(told.text)?.[0];
        if (origin) done(`${origin}/v1/chat/completions`);
      });
  });
  const url = await Promise.race([
    isReady,
    exited.then(([code]) => Promise.reject(new Error(`${name} ended with ${code}: ${told.text}`))),
  ]);
  return {
    pid: child.pid,
    url,
    async close() {
      child.kill();
      await exited;
    },
  };
}

async function serveArguments(name, modelUrl) {
  const config = join(home, "duet.config.json");
  const settings = {
    providers: { bench: { wire: "openai-chat", baseUrl: modelUrl, apiKeyEnv: "BENCH_KEY" } },
    models: { functionCall: { provider: "bench", model: "m" } },
    mcpServers: { bench: { command: process.execPath, args: [at("./tool-server.mjs")] } },
    tools: { allow: ["bench__*"] },
    locale: "en",
  };
  await writeFile(config, JSON.stringify(settings));
  return [join(builds[name], "duet.js"), "serve", "--http", "0", "--config", config];
}

/** Asks once and reads the answer of so many chunks to its end, without looking into it until then. */
function ask(url, stream, count) {
  const body = JSON.stringify({ model: "duet-agent", stream, messages: [{ role: "user", content: "Say hello." }] });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((done, reject) => {
    const sent = request(url, { method: "POST", agent, headers });
    sent.once("error", reject).once("response", (response) => {
      const pieces = [];
      response.on("data", (piece) => pieces.push(piece)).once("error", reject);
      response.once("end", () => {
        const text = Buffer.concat(pieces).toString();
        if (response.statusCode === 200 && text.includes(`word${count - 1}`)) done();
        else reject(new Error(`not an answer: ${response.statusCode} ${text.slice(0, 500)}`));
      });
    });
    sent.end(body);
  });
}
