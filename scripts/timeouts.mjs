// Measures the time limits of models (docs/timeouts.md) with the built program and its real defaults, against a provider of
// its own on 127.0.0.1, and prints a table. The cases begin one after the other and then run side by side; it takes about six minutes.
// `node scripts/timeouts.mjs [part of a case's name]`
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const program = resolve(import.meta.dirname, "../dist/duet.js");
const wanted = process.argv[2] ?? "";

const chunk = (delta, finish = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** What the provider does, by the case's name. `entry.n` counts the requests of a case, from 0. */
const plays = {
  async silent() {},
  async headersOnly(response) {
    begin(response);
  },
  async pings(response, { isOpen }) {
    begin(response);
    while (isOpen()) {
      response.write(": keep-alive\n\n");
      response.write(chunk({ role: "assistant", content: "" }));
      await pause(2000);
    }
  },
  async stall(response) {
    begin(response);
    response.write(chunk({ content: "It rains in Bergen." }));
  },
  async pingedPause(response, { isOpen }) {
    begin(response);
    response.write(chunk({ content: "It rains" }));
    for (let beat = 0; beat < 10 && isOpen(); beat++) {
      await pause(8000);
      response.write(": keep-alive\n\n");
    }
    response.end(`${chunk({ content: " in Bergen." })}${chunk({}, "stop")}data: [DONE]\n\n`);
  },
  async steady(response, { isOpen }) {
    begin(response);
    for (let word = 0; word < 1450 && isOpen(); word++) {
      response.write(chunk({ content: `w${word} ` }));
      await pause(100);
    }
    response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
  },
  async limited(response) {
    response.writeHead(429, { "content-type": "application/json", "retry-after": "55" });
    response.end('{"error":{"message":"slow down"}}');
  },
  async limitedThenSilent(response, { n }) {
    if (n > 0) return;
    response.writeHead(429, { "content-type": "application/json", "retry-after": "10" });
    response.end('{"error":{"message":"slow down"}}');
  },
  async failsThenSilent(response, { n }) {
    if (n > 0) return;
    response.writeHead(500, { "content-type": "application/json" });
    response.end('{"error":{"message":"boom"}}');
  },
};

function begin(response) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

const gpt4 = { model: "gpt-4" };
/** `run` is the run's limit in seconds; the default of 60 where it is absent. */
const cases = [
  { name: "silent, run of 60 s", play: "silent", spec: gpt4, expected: "timeout at 30 s, 1 request" },
  { name: "silent, run of 300 s", play: "silent", spec: gpt4, run: 300, expected: "timeout at 30 s, 1 request" },
  { name: "headers only", play: "headersOnly", spec: gpt4, run: 300, expected: "timeout at 30 s, 1 request" },
  { name: "pings and empty deltas only", play: "pings", spec: gpt4, run: 300, expected: "timeout at 30 s, 1 request" },
  { name: "silent, agent mode", play: "silent", spec: gpt4, mode: "agent", expected: "timeout at 30 s, 1 request" },
  { name: "timeout: 45", play: "silent", spec: { ...gpt4, timeout: 45 }, run: 300, expected: "timeout at 45 s" },
  {
    name: "o3 (300 s by its row), run of 300 s",
    play: "silent",
    spec: { model: "o3" },
    run: 300,
    expected: "run's end at 300 s",
  },
  { name: "o3, run of 60 s", play: "silent", spec: { model: "o3" }, expected: "run's end at 60 s" },
  { name: "stalls after text", play: "stall", spec: gpt4, run: 300, expected: "partial at 60 s" },
  { name: "pings for 80 s within an answer", play: "pingedPause", spec: gpt4, run: 300, expected: "complete at 80 s" },
  { name: "steady stream of 145 s", play: "steady", spec: gpt4, run: 300, expected: "complete at 145 s" },
  {
    name: "steady stream of 145 s, agent mode",
    play: "steady",
    spec: gpt4,
    run: 300,
    mode: "agent",
    expected: "complete at 145 s",
  },
  { name: "steady stream, run of 60 s", play: "steady", spec: gpt4, expected: "partial at 60 s" },
  { name: "Retry-After 55, run of 30 s", play: "limited", spec: gpt4, run: 30, expected: "rate_limit at once" },
  {
    name: "Retry-After 10, then silent, run of 30 s",
    play: "limitedThenSilent",
    spec: gpt4,
    run: 30,
    expected: "rate_limit at 30 s",
  },
  { name: "500, then silent, run of 60 s", play: "failsThenSilent", spec: gpt4, expected: "server at 31 s" },
];

const journal = new Map();
const server = createServer(async (request, response) => {
  const [, at] = /^\/(\d+)\//.exec(request.url) ?? [];
  request.resume();
  const seen = journal.get(at) ?? [];
  const entry = { n: seen.length, began: performance.now(), isOpen: () => !response.destroyed };
  journal.set(at, [...seen, entry]);
  response.on("close", () => {
    entry.ended = performance.now();
    entry.cut = !response.writableFinished;
  });
  await plays[cases[at].play](response, entry).catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", async () => {
  const chosen = cases.map((one, at) => ({ ...one, at })).filter(({ name }) => name.includes(wanted));
  const rows = await Promise.all(chosen.map(measure));
  print(["case", "expected", "seen", "after", "requests", "characters", "tokens out", "message"], rows);
  server.closeAllConnections();
  server.close();
});

/** The starts of programs would take each other's time, in milliseconds. */
const startMs = 4000;

async function measure({ name, expected, spec, run, mode = "chat", at }, position) {
  await pause(position * startMs);
  const home = mkdtempSync(join(tmpdir(), "duet-timeouts-"));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    LANG: "en_US.UTF-8",
    OPENAI_API_KEY: "sk-test-1",
    OPENAI_BASE_URL: `http://127.0.0.1:${server.address().port}/${at}`,
    AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", ...spec }),
    ...(run === undefined ? {} : { AGENT_MAX_EXECUTION_TIME: String(run) }),
  };
  const args = [program, "ask", "How is the weather?", "--mode", mode, "--no-search", "--output", "json"];
  const child = spawn(process.execPath, args, { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let words = "";
  child.stderr.on("data", (text) => {
    words += text;
  });
  child.stdout.on("data", (text) => {
    out += text;
  });
  await new Promise((done) => child.on("close", done));
  const ended = performance.now();
  const requests = journal.get(String(at)) ?? [];
  // The program's own start is not the model's time.
  const seconds = (ended - (requests[0]?.began ?? ended)) / 1000;
  rmSync(home, { recursive: true, force: true });
  if (out === "") return [name, expected, "no outcome", "", "", "", "", words.trim()];
  const { status, stop_reason, response, error, meta } = JSON.parse(out);
  return [
    name,
    expected,
    [status, stop_reason, error?.code].filter(Boolean).join(" / "),
    `${seconds.toFixed(1)} s`,
    String(requests.length),
    String(response.length),
    String(meta.models.answer.output_tokens + meta.models.function_call.output_tokens),
    error?.message ?? "",
  ];
}

function print(head, rows) {
  for (const row of [head, head.map(() => "---"), ...rows]) console.log(`| ${row.join(" | ")} |`);
}
