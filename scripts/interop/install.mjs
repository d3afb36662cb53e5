// Installs a client into its folder.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** How the presence of a command is asked, where it is not `--version`. */
const versionFlags = { go: ["version"] };

/** Returns the first Python that is new enough for all clients. */
function findPython() {
  const named = process.env.INTEROP_PYTHON;
  const names = named ? [named] : ["python3.12", "python3.13", "python3.11", "python3", "python"];
  return names.find((name) => {
    const { stdout, status } = spawnSync(name, ["-c", "import sys, venv; print(*sys.version_info[:2])"], {
      encoding: "utf8",
    });
    const [major, minor] = (stdout ?? "").split(" ").map(Number);
    return status === 0 && major === 3 && minor >= 10;
  });
}

const python = findPython();

/** Says why a client cannot be installed here; undefined when nothing is known against it. */
export function findObstacle({ needs = [], pip }) {
  const wanted = pip ? ["python", ...needs] : needs;
  const lacking = wanted.find((name) => (name === "python" ? python === undefined : !isThere(name)));
  if (lacking === undefined) return undefined;
  return lacking === "python" ? "no Python 3.10 or newer (INTEROP_PYTHON names one)" : `no ${lacking}`;
}

function isThere(command) {
  return spawnSync(command, versionFlags[command] ?? ["--version"], { stdio: "ignore" }).status === 0;
}

/** Copies a client's files and installs what it needs; returns what failed. What is there from an earlier time is used again. */
export function installClient(client, folder) {
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(client.folder))
    if (file !== "client.json") cpSync(join(client.folder, file), join(folder, file), { recursive: true });
  for (const file of client.files ?? []) cpSync(join(import.meta.dirname, "shared", file), join(folder, file));
  writePage(client, folder, "stdio");
  const commands = listCommands(client);
  const mark = join(folder, ".installed");
  const wanted = JSON.stringify([commands, ...(client.install ? [hashSources(client, folder)] : [])]);
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return undefined;
  for (const [command, ...args] of commands) {
    const resolved = command === "{python}" ? python : command;
    const { status, stderr, error } = spawnSync(resolved, args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
    if (status === 0) continue;
    const reason = error?.message ?? stderr.trim().split("\n").slice(-3).join(" ");
    return `${[command, ...args].join(" ").slice(0, 80)}: ${reason.slice(0, 300)}`;
  }
  writeFileSync(mark, wanted);
  return undefined;
}

/** Hashes what a client's own commands build from. */
function hashSources(client, folder) {
  const own = readdirSync(client.folder, { recursive: true });
  const files = [...own, ...(client.files ?? []), ...(client.page ? [client.page.to] : [])].map((file) =>
    join(folder, file),
  );
  const hash = createHash("sha256");
  for (const file of files.sort())
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) hash.update(readFileSync(file));
  return hash.digest("hex");
}

function listCommands({ pip, npm, install = [] }) {
  return [
    ...(pip ? [["{python}", "-m", "venv", "venv"]] : []),
    ...(pip ? [["venv/bin/python", "-m", "pip", "install", "-q", "--prefer-binary", ...pip]] : []),
    ...(npm ? [["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", ".", ...npm]] : []),
    ...install,
  ];
}

/** Writes the code of a client's page, as its users have it over this transport. */
export function writePage({ page }, folder, transport) {
  if (page) writeFileSync(join(folder, page.to), readCode(page, transport));
}

/** Reads the first block of code of a page that is tagged `run=interop`. Each text to be replaced has to be in it. */
function readCode({ from, replace = {}, http = {} }, transport) {
  const replaced = { ...replace, ...(transport === "http" && http) };
  const [, code] = /^```\w+ run=interop\n([\s\S]*?)^```/m.exec(readFileSync(join(root, from), "utf8")) ?? [];
  if (code === undefined) throw new Error(`${from} has no block of code.`);
  return Object.entries(replaced).reduce((text, [old, fresh]) => {
    if (!text.includes(old)) throw new Error(`The code of ${from} has no ${old}.`);
    return text.replaceAll(old, fresh);
  }, code);
}

export function readVersion({ version = {} }, folder) {
  if (version.npm)
    return JSON.parse(readFileSync(join(folder, "node_modules", version.npm, "package.json"), "utf8")).version;
  const ofPip = ["venv/bin/python", "-c", `import importlib.metadata as m; print(m.version("${version.pip}"))`];
  const [command, ...args] = version.command ?? (version.pip ? ofPip : []);
  if (command === undefined) return "";
  const { stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: "utf8" });
  return /\S*\d+\.\d\S*/.exec(`${stdout ?? ""} ${stderr ?? ""}`)?.[0] ?? "";
}
