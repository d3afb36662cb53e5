// Records what the page of each host shows: `duet install HOST`, what the host says of its servers, and one question in it. The host's
// own model is scripted: it calls `agent_ask` once, and then writes what it has read. Duet has no model, so its rules answer.
// Needs `npm run build`, npm and the network.
// `node scripts/interop/transcripts.mjs [HOST...] [--folder DIR]`
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { readArguments, requireKnown } from "./arguments.mjs";
import { listHostCommands } from "./host-commands.mjs";
import { installClient, readVersion } from "./install.mjs";
import { readBridge } from "./models.mjs";

const program = resolve(import.meta.dirname, "../../dist/duet.js");
const target = resolve(import.meta.dirname, "../host-pages/transcripts");
const commandMs = 240_000;
const offline = { provider: "offline", model: "rules" };
/** Matches lines that say something of the temporary folder, or of the scripted model, and nothing of the host. */
const noise =
  /^(?:WARNING: proceeding|warning: Model metadata for `scripted`|Reading additional input from stdin).*\n/gm;
const question = "Ask Duet: what is the average of [1,2,3,4,5]?";

const { values, positionals } = readArguments({ folder: { type: "string" } });
const wires = await Promise.all(
  readdirSync(join(import.meta.dirname, "wires")).map((file) => import(`./wires/${file}`)),
);
const model = await startModel();
const rows = listHostCommands(model.address, question);
requireKnown("host", positionals, Object.keys(rows));
const folder = values.folder ? resolve(values.folder) : mkdtempSync(join(tmpdir(), "duet-transcripts-"));
try {
  for (const [host, row] of Object.entries(rows))
    if (positionals.length === 0 || positionals.includes(host)) await record(host, row);
} finally {
  model.close();
  if (!values.folder) rmSync(folder, { recursive: true, force: true });
}

async function record(host, row) {
  const place = join(folder, host);
  mkdirSync(join(place, "empty"), { recursive: true });
  const failure = installClient({ folder: join(place, "empty"), npm: [row.package] }, place);
  if (failure) return reportFailure(host, failure);
  const home = mkdtempSync(join(place, "home-"));
  const project = join(home, "project");
  mkdirSync(project);
  for (const [path, content] of Object.entries(row.files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  }
  const inherited = { PATH: process.env.PATH, HOME: home, LANG: "en_US.UTF-8", NO_COLOR: "1", CI: "1" };
  const env = { ...inherited, ...row.env };
  const bin = join(place, "node_modules", ".bin", row.bin);
  const options = { cwd: project, env };
  const installed = await run(process.execPath, [program, "install", host, "--yes"], options);
  // A host may hand on the variables that lead it to its scripted model.
  writeFileSync(join(home, ".config/duet/config.json"), JSON.stringify({ models: { functionCall: offline } }));
  const shown = [
    ["duet", ["install", host, "--yes"], installed],
    [row.shownAs, row.list, row.list && (await run(bin, row.list, options))],
    [row.shownAs, row.shown, await run(bin, row.ask, options)],
  ];
  // A page shows no question that was not answered.
  if (!shown.at(-1)?.[2].includes("Duet says:")) return reportFailure(host, shown.at(-1)?.[2].trim());
  const version = readVersion({ version: { npm: row.package.replace(/(?<=.)@[^@/]*$/, "") } }, place);
  const lines = shown.flatMap(([command, args, output]) => (args ? [`$ ${toLine(command, args)}`, output.trim()] : []));
  const text = [`# ${row.title} ${version}, ${new Date().toISOString().slice(0, 10)}`, ...lines].join("\n");
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, `${host}.txt`), `${hidePlaces(text, home, place)}\n`);
  console.log(`${host}: ${version}`);
}

function reportFailure(host, reason) {
  console.error(`${host}: ${reason}`);
  process.exitCode = 1;
}

function toLine(command, args) {
  return [command, ...args.map((part) => (/[ []/.test(part) ? `"${part}"` : part))].join(" ");
}

/** Takes this machine's folders out. */
function hidePlaces(text, home, place) {
  return text
    .replaceAll(noise, "")
    .replaceAll(home, "/home/me")
    .replaceAll(place, "/opt")
    .replaceAll(process.execPath, "/usr/bin/node")
    .replaceAll(program, "/usr/lib/node_modules/duet-mcp/dist/duet.js")
    .replaceAll(homedir(), "/home/me")
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n");
}

/** Runs a command to its end and returns all that it printed. Does not reject. */
function run(command, args, options) {
  return new Promise((done) => {
    const all = { timeout: commandMs, maxBuffer: 10_000_000, ...options };
    const child = execFile(command, args, all, (_error, out, err) => done(stripVTControlCharacters(`${err}${out}`)));
    child.stdin?.end();
  });
}

/** Calls `agent_ask` once, where need be after having found it, and then writes what it has read. */
function decide(tools, [read]) {
  if (read !== undefined) return { text: `Duet says: ${read}` };
  const args = { question: "what is the average of [1,2,3,4,5]?" };
  const ask = tools.find(({ name }) => name.endsWith("agent_ask"));
  if (ask?.bridge) return { call: { name: ask.bridge, args: { name: ask.name, arguments: args } } };
  if (ask) return { call: { ...ask, args } };
  const search = tools.find(({ name }) => name.endsWith("tool_search"));
  return search ? { call: { ...search, args: { query: "agent_ask" } } } : { text: "A task" };
}

/** Starts the host's model. */
async function startModel() {
  let calls = 0;
  const server = createServer(async (request, response) => {
    response.on("error", () => {});
    let text = "";
    for await (const piece of request) text += piece;
    const body = text === "" ? {} : JSON.parse(text);
    const wire = text === "" ? undefined : wires.find((candidate) => candidate.matches(request.url));
    if (wire === undefined) {
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model" }] }));
    }
    const { tools, results } = readBridge(wire.readTools(body, request.url), wire.readResults(body, request.url));
    wire.write(response, body, decide(tools, results), `call-${++calls}`, request.url);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address: `http://127.0.0.1:${server.address().port}`, close };
}
