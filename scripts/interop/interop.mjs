// Drives real clients, frameworks and agent programs against the built program and prints one Markdown table. What a client program
// is given and what it prints is in README.md beside this file.
// `node scripts/interop/interop.mjs [NAME...] [--list] [--limits] [--only SCENARIO] [--transport http] [--folder DIR] [--patience 300]`
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
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { readArguments, readSeconds, requireKnown } from "./arguments.mjs";
import { serveHttp } from "./http-server.mjs";
import { findObstacle, installClient, readVersion, writePage } from "./install.mjs";
import { startModels, toolWithConsent, toQuestion } from "./models.mjs";
import { endGroup, startProcess } from "./processes.mjs";
import { cells, printTable } from "./table.mjs";
import { describeWire, readTap } from "./wire-record.mjs";

const { values, positionals } = readArguments({
  list: { type: "boolean", default: false },
  limits: { type: "boolean", default: false },
  only: { type: "string", multiple: true, default: [] },
  transport: { type: "string", multiple: true, default: ["stdio", "http"] },
  folder: { type: "string" },
  patience: { type: "string", default: "300" },
});

const program = resolve(import.meta.dirname, "../../dist/duet.js");
const clientsFolder = join(import.meta.dirname, "clients");

/** The scenario `limit` takes more than a minute, so it has to be asked for. */
const usualScenarios = ["answer", "lists", "slow", "progress", "cancel", "confirmation"];
const allScenarios = [...usualScenarios, "limit"];
requireKnown("scenario", values.only, allScenarios);
requireKnown("transport", values.transport, ["stdio", "http"]);
const scenarios = values.only.length > 0 ? values.only : values.limits ? allScenarios : usualScenarios;

/** A client or server that has not ended by then is ended; slow machines need most of it to load a framework. */
const patienceMs = readSeconds("--patience", values.patience);

const clientNames = readdirSync(clientsFolder).filter((name) => existsSync(join(clientsFolder, name, "client.json")));
requireKnown("client", positionals, clientNames, (name, part) => name.includes(part));
const clients = clientNames
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
  const failed = [];
  try {
    for (const client of clients) {
      const own = join(folder, client.name);
      const obstacle = findObstacle(client) ?? report(`${client.name}: installing`, () => installClient(client, own));
      if (obstacle) skipped.push({ client, obstacle });
      else
        for (const transport of (client.transports ?? ["stdio"]).filter((each) => values.transport.includes(each)))
          await runClient(client, own, transport, models).then(
            (row) => rows.push(row),
            (error) => failed.push({ client, transport, error }),
          );
    }
  } finally {
    models.close();
    if (!values.folder) rmSync(folder, { recursive: true, force: true });
  }
  printTable({ rows, skipped, failed, scenarios });
  for (const { error } of failed) console.error(error);
  if (failed.length > 0) process.exitCode = 1;
}

function report(text, work) {
  console.error(text);
  return work();
}

async function runClient(client, folder, transport, models) {
  const results = {};
  writePage(client, folder, transport);
  for (const scenario of scenarios) {
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

/** Plays one scenario with a fresh Duet, whose files are in a folder of the scenario. */
async function play(client, folder, transport, scenario, models) {
  const scenarioFolder = mkdtempSync(join(folder, "scenario-"));
  const tap = prepare(scenarioFolder, models.address, scenario, client.settings);
  try {
    return await runScenario(client, folder, transport, scenario, models, tap);
  } finally {
    rmSync(scenarioFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Returns what the client said, the models saw and the tap wrote down. */
async function runScenario(client, folder, transport, scenario, models, tap) {
  const seen = models.begin(scenario);
  const server = transport === "http" ? await serveHttp(tap, patienceMs) : undefined;
  const variables = {
    DUET_QUESTION: toQuestion(scenario),
    ...(server
      ? { DUET_URL: server.relay.url }
      : { DUET_NODE: process.execPath, DUET_PROGRAM: tap.launcher, DUET_CONFIG: tap.config }),
    ...{ OPENAI_BASE_URL: `${models.address}/v1`, OPENAI_API_BASE: `${models.address}/v1`, OPENAI_API_KEY: "scripted" },
    ...{ ANTHROPIC_BASE_URL: models.address, ANTHROPIC_API_KEY: "scripted", OUTER_URL: models.address },
    ...{ INTEROP_STARTED: `${models.address}/interop/started`, INTEROP_ENDED: `${models.address}/interop/ended` },
    ...client.env,
  };
  const began = Date.now();
  const printed = await runProgram(client, folder, `${scenario}-${transport}`, scenario, tap, variables);
  const tookMs = Date.now() - began;
  await server?.close();
  return {
    ...readOuter(seen),
    ...printed,
    tookMs,
    requests: seen.requests,
    answer: seen.answer,
    closedMs: readClosed(seen),
    wire: describeWire(server ? server.relay.records : readTap(tap.log)),
  };
}

/** Writes the configuration of Duet, and the programs `duet` and `npx` that start it behind a tap. */
function prepare(scenarioFolder, address, scenario, own = {}) {
  const tap = {
    node: process.execPath,
    program,
    config: join(scenarioFolder, "duet.config.json"),
    log: join(scenarioFolder, "wire.jsonl"),
    serverLog: join(scenarioFolder, "serve.log"),
  };
  tap.home = join(scenarioFolder, "home");
  tap.launcher = join(scenarioFolder, "launch.mjs");
  tap.bin = join(scenarioFolder, "bin");
  mkdirSync(tap.home);
  mkdirSync(tap.bin);
  const model = { provider: "scripted", model: "scripted" };
  const providers = { scripted: { wire: "openai-chat", baseUrl: `${address}/duet/v1` } };
  const settings = {
    models: { functionCall: model, answer: model },
    providers,
    tools: { ask: [toolWithConsent] },
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

/** Runs a client's program; what it prints on both streams is kept in a file of its folder. */
async function runProgram({ run: [command, ...args] }, folder, logName, scenario, { bin, home }, variables) {
  const path = [bin, join(folder, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const env = { ...process.env, PWD: folder, HOME: home, ...variables, PATH: path };
  const log = createWriteStream(join(folder, `${logName}.log`));
  const { child } = startProcess(command.includes("/") ? resolve(folder, command) : command, [...args, scenario], {
    ...{ cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] },
  });
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

if (values.list)
  for (const client of clients) console.log(`${client.name}\t${client.title}\t${findObstacle(client) ?? ""}`);
else await runAll();
