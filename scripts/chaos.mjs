// Kills the built program again and again while it carries out runs, over HTTP and over stdio, and fails where something is lost or done
// twice: node scripts/chaos.mjs [SECONDS=3600] [EVERY=10]. Whether it is, is judged from a file that the tool itself writes.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [seconds = 3600, every = 10] = process.argv.slice(2).map(Number);
const sideBySide = 3;
const callsPerRun = 3;
const until = Date.now() + seconds * 1000;

const folder = mkdtempSync(join(tmpdir(), "duet-chaos-"));
const log = join(folder, "calls.log");
writeFileSync(log, "");
const model = await startModel();
const config = writeConfig();
const problems = [];
/** Holds the calls that succeeded, as the outcomes say. */
const succeeded = [];
const counts = { runs: 0, kills: 0, unknown: 0, restarts: 0, comebacks: 0 };

const http = createProgram(["serve", "--http", "0", "--config", config], "http");
const stdio = createProgram(["serve", "--config", config], "stdio");
try {
  const clients = Array.from({ length: sideBySide }, (_, index) => askOverHttp(index));
  await Promise.all([...clients, askOverStdio(), killFromTimeToTime()]);
  checkLog();
} finally {
  http.end();
  stdio.end();
  model.server.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(JSON.stringify(counts));
if (problems.length > 0) throw new Error(problems.join("\n"));

/** Answers as a model of the OpenAI chat wire: three calls, one after the other, and an answer in pieces. */
async function startModel() {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { messages } = JSON.parse(body);
    const question = messages.findLast(({ role }) => role === "user")?.content ?? "";
    const name = /chaos-[\w-]+/.exec(question)?.[0] ?? "none";
    const results = messages.filter(({ role }) => role === "tool");
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (delta, finish = null) =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
    if (results.length < callsPerRun) {
      const args = JSON.stringify({ id: `${name}.${results.length}` });
      send({ tool_calls: [{ index: 0, id: `call_${results.length}`, function: { name: "work", arguments: args } }] });
      send({}, "tool_calls");
    } else {
      for (const word of `All of ${name} is known, as far as anybody can tell. `.repeat(8).split(/(?<= )/)) {
        send({ content: word });
        await sleep(10);
      }
      send({}, "stop");
    }
    response.end("data: [DONE]\n\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}/v1` };
}

function writeConfig() {
  mkdirSync(join(folder, "tools"));
  writeFileSync(
    join(folder, "tools", "work.mjs"),
    `import { appendFileSync } from "node:fs";
export default {
  name: "work",
  description: "Works.",
  inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  async run({ id }) {
    appendFileSync(${JSON.stringify(log)}, "begin " + id + "\\n");
    await new Promise((resolve) => setTimeout(resolve, 400));
    appendFileSync(${JSON.stringify(log)}, "end " + id + "\\n");
    return "The work on " + id + " is done, and it took a while.";
  },
};\n`,
  );
  const file = join(folder, "duet.config.json");
  const functionCall = { provider: "openai", model: "one", baseUrl: model.url, wire: "openai-chat" };
  const settings = {
    models: { functionCall },
    tools: { directory: "./tools" },
    locale: "en",
    agent: { maxToolCalls: 10 },
  };
  writeFileSync(file, JSON.stringify(settings));
  return file;
}

/** Starts the program, and starts it again when it was killed. */
function createProgram(args, kind) {
  const env = { ...process.env, DUET_HOME: join(folder, "home"), OPENAI_API_KEY: "sk-chaos-0000000000" };
  let child;
  let ready = Promise.withResolvers();
  let isOver = false;
  function start() {
    ready = Promise.withResolvers();
    child = spawn(process.execPath, ["dist/duet.js", ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.on("error", () => {});
    child.once("close", () => !isOver && start());
    if (kind === "stdio") ready.resolve(child);
    createInterface({ input: child.stderr }).on("line", (line) => {
      const origin = /(http:\/\/\S+)\/mcp/.exec(line)?.[1];
      if (origin) ready.resolve(origin);
    });
    child.stdout.on("error", () => {});
    if (kind === "http") child.stdout.resume();
  }
  start();
  return {
    ready: () => ready.promise,
    kill: () => child.kill("SIGKILL"),
    end() {
      isOver = true;
      child.kill("SIGKILL");
    },
  };
}

async function killFromTimeToTime() {
  while (Date.now() < until) {
    await sleep(every * 1000 * (0.5 + Math.random()));
    for (const program of [http, stdio]) {
      counts.kills += 1;
      program.kill();
    }
  }
}

async function askOverHttp(client) {
  for (let n = 0; Date.now() < until; n++) {
    const name = `chaos-http-${client}-${n}`;
    const run = { last: 0, answer: "", outcome: undefined };
    for (let tries = 0; run.outcome === undefined && tries < 60; tries++) {
      if (tries > 0) counts.comebacks += 1;
      await readEvents(name, run).catch(() => sleep(200));
    }
    checkEnd(name, run.outcome);
    if (run.outcome && run.answer !== run.outcome.response) problems.push(`${name}: the events do not give the answer`);
  }
}

async function readEvents(name, run) {
  const origin = await http.ready();
  const headers = { "content-type": "application/json", accept: "text/event-stream", "idempotency-key": name };
  const response = await fetch(`${origin}/agent/chat`, {
    method: "POST",
    headers: run.last > 0 ? { ...headers, "last-event-id": String(run.last) } : headers,
    body: JSON.stringify({ message: `Do the work of ${name}.` }),
  });
  if (!response.ok) {
    if (response.status < 500) problems.push(`${name}: ${response.status} ${await response.text()}`);
    throw new Error(`status ${response.status}`);
  }
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) takeFrame(name, run, frame);
  }
}

function takeFrame(name, run, frame) {
  const id = /^id: (\d+)$/m.exec(frame)?.[1];
  const data = /^data: ([^\n]*)$/m.exec(frame)?.[1];
  if (data === undefined) return;
  const event = JSON.parse(data);
  if (id !== undefined && Number(id) !== run.last + 1) problems.push(`${name}: event ${id} came after ${run.last}`);
  if (id !== undefined) run.last = Number(id);
  if (event.type === "answer-delta") run.answer += event.text;
  if (event.type === "answer-restart") {
    counts.restarts += 1;
    run.answer = "";
  }
  if (event.type === "run-end") {
    run.outcome = event.outcome;
    // Of a run that ended before its reader came back only the end is left.
    if (id === undefined) run.answer = event.outcome.response;
  }
}

/** Asks as a host does that starts its server again when that has ended, and then asks the same. */
async function askOverStdio() {
  for (let n = 0; Date.now() < until; n++) {
    const name = `chaos-stdio-${n}`;
    let outcome;
    for (let tries = 0; outcome === undefined && tries < 60; tries++)
      outcome = await callAgent(await stdio.ready(), `Do the work of ${name}.`).catch(() => undefined);
    checkEnd(name, outcome);
  }
}

async function callAgent(child, question) {
  const closed = new Promise((_, reject) => child.once("close", () => reject(new Error("the server has ended"))));
  closed.catch(() => {});
  const lines = createInterface({ input: child.stdout });
  const waiting = new Map();
  lines.on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message.result);
  });
  const write = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params) => {
    const id = Math.floor(Math.random() * 1e9);
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    write({ id, method, params });
    return Promise.race([answered, closed]);
  };
  try {
    const clientInfo = { name: "chaos", version: "1" };
    await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    write({ method: "notifications/initialized" });
    for (;;) {
      const args = { name: "agent_ask", arguments: { question, wait_s: 60 } };
      const { structuredContent } = await request("tools/call", args);
      if (structuredContent?.status !== "running") return structuredContent;
    }
  } finally {
    lines.close();
  }
}

function checkEnd(name, outcome) {
  counts.runs += 1;
  if (outcome?.status !== "complete")
    problems.push(`${name}: ended as ${outcome?.status}: ${JSON.stringify(outcome?.error)}`);
  const calls = outcome?.tool_calls ?? [];
  if (calls.length !== callsPerRun) problems.push(`${name}: has ${calls.length} calls`);
  // Over MCP a call is told without its arguments.
  for (const { ok, arguments: args } of calls) if (ok && args) succeeded.push(args.id);
  if (outcome?.notices?.some(({ code }) => code === "not-resumable")) problems.push(`${name}: was not recorded`);
}

/** No call is begun twice, and each that a run takes for done has ended. */
function checkLog() {
  const begun = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("begin "));
  const ended = new Set(
    readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("end "))
      .map((line) => line.slice(4)),
  );
  const twice = begun.filter((line, index) => begun.indexOf(line) !== index);
  if (twice.length > 0) problems.push(`begun twice: ${[...new Set(twice)].join(", ")}`);
  const lost = succeeded.filter((id) => !ended.has(id));
  if (lost.length > 0) problems.push(`not done: ${lost.join(", ")}`);
  counts.unknown = counts.runs * callsPerRun - ended.size;
  counts.begun = begun.length;
}
