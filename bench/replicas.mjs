// What replicas of one PostgreSQL database cost, on one machine: one process with its file beside one, two and three replicas, which are
// `duet serve --http`. First questions with one tool call and an answer of 60 words, 10 at a time, spread over the replicas: runs per second,
// and for each run the processor time of the replicas and of PostgreSQL, its statements and the bytes of its write-ahead log. Then
// answers that stream side by side, a word every 20 ms, each read from another replica than the one that carries it out: events per second
// (words that were written together are one event), what a word costs, and how long it is on its way from the model to the reader. Then what replicas cost that do nothing. Clients, models and tools are other
// processes and take their part of the machine. PostgreSQL writes to the disk for each commit. Statements are those of pg_stat_statements.
// Fails above the limits, which are counts: they are the same on a busy machine. Needs Linux (`/proc`).
//
//     node bench/replicas.mjs [RUNS=300] [STREAMS=50] [statements]
//
// With `statements` it lists those of the runs of one replica, with how often each was made for a run.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startReplica } from "../scripts/replicas/replica.mjs";
import { postgres, query, startPostgres } from "../test/fakes/postgres.ts";
import { startModel } from "./contestants.mjs";

const [runs = 300, streams = 50] = process.argv.slice(2).map(Number);
const atOnce = 10;
const warmUp = 20;
const words = 100;
const wordMs = 20;
const idleMs = 5000;
const mostRefusals = 20;
const ofThisDatabase = "WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())";
/** Is a tick of the times in `/proc`, in milliseconds. */
const tickMs = 10;
const most = { statements: 60, walKb: 25, statementsPerWord: 1, idleStatements: 15 };

if (!postgres.isMet || process.platform !== "linux") {
  console.log(`replicas: skipped: ${postgres.isMet ? "there is no /proc" : `${postgres.reason}; ${postgres.remedy}`}`);
  process.exit();
}

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const agent = new Agent({ keepAlive: true, maxSockets: 400 });
const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
const failures = [];
let refusals = 0;
const counting = ["shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track=top"];
const server = await startPostgres({ settings: ["fsync=on", ...counting] });
const models = { quick: await startModel(-1), stamped: await startStampedModel() };
const rows = { runs: [], streams: [], idle: [] };
try {
  for (const replicas of [0, 1, 2, 3]) await measure(replicas);
  for (const [title, those] of Object.entries(rows)) print(title, those);
  if (refusals > 0) console.log(`${refusals} questions were refused (503) and asked again`);
} finally {
  agent.destroy();
  for (const model of Object.values(models)) model.close();
  await server.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
if (failures.length > 0) throw new Error(failures.join("; "));

/** Measures so many replicas; without any, one process with its own file. */
async function measure(replicas) {
  const name = replicas === 0 ? "a file, 1 process" : `PostgreSQL, ${replicas} replica${replicas > 1 ? "s" : ""}`;
  const url = replicas === 0 ? undefined : await server.createDatabase();
  // Where the server of a person has no such extension, its statements are not counted.
  if (url !== undefined) await query(url, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements").catch(() => {});
  const asking = await open(`${replicas}-runs`, models.quick.url, url, replicas);
  const count = (more) => describe({ url, pids: asking.map(({ pid }) => pid), ...more });
  await askAll(asking, warmUp * asking.length);
  const counted = await count();
  const { times, seconds } = await askAll(asking, runs);
  const used = (await count()).since(counted);
  if (replicas === 1 && process.argv[4] === "statements") await printStatements(url);
  rows.runs.push({ name, perSecond: runs / seconds, times, used, per: runs });
  const rested = await count();
  await sleep(idleMs);
  rows.idle.push({ name, used: (await count()).since(rested), per: (idleMs / 1000) * asking.length });
  await close(asking);

  const telling = await open(`${replicas}-streams`, models.stamped.url, url, replicas);
  await streamAll(telling, 5 * telling.length);
  const pids = telling.map(({ pid }) => pid);
  const before = await describe({ url, pids });
  const told = await streamAll(telling, streams);
  const spent = (await describe({ url, pids })).since(before);
  rows.streams.push({
    name,
    perSecond: told.events / told.seconds,
    times: told.times,
    used: spent,
    per: streams * words,
  });
  await close(telling);
}

async function open(name, baseUrl, url, replicas) {
  const config = join(home, `${name}.json`);
  const settings = {
    providers: { bench: { wire: "openai-chat", baseUrl, apiKeyEnv: "BENCH_KEY" } },
    models: { functionCall: { provider: "bench", model: "m" } },
    mcpServers: { bench: { command: process.execPath, args: [at("./tool-server.mjs")] } },
    tools: { allow: ["bench__*"] },
    search: { enabled: false },
    serve: { maxRuns: 1000, limits: { maxRuns: 1000 } },
    locale: "en",
    ...(url && { store: { url } }),
  };
  await writeFile(config, JSON.stringify(settings));
  const start = (_, index) =>
    startReplica({
      program: at("../dist/duet.js"),
      config,
      home: join(home, `${name}-${index}`),
      env: { BENCH_KEY: "k" },
    });
  const opened = await Promise.all(Array.from({ length: Math.max(1, replicas) }, start));
  for (const replica of opened) while (!(await replica.isReady())) await sleep(50);
  return opened;
}

async function close(replicas) {
  await Promise.all(replicas.map((replica) => replica.end()));
}

/** Asks so many questions, `atOnce` side by side, each of the next replica. */
async function askAll(replicas, count) {
  const times = [];
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) {
        const index = next++;
        const asked = performance.now();
        const { origin } = replicas[index % replicas.length];
        const text = await ask(origin, { message: `Say hello ${index}.` });
        if (JSON.parse(text).status !== "complete") throw new Error(`not an answer: ${text.slice(0, 500)}`);
        times.push(performance.now() - asked);
      }
    }),
  );
  return { times, seconds: (performance.now() - began) / 1000 };
}

async function printStatements(url) {
  const found = await query(
    url,
    `SELECT calls, query FROM pg_stat_statements ${ofThisDatabase} AND query NOT LIKE '%pg_stat%' ORDER BY calls DESC LIMIT 50`,
  );
  const asked = runs + warmUp;
  for (const { calls, query: text } of found)
    console.log(
      `${(Number(calls) / asked).toFixed(2).padStart(7)}  ${String(text).replace(/\s+/g, " ").slice(0, 150)}`,
    );
}

/** Begins so many runs at once, and reads each on the replica beside the one that carries it out. */
async function streamAll(replicas, count) {
  const times = [];
  let events = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { origin } = replicas[index % replicas.length];
      const reader = replicas[(index + 1) % replicas.length].origin;
      const { run_id: runId } = JSON.parse(await ask(origin, { message: `Say run ${index}.`, wait_s: 0 }));
      let text = "";
      let left = "";
      const response = await send(`${reader}/agent/runs/${runId}`, undefined, "text/event-stream");
      if (response.statusCode !== 200) throw new Error(`no stream: ${response.statusCode} ${await readAll(response)}`);
      response.setEncoding("utf8").on("data", (piece) => {
        const now = process.hrtime.bigint() / 1000n;
        const blocks = (left + piece).split("\n\n");
        left = blocks.pop() ?? "";
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (data === undefined) continue;
          events += 1;
          const event = JSON.parse(data);
          if (event.type !== "answer-delta") continue;
          text += event.text;
          for (const [, sent] of event.text.matchAll(/@(\d+)/g)) times.push(Number(now - BigInt(sent)) / 1000);
        }
      });
      await once(response, "end");
      const got = text.split("; ").length - 1;
      if (got !== words) throw new Error(`run ${index}: ${got} of ${words} words arrived`);
    }),
  );
  return { times, events, seconds: (performance.now() - began) / 1000 };
}

/** Asks again while the database is too slow to be taken for one that answers, as clients do. */
async function ask(origin, body) {
  for (let tries = 0; ; tries++) {
    const response = await send(`${origin}/agent/chat`, body, "application/json");
    const text = await readAll(response);
    if (response.statusCode !== 503 || tries === mostRefusals) return text;
    refusals += 1;
    await sleep(Number(response.headers["retry-after"]) * 1000);
  }
}

function send(url, body, accept) {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = { accept, "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: body === undefined ? "GET" : "POST", agent, headers });
    sent.once("error", reject).once("response", resolve);
    sent.end(text);
  });
}

async function readAll(response) {
  let text = "";
  for await (const piece of response.setEncoding("utf8")) text += piece;
  return text;
}

/** Counts what replicas and database have used until now. */
async function describe({ url, pids }) {
  const replicaMs = pids.reduce((sum, pid) => sum + readTimes(pid).own, 0);
  const databaseMs = server.pid === undefined ? undefined : readDatabaseMs(server.pid);
  const counts = url === undefined ? {} : await readCounts(url);
  const all = { replicaMs, databaseMs: url === undefined ? undefined : databaseMs, ...counts };
  return {
    ...all,
    since: (before) =>
      Object.fromEntries(
        Object.entries(all).map(([key, value]) => [key, value === undefined ? undefined : value - before[key]]),
      ),
  };
}

/** Returns the processor time of a process, and of those of its children that have ended, in milliseconds. */
function readTimes(pid) {
  // The name of the program, in brackets, may have spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
  const [user, system, ended, endedSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) * tickMs);
  return { parent: Number(fields[1]), own: user + system, ofEnded: ended + endedSystem };
}

/** Adds up the processes of a PostgreSQL server. */
function readDatabaseMs(postmaster) {
  const { own, ofEnded } = readTimes(postmaster);
  let sum = own + ofEnded;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const { parent, own: ofChild } = readTimes(name);
      if (parent === postmaster) sum += ofChild;
    } catch {
      // It has ended meanwhile, and counts as an ended one.
    }
  }
  return sum;
}

async function readCounts(url) {
  const [{ wal }] = await query(url, "SELECT pg_current_wal_lsn() - '0/0' AS wal");
  const text = `SELECT sum(calls) AS calls FROM pg_stat_statements ${ofThisDatabase}`;
  const [{ calls }] = await query(url, text).catch(() => [{}]);
  return { walBytes: Number(wal), statements: calls === undefined ? undefined : Number(calls) };
}

async function startStampedModel() {
  const args = [at("./stamped-model-server.mjs"), wordMs, words, 0].map(String);
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [printed] = await once(child.stdout, "data");
  return { url: String(printed).trim(), close: () => child.kill() };
}

function print(title, those) {
  const heads = {
    runs: `${runs} runs, ${atOnce} at a time`,
    streams: `${streams} streams at once, a word every ${wordMs} ms`,
    idle: "nothing to do, for each second and replica",
  };
  const unit = { runs: "run", streams: "word", idle: "s" }[title];
  const counted = title === "runs" ? "runs" : "events";
  console.log(`\n${heads[title]}   (load ${loadavg()[0].toFixed(0)})`);
  for (const { name, perSecond, times, used, per } of those) {
    const { replicaMs, databaseMs, statements, walBytes } = used;
    const figure = (value, digits, what) =>
      value === undefined ? "" : `   ${what} ${(value / per).toFixed(digits).padStart(7)}`;
    const speed =
      times === undefined
        ? ""
        : `   ${perSecond.toFixed(1).padStart(7)} ${counted}/s   p50 ${quantile(0.5, times).toFixed(0).padStart(5)} ms   p95 ${quantile(0.95, times).toFixed(0).padStart(5)} ms`;
    const costs = [
      figure(replicaMs, 2, `ms of Duet per ${unit}`),
      figure(databaseMs, 2, "of PostgreSQL"),
      figure(statements, 2, "statements"),
      figure(walBytes, 0, "bytes of WAL"),
    ];
    console.log(`${name.padEnd(22)}${speed}${costs.join("")}`);
    limit(`${title}, ${name}`, { statements, walBytes, per, title });
  }
}

function limit(name, { statements, walBytes, per, title }) {
  const check = (what, value, highest) => {
    if (value !== undefined && value / per > highest)
      failures.push(`${name}: ${(value / per).toFixed(2)} ${what}, above ${highest}`);
  };
  if (title === "runs") {
    check("statements per run", statements, most.statements);
    check("KB of WAL per run", walBytes && walBytes / 1000, most.walKb);
  }
  if (title === "streams") check("statements per word", statements, most.statementsPerWord);
  if (title === "idle") check("statements per second", statements, most.idleStatements);
}

function quantile(share, values) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];
}
