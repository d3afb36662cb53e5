// Measures how long `duet serve` over stdio takes to end: the host closes stdin, is killed, SIGTERM, SIGINT; each while nothing goes on,
// while the host reads nothing, during a run whose model never answers, with a server below that ignores every polite word (and a
// child of its own that does so too), with a collector of spans that never answers, and with all of that at once. Prints a table;
// `own max` leaves out the time for which the program waited for a processor, which on a busy machine is most of it (Linux).
// Run `npm run build` first. `node scripts/exit-times.mjs [--runs 5] [--case NAME] [--way NAME]`
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "5" }, case: { type: "string" }, way: { type: "string" } },
});
const program = fileURLToPath(new URL("../dist/duet.js", import.meta.url));
/** Longer than any limit: a process that still lives then is counted as one that hangs. */
const patienceMs = 15_000;
/** What is left of servers is looked for so long after the process has ended. */
const survivorsMs = 1500;

const ways = { "stdin closed": "eof", "host killed": "killed", SIGTERM: "SIGTERM", SIGINT: "SIGINT" };
const cases = {
  idle: {},
  "host reads nothing": { readsNothing: true },
  "run with a hanging model": { hangingModel: true },
  "stubborn server below": { stubbornServer: true },
  "silent collector": { silentCollector: true },
  "all at once": { readsNothing: true, hangingModel: true, stubbornServer: true, silentCollector: true },
};

const silent = createServer(() => {});
silent.listen(0, "127.0.0.1");
await once(silent, "listening");
const silentUrl = `http://127.0.0.1:${silent.address().port}`;

const stubborn = `
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
process.on("SIGTERM", () => {});
setInterval(() => {}, 1000);
const child = spawn("/bin/sh", ["-c", "trap '' TERM; while :; do sleep 1; done"], { stdio: "ignore" });
writeFileSync(process.argv[1], JSON.stringify([process.pid, child.pid]));
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "stubborn", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "wait", inputSchema: { type: "object" } }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = answers[method];
  if (id === undefined) return;
  const body = answer ? { result: answer(params) } : { error: { code: -32601, message: "no" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...body }) + "\\n");
});
`;

/** Starts the program as a host does, passes on what both say, and leaves the program's id in a file. */
const host = `
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
const [file, ...args] = process.argv.slice(1);
const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
writeFileSync(file, JSON.stringify([child.pid]));
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
`;

const rows = [["", "", "min", "median", "max", "own max", "exit", "survivors"]];
for (const [name, situation] of Object.entries(cases)) {
  if (values.case !== undefined && values.case !== name) continue;
  for (const [way, how] of Object.entries(ways)) {
    if (values.way !== undefined && values.way !== way) continue;
    const ends = [];
    for (let n = 0; n < Number(values.runs); n++) ends.push(await measure(situation, how));
    const times = ends.map(({ ms }) => ms).sort((a, b) => a - b);
    const codes = [...new Set(ends.map(({ code }) => code))].join(" ");
    const survivors = ends.reduce((sum, end) => sum + end.survivors, 0);
    const [median] = times.slice(Math.floor(times.length / 2));
    const own = Math.max(...ends.map(({ ms, waitedMs }) => ms - waitedMs));
    const shown = [times[0], median, times.at(-1), own].map((ms) => `${Math.round(ms)} ms`);
    rows.push([name, way, ...shown, codes, survivors]);
  }
}
silent.closeAllConnections();
silent.close();
const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
for (const row of rows)
  console.log(
    row
      .map((cell, column) => String(cell).padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );

async function measure({ readsNothing, hangingModel, stubbornServer, silentCollector }, how) {
  const home = await mkdtemp(join(tmpdir(), "duet-exit-"));
  const pids = join(home, "pids");
  const model = hangingModel
    ? { provider: "openai", model: "silent", baseUrl: silentUrl }
    : { provider: "offline", model: "rules" };
  const server = { command: process.execPath, args: ["--input-type=module", "-e", stubborn, pids] };
  const config = join(home, "duet.config.json");
  await writeFile(
    config,
    JSON.stringify({ models: { functionCall: model }, mcpServers: stubbornServer ? { stubborn: server } : {} }),
  );
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, OPENAI_API_KEY: "sk-none", OLLAMA_BASE_URL: "http://127.0.0.1:9/v1" },
    ...(silentCollector ? { OTEL_EXPORTER_OTLP_ENDPOINT: silentUrl } : {}),
  };
  const own = join(home, "own-pid");
  const args = [program, "serve", "--config", config];
  const hosted = ["--input-type=module", "-e", host, own, ...args];
  const child = spawn(process.execPath, how === "killed" ? hosted : args, { cwd: home, env });
  const ended = once(child, "exit");
  child.stderr.resume();
  child.stdin.on("error", () => {});
  const answers = createInterface({ input: child.stdout });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answered = (wanted) =>
    new Promise((resolve) => answers.on("line", (line) => JSON.parse(line).id === wanted && resolve()));
  const clientInfo = { name: "exit-times", version: "1" };
  const ask = (id, question) =>
    send({ id, method: "tools/call", params: { name: "agent_ask", arguments: { question } } });
  send({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
  await answered(0);
  send({ method: "notifications/initialized" });
  if (stubbornServer) while ((await pidsIn(pids)).length === 0) await pause(20);
  if (silentCollector && !hangingModel) {
    const done = answered(1);
    ask(1, "echo hello");
    await done;
  }
  if (hangingModel) {
    const asked = once(silent, "request");
    ask(2, "Are you there?");
    await asked;
  }
  if (readsNothing) {
    answers.close();
    child.stdout.pause();
    for (let id = 100; id < 300; id++) send({ id, method: "tools/list" });
    // Until its answers fill what the pipe takes, in any case.
    await pause(1000);
  }
  const [pid] = how === "killed" ? await pidsIn(own) : [child.pid];
  const waits = followWaits(pid);
  const began = performance.now();
  if (how === "eof") child.stdin.end();
  else child.kill(how === "killed" ? "SIGKILL" : how);
  // Nobody learns the exit code of a program whose host is gone.
  const [code] = await Promise.race([how === "killed" ? deathOf(pid) : ended, pause(patienceMs, ["HANGS"])]);
  const ms = performance.now() - began;
  const waitedMs = waits.stop();
  if (code === "HANGS") process.kill(pid, "SIGKILL");
  const survivors = await countSurvivors(await pidsIn(pids));
  await rm(home, { recursive: true, force: true });
  return { ms, waitedMs, code, survivors };
}

async function pidsIn(file) {
  return JSON.parse(await readFile(file, "utf8").catch(() => "[]"));
}

async function deathOf(pid) {
  const until = performance.now() + patienceMs;
  while (isAlive(pid) && performance.now() < until) await pause(2);
  return [isAlive(pid) ? "HANGS" : "-"];
}

/** Follows how long the main thread of a process waits for a processor from now on, until it is gone. */
function followWaits(pid) {
  const began = readWaitMs(pid) ?? 0;
  let last = began;
  const timer = setInterval(() => {
    last = readWaitMs(pid) ?? last;
  }, 5);
  return {
    stop() {
      clearInterval(timer);
      return (readWaitMs(pid) ?? last) - began;
    },
  };
}

function readWaitMs(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return undefined;
  }
}

async function countSurvivors(pids) {
  const until = performance.now() + survivorsMs;
  for (;;) {
    const alive = pids.filter(isAlive);
    if (alive.length === 0 || performance.now() > until) return alive.length;
    await pause(50);
  }
}

/** The dead whom nobody has looked at yet are dead. */
function isAlive(pid) {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
