// Measures the time limits of models (docs/timeouts.md) with the built program and its real defaults, against a provider of
// its own on 127.0.0.1, and prints a table, and another of a paused model over HTTP. The cases begin one after the other and then run
// side by side; it takes about six minutes. `node scripts/timeouts.mjs [part of a case's name, or "paused"]`
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
  async fails(response) {
    response.writeHead(500, { "content-type": "application/json" });
    response.end('{"error":{"message":"boom"}}');
  },
  async answers(response) {
    begin(response);
    response.end(`${chunk({ content: "It rains." })}${chunk({}, "stop")}data: [DONE]\n\n`);
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
    name: "o3 (300 s by its row), run of 400 s",
    play: "silent",
    spec: { model: "o3" },
    run: 400,
    expected: "timeout at 300 s, 1 request",
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

/** The paused model has a path of its own; whether it fails changes from step to step. */
const pausedPath = "paused";
let isFailing = false;

const journal = new Map();
const server = createServer(async (request, response) => {
  const [, at] = /^\/(\w+)\//.exec(request.url) ?? [];
  request.resume();
  const seen = journal.get(at) ?? [];
  const entry = { n: seen.length, began: performance.now(), isOpen: () => !response.destroyed };
  journal.set(at, [...seen, entry]);
  response.on("close", () => {
    entry.ended = performance.now();
    entry.cut = !response.writableFinished;
  });
  const play = at === pausedPath ? (isFailing ? "fails" : "answers") : cases[at].play;
  await plays[play](response, entry).catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", async () => {
  const chosen = cases.map((one, at) => ({ ...one, at })).filter(({ name }) => name.includes(wanted));
  const pausing = pausedPath.includes(wanted) ? measurePause() : [];
  const rows = await Promise.all(chosen.map(measure));
  const head = ["case", "expected", "seen", "after", "requests", "characters", "tokens out", "message"];
  if (rows.length > 0) print(head, rows);
  const steps = await pausing;
  if (steps.length > 0) print(["paused model, over HTTP", "expected", "seen", "after", "requests", "message"], steps);
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
  };
  const limit = run === undefined ? [] : ["--max-execution-time", String(run)];
  const args = [program, "ask", "How is the weather?", "--mode", mode, "--no-search", "--output", "json", ...limit];
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

/** What callers of one server get while a model fails for one question after another, and afterwards. */
async function measurePause() {
  const home = mkdtempSync(join(tmpdir(), "duet-timeouts-"));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    LANG: "en_US.UTF-8",
    OPENAI_API_KEY: "sk-test-1",
    OPENAI_BASE_URL: `http://127.0.0.1:${server.address().port}/${pausedPath}`,
    AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", ...gpt4 }),
  };
  const child = spawn(process.execPath, [program, "serve", "--http", "0", "--no-search"], { cwd: home, env });
  child.stdout.resume();
  const origin = await new Promise((done) => {
    let words = "";
    child.stderr.on("data", (text) => {
      words += text;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(words) ?? [];
      if (found) done(found);
    });
  });
  const rows = [];
  async function step(name, expected, fetching) {
    const before = journal.get(pausedPath)?.length ?? 0;
    const began = performance.now();
    const response = await fetching();
    const { status, error, models } = await response.json();
    const seconds = (performance.now() - began) / 1000;
    const wait = response.headers.get("retry-after");
    const outcome = [status, error?.code].filter(Boolean).join(" / ");
    const seen = [`${response.status} ${outcome}`.trim(), ...(wait === null ? [] : [`Retry-After ${wait}`])].join(", ");
    const requests = (journal.get(pausedPath)?.length ?? 0) - before;
    const message = error?.message ?? (models ? `models.paused: ${JSON.stringify(models.paused ?? [])}` : "");
    rows.push([name, expected, seen, `${seconds.toFixed(1)} s`, String(requests), message]);
  }
  const headers = { "content-type": "application/json" };
  const ask = (n) => () =>
    fetch(`${origin}/agent/chat`, { method: "POST", headers, body: `{"message":"Weather ${n}?","mode":"chat"}` });
  const messages = [{ role: "user", content: "Weather?" }];
  const askOpenAi = () =>
    fetch(`${origin}/v1/chat/completions`, {
      method: "POST",
      headers,
      body: JSON.stringify({ model: "duet-chat", messages }),
    });
  const ready = () => fetch(`${origin}/readyz`);
  isFailing = true;
  await step("a question that fails four times", "failed, 4 requests", ask(0));
  isFailing = false;
  await step("the next question", "complete at once, 1 request", ask(1));
  isFailing = true;
  for (let n = 2; n < 7; n++) await step(`failing question ${n - 1} of five`, "failed, fewer tries by and by", ask(n));
  isFailing = false;
  await step("a question during the pause", "503 at once, no request", ask(7));
  await step("the same at /v1/chat/completions", "503 at once, no request", askOpenAi);
  await step("/readyz during the pause", "503", ready);
  await pause(15_000);
  await step("a question after 15 s", "complete, 1 request", ask(8));
  await step("/readyz after it", "200", ready);
  child.kill("SIGTERM");
  await new Promise((done) => child.on("close", done));
  rmSync(home, { recursive: true, force: true });
  return rows;
}

function print(head, rows) {
  for (const row of [head, head.map(() => "---"), ...rows]) console.log(`| ${row.join(" | ")} |`);
}
