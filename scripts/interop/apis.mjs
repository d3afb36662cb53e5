// Drives real clients of OpenAI's and Anthropic's APIs, and coding agents, against `duet serve --http` of the built program, and prints
// one Markdown table. What a client program is given and what it prints is in README.md beside this file.
// `node scripts/interop/apis.mjs [NAME...] [--list] [--only SCENARIO] [--folder DIR] [--patience 120]`
import { randomBytes } from "node:crypto";
import {
  copyFileSync,
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
import { answerModel, startApiModel, toQuestion } from "./api-model.mjs";
import { scenarios as allScenarios, judge, printApiTable } from "./api-table.mjs";
import { readArguments, readSeconds, requireKnown } from "./arguments.mjs";
import { serveHttp } from "./http-server.mjs";
import { findObstacle, installClient, readVersion } from "./install.mjs";
import { endGroup, startProcess } from "./processes.mjs";

const { values, positionals } = readArguments({
  list: { type: "boolean", default: false },
  only: { type: "string", multiple: true, default: [] },
  folder: { type: "string" },
  patience: { type: "string", default: "120" },
});

const program = resolve(import.meta.dirname, "../../dist/duet.js");
const clientsFolder = join(import.meta.dirname, "api-clients");

requireKnown("scenario", values.only, allScenarios);
const scenarios = values.only.length > 0 ? allScenarios.filter((name) => values.only.includes(name)) : allScenarios;

/** A client or server that has not ended by then is ended. */
const patienceMs = readSeconds("--patience", values.patience);

const clientNames = readdirSync(clientsFolder).filter((name) => existsSync(join(clientsFolder, name, "client.json")));
requireKnown("client", positionals, clientNames, (name, part) => name.includes(part));
const clients = clientNames
  .filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
  .map((name) => {
    const folder = join(clientsFolder, name);
    return { name, folder, ...JSON.parse(readFileSync(join(folder, "client.json"), "utf8")) };
  });

/** A picture of 16 by 16 pixels, which every client and vendor takes. */
const picture = join(import.meta.dirname, "shared", "picture.png");

async function runAll() {
  if (!existsSync(program)) throw new Error(`${program} is missing: run \`npm run build\` first.`);
  const folder = values.folder ? resolve(values.folder) : mkdtempSync(join(tmpdir(), "duet-apis-"));
  const model = await startApiModel();
  const rows = [];
  const skipped = [];
  try {
    for (const client of clients) {
      const own = join(folder, client.name);
      console.error(`${client.name}: installing`);
      const obstacle = findObstacle(client) ?? installClient(client, own);
      if (obstacle) skipped.push({ client, obstacle });
      else for (const row of client.rows ?? [{}]) rows.push(await runRow({ ...client, ...row }, own, model));
    }
  } finally {
    model.close();
    if (!values.folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  printApiTable({ rows, skipped, names: scenarios });
  const cells = rows.flatMap(({ results }) => Object.values(results).map(({ cell }) => cell));
  if (cells.some((cell) => cell !== "ok")) process.exitCode = 1;
}

async function runRow(row, folder, model) {
  const results = {};
  for (const scenario of scenarios) {
    if (row.missing?.[scenario]) continue;
    console.error(`${row.title}: ${scenario}`);
    const result = await play(row, folder, scenario, model);
    results[scenario] = { ...result, cell: judge(scenario, result) };
    console.error(`  ${results[scenario].cell}`);
  }
  return { title: row.title, missing: row.missing, version: readVersion(row, folder), results };
}

/** Plays one scenario with a fresh Duet and a fresh folder for the client to work in. */
async function play(row, folder, scenario, model) {
  const own = mkdtempSync(join(tmpdir(), "duet-api-"));
  const secret = `SECRET-${randomBytes(4).toString("hex")}`;
  const work = join(own, "work");
  const given = JSON.stringify({ tools: weatherCall, ...row.calls });
  const calls = JSON.parse(given.replaceAll("{DUET_WORK}", work).replaceAll("{DUET_SECRET}", secret));
  const seen = model.begin({ scenario, secret, calls });
  const home = join(own, "home");
  for (const each of [work, home, join(own, "duet")]) mkdirSync(each);
  writeFileSync(join(work, "secret.txt"), `${secret}\n`);
  copyFileSync(picture, join(work, "picture.png"));
  let server;
  try {
    server = await serveHttp(configure(own, model.address), patienceMs);
    const { origin, exchanges } = server.relay;
    const variables = {
      ...{ OPENAI_BASE_URL: `${origin}/v1`, OPENAI_API_KEY: "none", DUET_ORIGIN: origin },
      ...{ ANTHROPIC_BASE_URL: origin, ANTHROPIC_AUTH_TOKEN: "none" },
      ...{ INTEROP_STARTED: `${model.address}/interop/started`, INTEROP_ENDED: `${model.address}/interop/ended` },
      ...{
        DUET_MODEL: row.model ?? "duet-agent",
        DUET_QUESTION: toQuestion(scenario),
        DUET_SECRET: secret,
        DUET_PICTURE: picture,
      },
      ...{ DUET_WORK: work, DUET_SCENARIO_FOLDER: own },
      ...row.env,
    };
    const printed = await runProgram(row, folder, scenario, { home, work, variables });
    const told = exchanges.map(describeExchange);
    writeFileSync(
      join(folder, `${toFileName(row.title)}-${scenario}.json`),
      JSON.stringify({ printed, exchanges, seen }, null, 1),
    );
    return {
      ...printed,
      secret,
      exchanges: told,
      requests: seen.requests,
      startedAt: seen.startedAt,
      closedAt: seen.closedAt,
    };
  } catch (error) {
    return { secret, error: error.message, exchanges: [], requests: [], startedAt: 0, closedAt: 0 };
  } finally {
    await server?.close();
    rmSync(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const weatherCall = [{ name: "get_weather", args: { city: "Paris" } }];

const toFileName = (title) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "");

function configure(folder, address) {
  const capabilities = { vision: true };
  const models = {
    functionCall: { provider: "scripted", model: "scripted-decisions", capabilities },
    answer: { provider: "scripted", model: answerModel, capabilities },
  };
  const providers = { scripted: { wire: "openai-chat", baseUrl: `${address}/v1` } };
  const config = join(folder, "duet.config.json");
  writeFileSync(config, JSON.stringify({ models, providers, locale: "en" }));
  return { node: process.execPath, program, config, home: join(folder, "duet"), serverLog: join(folder, "serve.log") };
}

/** Says whether the question was asked in an exchange, and whether with tools. */
function describeExchange({ method, path, status, runId, asked }) {
  const isRun = method === "POST" && asked.includes("What is 6 times 7?") && !path.endsWith("/count_tokens");
  return {
    path,
    status,
    runId,
    isRun,
    isStream: /"stream":\s*true/.test(asked),
    ofTools: /"tools":\s*\[\s*\{/.test(asked),
  };
}

/** Runs a client's program; what it prints on both streams is kept in a file of its folder. */
async function runProgram({ title, run: [command, ...args], rowArgs = [] }, folder, scenario, { home, variables }) {
  const path = [join(folder, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const env = { ...process.env, PWD: folder, HOME: home, ...variables, PATH: path };
  const log = createWriteStream(join(folder, `${toFileName(title)}-${scenario}.log`));
  const { child } = startProcess(
    command.includes("/") ? resolve(folder, command) : command,
    [...args, ...rowArgs, scenario],
    {
      ...{ cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] },
    },
  );
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
    log.write(text);
  });
  child.stderr.on("data", (text) => log.write(text));
  let failure;
  const timer = setTimeout(() => {
    failure = `not done after ${patienceMs / 1000} s`;
    endGroup(child);
  }, patienceMs);
  const ended = await new Promise((done) => {
    child.on("error", ({ message }) => done(message));
    child.on("exit", () => endGroup(child));
    child.on("close", (code, signal) => done(signal ? `ended by ${signal}` : code ? `exit code ${code}` : undefined));
  });
  clearTimeout(timer);
  log.end();
  return output.split("\n").map(readLine).findLast(Boolean) ?? { error: failure ?? ended ?? "printed no line of JSON" };
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

if (values.list)
  for (const client of clients) console.log(`${client.name}\t${client.title}\t${findObstacle(client) ?? ""}`);
else await runAll();
