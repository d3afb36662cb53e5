// Plays a scenario with an agent program: enters Duet in its settings by `duet install`, runs the program once with the question, and
// interrupts it in the scenario `cancel`. What its model was given is seen by the runner. A folder `home` of the client is put into
// HOME first.
// `node agent-program.mjs HOST COMMAND [ARGUMENT...] SCENARIO`; `{NAME}` in an argument, or in a variable of client.json, stands
// for the variable NAME.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [host, command, ...rest] = process.argv.slice(2);
const scenario = rest.pop();
const { DUET_NODE, DUET_PROGRAM, HOME, INTEROP_STARTED, INTEROP_ENDED } = process.env;

const fill = (text) => text.replaceAll(/\{([A-Z_]+)\}/g, (whole, name) => process.env[name] ?? whole);
const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, fill(value)]));

/** Enters Duet as its users do; then the entry starts the tap. */
function enterDuet() {
  if (existsSync("home")) cpSync("home", HOME, { recursive: true });
  // The tap closes its output when it ends, for all who share it.
  execFileSync(DUET_NODE, [DUET_PROGRAM, "install", host, "--yes"], { stdio: ["ignore", "ignore", "inherit"] });
  let entries = 0;
  for (const { name, parentPath } of readdirSync(HOME, { recursive: true, withFileTypes: true }).filter(isSettings)) {
    const file = join(parentPath, name);
    const text = readFileSync(file, "utf8");
    const tapped = text.replaceAll(/[^\s"]*\/dist\/duet\.js/g, DUET_PROGRAM);
    if (tapped === text) continue;
    writeFileSync(file, tapped);
    entries++;
  }
  if (entries !== 1)
    throw new Error(`\`duet install ${host}\` wrote ${entries} files that start Duet; one was expected.`);
}

const isSettings = (entry) => entry.isFile() && /\.(?:jsonc?|toml|yaml)$/.test(entry.name);

/** Does what Ctrl-C does in a terminal: every process of the group gets the signal. */
function interrupt() {
  process.on("SIGINT", () => {});
  process.kill(0, "SIGINT");
}

function runProgram() {
  const child = spawn(command, rest.map(fill), { env, stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("exit", (code, signal) => done(signal ? `ended by ${signal}` : code ? `exit code ${code}` : undefined));
  });
}

const line = { scenario };
try {
  enterDuet();
  const ended = runProgram();
  if (scenario === "cancel") {
    await Promise.race([fetch(INTEROP_STARTED), ended]);
    interrupt();
    await fetch(INTEROP_ENDED);
  }
  const failure = await ended;
  if (failure && scenario !== "cancel") line.error = failure;
} catch (error) {
  line.error = `${error.name}: ${error.message}`.slice(0, 600);
}
console.log(JSON.stringify(line));
