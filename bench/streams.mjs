// What event streams of `duet serve --http` cost: 100 runs at once, each read by two clients, of a model that says a word every
// 30 ms. Each word carries the time when it left the model, so that each event tells how long it was on its way; what the same
// words take to somebody who reads the model directly, and in this process, is told beside it. No event may be missing, doubled or
// another run's; what is kept in memory of a round is little, and gone a minute later; and clients that read nothing of a flood are
// cut off. Memory is asked for over the debugger's port, after a collection. Fails above the limits.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDuet } from "../dist/index.js";

// A conversation and the end of its run stay, as they are kept in memory here.
const most = { overheadMs: 50, keptOfRound: 15, growth: 25, atWork: 450, mixedUp: 0, slowReaders: 400 };
const runs = 100;
const words = 100;
const pauseMs = 30;
const rounds = Number(process.argv[2] ?? 3);
const floodBytes = 30_000_000;
const slowReaders = 20;
/** Readers are cut off, and the events of runs that have ended are let go, after a minute. */
const minuteMs = 66_000;

const failures = [];
const agent = new Agent({ keepAlive: true, maxSockets: 400 });
const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
process.env.BENCH_KEY = "k";
const model = spawn(
  process.execPath,
  [fileURLToPath(new URL("./stamped-model-server.mjs", import.meta.url)), pauseMs, words, floodBytes].map(String),
  { stdio: ["ignore", "pipe", "inherit"] },
);
const [printed] = await once(model.stdout, "data");
const baseUrl = String(printed).trim();
const config = {
  providers: { paced: { wire: "openai-chat", baseUrl, apiKeyEnv: "BENCH_KEY" } },
  models: { functionCall: { provider: "paced", model: "m" } },
  search: { enabled: false },
  conversations: { store: "memory" },
  serve: { maxRuns: 300, limits: { maxRuns: 300 } },
  locale: "en",
};
const servers = [];
let memory;
try {
  const file = join(home, "duet.config.json");
  await writeFile(file, JSON.stringify(config));
  const served = await serve(["serve", "--http", "0", "--config", file]);
  memory = await openMemory(served.debuggerUrl);
  const kept = await streams(served);
  // What the flood leaves behind is not to be weighed with the rest.
  await slow(await serve(["serve", "--http", "0", "--config", file]));
  check("kept a minute later", (await memory.kept()) - kept, most.growth, "MB");
} finally {
  memory?.close();
  agent.destroy();
  for (const child of servers) child.kill();
  model.kill();
  await rm(home, { recursive: true, force: true });
}
if (failures.length > 0) throw new Error(failures.join("; "));

async function streams({ origin, pid }) {
  const duet = await createDuet({ models: config.models, config });
  const ways = {
    direct: (id, reader) => readModel(id, reader),
    "in process": async (id, reader) => {
      for await (const event of duet.stream(`Say run ${id}.`))
        if (event.type === "answer-delta") reader.take(event.text);
    },
    HTTP: (id, reader, other) => readTwice(origin, id, reader, other),
  };
  const found = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  const kept = [];
  let peak = 0;
  let mixedUp = 0;
  for (let round = -1; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const watch = setInterval(async () => {
        peak = Math.max(peak, await memoryOf(pid));
      }, 100);
      const readers = await Promise.all(
        Array.from({ length: runs }, async (_, index) => {
          const id = (round + 2) * 1000 + index;
          const pair = [createReader(id), createReader(id)];
          await way(id, ...pair);
          return name === "HTTP" ? pair : pair.slice(0, 1);
        }),
      );
      clearInterval(watch);
      for (const reader of readers.flat()) {
        if (!reader.isWhole()) mixedUp += 1;
        if (round >= 0) found[name].push(...reader.times);
      }
    }
    kept.push(await memory.kept());
  }
  await duet.close();
  for (const [name, times] of Object.entries(found))
    console.log(
      `${name.padEnd(12)} p50 ${quantile(0.5, times).toFixed(1).padStart(6)} ms   p99 ${quantile(0.99, times).toFixed(1).padStart(6)} ms   ${times.length} words`,
    );
  const beyond = (share) => quantile(share, found.HTTP) - quantile(share, found["in process"]);
  check("HTTP adds to an event, p99", beyond(0.99), most.overheadMs, "ms", `   p50 ${beyond(0.5).toFixed(1)}`);
  check("streams not whole", mixedUp, most.mixedUp, "");
  check("memory at work", peak, most.atWork, "MB");
  const [first = 0] = kept;
  const shown = kept.map((each) => each.toFixed(0)).join(" ");
  check("kept of a round", ((kept.at(-1) ?? 0) - first) / rounds, most.keptOfRound, "MB", `   ${shown}`);
  return first;
}

/** Reads the words of one run: when each arrived, and whether all of them did, once and in order. */
function createReader(id) {
  const from = process.hrtime.bigint() / 1000n;
  const times = [];
  let text = "";
  let next = 0;
  let isRight = true;
  let since = from;
  return {
    times,
    /** What left before now was late for another reason. */
    joins() {
      since = process.hrtime.bigint() / 1000n;
    },
    take(piece) {
      text += piece;
      for (;;) {
        const at = text.indexOf("; ");
        if (at < 0) return;
        const [, run, index, left] = /^(\d+)\.(\d+)@(\d+)$/.exec(text.slice(0, at)) ?? [];
        text = text.slice(at + 2);
        if (Number(run) !== id || Number(index) !== next) isRight = false;
        next += 1;
        const micros = BigInt(left ?? 0);
        if (micros > since) times.push(Number(process.hrtime.bigint() / 1000n - micros) / 1000);
      }
    },
    fails() {
      isRight = false;
    },
    isWhole: () => isRight && next === words && text === "",
  };
}

async function readModel(id, reader) {
  const body = { model: "m", stream: true, messages: [{ role: "user", content: `Say run ${id}.` }] };
  const response = await send(`${baseUrl}/chat/completions`, "POST", body);
  await eachBlock(response, (block) => {
    if (block === "data: [DONE]") return;
    const { choices } = JSON.parse(block.slice(6));
    reader.take(choices[0]?.delta.content ?? "");
  });
}

/** One client begins the run and reads it, another one joins as soon as it is known. */
async function readTwice(origin, id, reader, other) {
  const response = await send(`${origin}/agent/chat`, "POST", { message: `Say run ${id}.` });
  const place = response.headers.location;
  if (response.statusCode !== 200 || !place) throw new Error(`not a stream: ${response.statusCode}`);
  other.joins();
  const joined = send(`${origin}${place}`, "GET");
  await Promise.all([readEvents(response, reader), joined.then((second) => readEvents(second, other))]);
}

async function readEvents(response, reader) {
  let next = 1;
  let isOver = false;
  await eachBlock(response, (block) => {
    const event = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s, 2)));
    if (event.data === undefined) return;
    if (Number(event.id) !== next) reader.fails();
    next += 1;
    const { type, text } = JSON.parse(event.data);
    if (type === "answer-delta") reader.take(text);
    isOver = type === "run-end";
  });
  if (!isOver) reader.fails();
}

async function eachBlock(response, take) {
  let left = "";
  response.setEncoding("utf8").on("data", (piece) => {
    const blocks = (left + piece).split("\n\n");
    left = blocks.pop() ?? "";
    for (const block of blocks) take(block);
  });
  await once(response, "end");
}

function send(url, method, body) {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = { accept: "text/event-stream", "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { ...headers, "content-length": Buffer.byteLength(text) } });
    sent.once("error", reject).once("response", resolve);
    sent.end(text);
  });
}

/** One run whose model says more than anybody holds for a client, and clients that read nothing of it. */
async function slow({ origin, pid }) {
  const { hostname, port, host } = new URL(origin);
  const before = await memoryOf(pid);
  const text = JSON.stringify({ message: "Flood." });
  const head = `host: ${host}\r\naccept: text/event-stream\r\n`;
  const first = connect(port, hostname);
  first.write(
    `POST /agent/chat HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  );
  const [began] = await once(first, "data");
  first.pause();
  const place = /location: (\S+)/i.exec(String(began))?.[1];
  if (!place) throw new Error(`no run: ${began}`);
  const sockets = [first];
  for (let index = 0; index < slowReaders; index++) {
    const socket = connect(port, hostname);
    socket.write(`GET ${place} HTTP/1.1\r\n${head}\r\n`);
    sockets.push(socket.pause());
  }
  let peak = 0;
  const until = performance.now() + minuteMs;
  while (performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    peak = Math.max(peak, await memoryOf(pid));
  }
  const taken = await Promise.all(sockets.map(drain));
  check("memory with slow readers", peak - before, most.slowReaders, "MB");
  check("slow readers served whole", taken.filter((bytes) => bytes > floodBytes).length, 0, "");
  console.log(
    `${sockets.length} were given at most ${(Math.max(...taken) / 1e6).toFixed(1)} MB of ${(floodBytes / 1e6).toFixed(0)} MB`,
  );
}

/** What is still there for a reader that begins to read at last. */
async function drain(socket) {
  let bytes = 0;
  socket.on("data", (piece) => {
    bytes += piece.length;
  });
  socket.on("error", () => {});
  const late = setTimeout(() => socket.destroy(), 5000);
  socket.resume();
  await once(socket, "close");
  clearTimeout(late);
  return bytes;
}

/** What is left in use after a collection, in MB, as the process's own debugger knows it. */
async function openMemory(url) {
  const socket = new WebSocket(url);
  await once(socket, "open");
  let id = 0;
  async function call(method, params = {}) {
    id += 1;
    const wanted = id;
    socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [{ data }] = await once(socket, "message");
      const answer = JSON.parse(data);
      if (answer.id === wanted) return answer.result;
    }
  }
  return {
    async kept() {
      await call("HeapProfiler.collectGarbage");
      const expression = "(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())";
      const { result } = await call("Runtime.evaluate", { expression });
      return result.value / 1024 / 1024;
    },
    close: () => socket.close(),
  };
}

async function memoryOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** Begins a server with a debugger's port; gives where both are. */
async function serve(args) {
  const program = fileURLToPath(new URL("../dist/duet.js", import.meta.url));
  const env = { PATH: process.env.PATH, HOME: home, BENCH_KEY: "k" };
  const child = spawn(process.execPath, ["--inspect=127.0.0.1:0", ...process.execArgv, program, ...args], {
    env,
    cwd: home,
    stdio: ["pipe", "pipe", "pipe"],
  });
  servers.push(child);
  let told = "";
  for await (const piece of child.stderr.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    told += piece;
    const origin = /(http:\S+)\/mcp/.exec(told)?.[1];
    const debuggerUrl = /ws:\S+/.exec(told)?.[0];
    if (origin && debuggerUrl) {
      child.stderr.resume();
      return { pid: child.pid, origin, debuggerUrl };
    }
  }
  throw new Error(`no address: ${told}`);
}

function check(name, value, limit, unit, more = "") {
  console.log(`${name.padEnd(28)} ${value.toFixed(1).padStart(7)} ${unit}   (at most ${limit})${more}`);
  if (value > limit) failures.push(`${name}: ${value.toFixed(1)} ${unit}, above ${limit}`);
}

function quantile(share, values) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];
}
