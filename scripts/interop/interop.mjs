// Drives real clients, frameworks and agent programs against the built program and prints one Markdown table. What a client program
// is given and what it prints is in README.md beside this file.
// `node scripts/interop/interop.mjs [NAME...] [--list] [--limits] [--only SCENARIO] [--folder DIR] [--patience 300]`
import { spawn } from "node:child_process";
import {
  chmodSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findObstacle, installClient, readVersion } from "./install.mjs";
import { questionOf, startModels, toolThatAsks } from "./models.mjs";
import { describeWire, readTap, startRelay } from "./wire-record.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "boolean", default: false },
    limits: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    folder: { type: "string" },
    patience: { type: "string", default: "300" },
  },
});

const program = resolve(import.meta.dirname, "../../dist/duet.js");
const clientsFolder = join(import.meta.dirname, "clients");
const scenarios = [
  "answer",
  "lists",
  "slow",
  "progress",
  "cancel",
  "confirmation",
  ...(values.limits ? ["limit"] : []),
];

/** What runs now, which ends with the runner. */
const running = new Set();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.on("exit", () => running.forEach(endGroup));

/** A client that has not ended by then is ended; slow machines need most of it to load a framework. */
const patienceMs = Number(values.patience) * 1000;

const clients = readdirSync(clientsFolder)
  .filter((name) => existsSync(join(clientsFolder, name, "client.json")))
  .filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
  .map((name) => {
    const folder = join(clientsFolder, name);
    return { name, folder, ...JSON.parse(readFileSync(join(folder, "client.json"), "utf8")) };
  });

async function runAll() {
  if (!existsSync(program)) throw new Error(`${program} is missing: run \`npm run build\` first.`);
  const folder = values.folder ? resolve(values.folder) : mkdtempSync(join(tmpdir(), "duet-interop-"));
  const models = await startModels();
  const rows = [];
  const skipped = [];
  try {
    for (const client of clients) {
      const own = join(folder, client.name);
      const obstacle = findObstacle(client) ?? report(`${client.name}: installing`, () => installClient(client, own));
      if (obstacle) skipped.push({ client, obstacle });
      else
        for (const transport of client.transports ?? ["stdio"])
          rows.push(await runClient(client, own, transport, models));
    }
  } finally {
    models.close();
    if (!values.folder) rmSync(folder, { recursive: true, force: true });
  }
  print(rows, skipped);
}

function report(text, work) {
  console.error(text);
  return work();
}

async function runClient(client, folder, transport, models) {
  const results = {};
  for (const scenario of values.only ?? scenarios) {
    if (client.missing?.[scenario]) continue;
    if (isCovered(client, scenario, results)) {
      results[scenario] = results.answer;
      continue;
    }
    console.error(`${client.name}: ${scenario} (${transport})`);
    results[scenario] = await play(client, folder, transport, scenario, models);
    writeFileSync(join(folder, `${scenario}-${transport}.json`), JSON.stringify(results[scenario], null, 1));
    console.error(
      `  ${cells[scenario](results[scenario])}${results[scenario].error ? ` (${results[scenario].error})` : ""}`,
    );
  }
  return { client, transport, version: readVersion(client, folder), results };
}

/** An agent's run with the outer model shows the tools that it lists and the progress that it asks for as well. */
function isCovered({ outer }, scenario, { answer }) {
  return outer && answer !== undefined && (scenario === "lists" || scenario === "progress");
}

/** Plays one scenario with a fresh Duet, and returns what the client said, the models saw and the tap wrote down. */
async function play(client, folder, transport, scenario, models) {
  const seen = models.begin(scenario);
  const stage = mkdtempSync(join(folder, "stage-"));
  const tap = prepare(stage, models.address, scenario, client.settings);
  const server = transport === "http" ? await serveHttp(tap) : undefined;
  const variables = {
    DUET_QUESTION: questionOf(scenario),
    ...(server
      ? { DUET_URL: server.relay.url }
      : { DUET_NODE: process.execPath, DUET_PROGRAM: tap.launcher, DUET_CONFIG: tap.config }),
    ...{ OPENAI_BASE_URL: `${models.address}/v1`, OPENAI_API_BASE: `${models.address}/v1`, OPENAI_API_KEY: "scripted" },
    ...{ ANTHROPIC_BASE_URL: models.address, ANTHROPIC_API_KEY: "scripted", OUTER_URL: models.address },
    ...{ INTEROP_STARTED: `${models.address}/interop/started`, INTEROP_ENDED: `${models.address}/interop/ended` },
    ...client.env,
  };
  const began = Date.now();
  const told = await runProgram(client, folder, `${scenario}-${transport}`, scenario, tap, variables);
  const tookMs = Date.now() - began;
  await server?.close();
  const wire = describeWire(server ? server.relay.records : readTap(tap.log));
  rmSync(stage, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  return {
    ...readOuter(seen),
    ...told,
    tookMs,
    requests: seen.requests,
    answer: seen.answer,
    closedMs: readClosed(seen),
    wire,
  };
}

/** Writes the configuration of Duet, and the programs `duet` and `npx` that start it behind a tap. */
function prepare(stage, address, scenario, own = {}) {
  const tap = {
    node: process.execPath,
    program,
    config: join(stage, "duet.config.json"),
    log: join(stage, "wire.jsonl"),
  };
  tap.home = join(stage, "home");
  tap.launcher = join(stage, "launch.mjs");
  tap.bin = join(stage, "bin");
  mkdirSync(tap.home);
  mkdirSync(tap.bin);
  const model = { provider: "scripted", model: "scripted" };
  const providers = { scripted: { wire: "openai-chat", baseUrl: `${address}/duet/v1` } };
  const settings = {
    models: { functionCall: model, answer: model },
    providers,
    tools: { ask: [toolThatAsks] },
    locale: "en",
  };
  // Where the client's own limit is measured, Duet has none of its own below it.
  const patient = { agent: { maxExecutionTime: 300 }, serve: { window: 3600 } };
  writeFileSync(tap.config, JSON.stringify({ ...settings, ...own, ...(scenario === "limit" && patient) }));
  const tapModule = JSON.stringify(new URL("tap.mjs", import.meta.url).href);
  writeFileSync(
    tap.launcher,
    `import { startTapped } from ${tapModule};\nstartTapped(${JSON.stringify(tap)}, process.argv.slice(2));\n`,
  );
  const start = `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(tap.launcher)} "$@"`;
  const npx = `if [ "$1" = -y ]; then shift; fi\nif [ "$1" = duet-mcp ]; then shift; ${start}; fi\nPATH="\${PATH#*:}" exec npx "$@"`;
  for (const [name, script] of Object.entries({ duet: start, npx })) {
    writeFileSync(join(tap.bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(tap.bin, name), 0o755);
  }
  return tap;
}

async function serveHttp({ node, config, home }) {
  const port = await findFreePort();
  const args = [program, "serve", "--http", String(port), "--config", config];
  const child = spawn(node, args, { env: { ...process.env, DUET_HOME: home }, stdio: "ignore", detached: true });
  const exited = follow(child);
  while (child.exitCode === null && !(await isServing(port))) await new Promise((done) => setTimeout(done, 100));
  const relay = await startRelay(port);
  const close = async () => {
    relay.close();
    child.kill();
    await exited;
  };
  return { relay, close };
}

function isServing(port) {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function findFreePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Runs a client's program; what it prints on both streams is kept in a file of its folder. */
async function runProgram({ run: [command, ...args] }, folder, logName, scenario, { bin, home }, variables) {
  const path = [bin, join(folder, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const env = { ...process.env, PWD: folder, HOME: home, ...variables, PATH: path };
  const log = createWriteStream(join(folder, `${logName}.log`));
  const child = spawn(command.includes("/") ? resolve(folder, command) : command, [...args, scenario], {
    ...{ cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], detached: true },
  });
  void follow(child);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
    log.write(text);
  });
  child.stderr.on("data", (text) => log.write(text));
  const timer = setTimeout(() => endGroup(child), patienceMs);
  const failure = await new Promise((done) => {
    child.on("error", ({ message }) => done(message));
    child.on("exit", () => endGroup(child));
    child.on("close", (code, signal) => done(signal ? `ended by ${signal}` : code ? `exit code ${code}` : undefined));
  });
  clearTimeout(timer);
  endGroup(child);
  log.end();
  return output.split("\n").map(readLine).findLast(Boolean) ?? { error: failure ?? "printed no line of JSON" };
}

/** Returns what a program printed of its scenario, and undefined for any other line. */
function readLine(text) {
  try {
    const line = JSON.parse(text);
    return typeof line?.scenario === "string" ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves when a child has ended. */
function follow(child) {
  running.add(child);
  return new Promise((done) => {
    child.on("exit", () => {
      running.delete(child);
      done();
    });
  });
}

/** Ends what a client left behind. */
function endGroup({ pid }) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing is left.
  }
}

/** Draws from the outer model's requests what the client's model was given; empty for a bare client. */
function readOuter({ outerRequests }) {
  const withTools = outerRequests.filter(({ tools }) => tools.some((name) => name.endsWith("agent_ask")));
  if (withTools.length === 0) return {};
  const results = outerRequests.findLast(({ results }) => results.length > 0)?.results ?? [];
  const first = withTools.find((request) => request.results.length === 0);
  const second = withTools.find((request) => request.results.length > 0);
  return {
    tools: withTools[0].tools,
    given: results,
    text: results.at(-1) ?? "",
    callMs: first && second && second.at - first.at,
  };
}

function readClosed({ scenario, startedAt, closedAt }) {
  if (scenario !== "cancel" || startedAt === 0) return undefined;
  return closedAt === 0 ? "never" : closedAt - startedAt;
}

/** Renders each cell from a scenario's result. */
const cells = {
  lists: ({ tools = [], wire }) => `${(tools.length ? tools : (wire.tools ?? [])).filter(isOurs).length || "✗"}`,
  answer: renderAnswer,
  slow: ({ requests, text = "", answer, wire }) => {
    const running = wire.statuses.filter((status) => status === "running").length;
    const end = text.includes(answer) ? "complete ✓" : "lost ✗";
    return `${running ? `\`running\` ×${running}, ` : ""}${end}, ${requests} paid`;
  },
  progress: ({ progress, wire }) => {
    if (!wire.asksForProgress) return "not asked for";
    return progress === undefined ? `${wire.progressSent} sent` : `${progress} of ${wire.progressSent}`;
  },
  cancel: ({ closedMs, error }) =>
    typeof closedMs === "number" ? `${closedMs} ms` : `✗ ${closedMs ?? error ?? ""}`.trim(),
  confirmation: ({ text = "", answer, elicited, wire, given = [] }) => {
    const way = elicited || wire.wasElicited ? "dialog" : "token";
    const hasAsked =
      way === "dialog" ||
      wire.statuses.includes("needs_confirmation") ||
      given.some((result) => result.includes("needs the user's approval"));
    return `${hasAsked ? way : "not asked"}, ${text.includes(answer) ? "yes ✓" : "yes ✗"}`;
  },
  limit: ({ callMs, tookMs, error, text = "", answer }) => {
    const isWhole = text.includes(answer);
    return isWhole ? "waits 75 s" : `${((callMs ?? tookMs) / 1000).toFixed(0)} s${error ? " ✗" : ""}`;
  },
};

function isOurs(name) {
  return /agent_(?:ask|result|cancel)$/.test(name);
}

function renderAnswer({ text = "", structured, answer, error }) {
  if (text === "" && error) return `✗ ${error.slice(0, 80).replaceAll("|", "/")}`;
  const object = structured === undefined ? "" : ` + ${JSON.stringify(structured).length} object`;
  return `${text.length}${object} ${text.includes(answer) ? "✓" : "✗"}`;
}

function print(rows, skipped) {
  const notes = [];
  const heads = { lists: "lists", answer: "answer", slow: "12 s answer", limit: "waits" };
  const columns = Object.keys(cells).filter((name) => (values.only ?? scenarios).includes(name));
  const titles = ["client", "version", ...columns.map((name) => heads[name] ?? name), "`tools/list`", "sent as"];
  console.log(`| ${titles.join(" | ")} |\n|${titles.map(() => " --- |").join("")}`);
  for (const { client, transport, version, results } of rows) {
    const played = columns.map((scenario) => {
      const result = results[scenario];
      return result ? cells[scenario](result) : `–${note(notes, client.missing?.[scenario] ?? "")}`;
    });
    const title = (client.transports ?? []).length > 1 ? `${client.title}, ${transport}` : client.title;
    console.log(`| ${[title, version, ...played, ...renderSent(Object.values(results))].join(" | ")} |`);
  }
  console.log(
    `\nCell "answer": characters that the client's model (or caller) got. "✓": the whole answer was in them.`,
  );
  for (const [index, text] of notes.entries()) console.log(`${index + 1}. ${text}`);
  for (const { client, obstacle } of skipped) console.log(`- skipped: ${client.name}: ${obstacle}`);
}

function renderSent(results) {
  const wires = results.map(({ wire }) => wire);
  const { client, protocol, canElicit } = wires.find((wire) => wire.client) ?? {};
  const bytes = wires.map(({ listBytes }) => listBytes).find(Boolean);
  const asks = wires.some(({ asksForProgress }) => asksForProgress);
  const facts = [protocol ?? "?", asks ? "progress" : "no progress", canElicit ? "elicitation" : "no elicitation"];
  return [bytes ? `${bytes} B` : "–", client ? `\`${client.name} ${client.version}\` (${facts.join(", ")})` : "–"];
}

function note(notes, text) {
  if (text === "") return "";
  if (!notes.includes(text)) notes.push(text);
  return ` [${notes.indexOf(text) + 1}]`;
}

if (values.list)
  for (const client of clients) console.log(`${client.name}\t${client.title}\t${findObstacle(client) ?? ""}`);
else await runAll();
