// Checks that hosts understand what `duet install` writes: installs each host's CLI into a temporary folder, runs
// `duet install HOST --yes` with a HOME of its own, asks the host what it has, and prints a table. Needs `npm run build`, npm and
// the network.
// `node scripts/interop/hosts.mjs [HOST...] [--folder DIR]`
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { readArguments, requireKnown } from "./arguments.mjs";

const program = resolve(import.meta.dirname, "../../dist/duet.js");
const installMs = 900_000;
const commandMs = 240_000;

/**
 * Names the package of each host with a CLI in the npm registry, the command that shows what the host has, and what it prints
 * where it has understood the entry. The commands of `list` start the server as well.
 */
const hosts = [
  {
    host: "codex",
    package: "@openai/codex",
    bin: "codex",
    ask: ["mcp", "get", "duet", "--json"],
    expect: [/"tool_timeout_sec": 600/, /"--window",\s*"590"/],
  },
  {
    host: "claude-code",
    package: "@anthropic-ai/claude-code",
    bin: "claude",
    ask: ["mcp", "list"],
    expect: [/duet: .*Connected/],
  },
  {
    host: "gemini-cli",
    package: "@google/gemini-cli",
    bin: "gemini",
    ask: ["mcp", "list"],
    // In a folder that is not trusted it starts no server of any kind.
    environment: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
    expect: [/duet: .*Connected/],
  },
  {
    host: "qwen-code",
    package: "@qwen-code/qwen-code",
    bin: "qwen",
    ask: ["mcp", "list"],
    expect: [/duet: .*Connected/],
  },
  {
    host: "copilot-cli",
    package: "@github/copilot",
    bin: "copilot",
    ask: ["mcp", "get", "duet"],
    expect: [/Type: local/, /--window 590/, /Tools: \* \(all\)/, /Timeout: 600000ms/],
  },
  {
    host: "opencode",
    package: "opencode-ai",
    bin: "opencode",
    ask: ["mcp", "list"],
    expect: [/duet.*connected/],
  },
];

/** Says why the other hosts of `duet install` are not checked here. */
const skipped = {
  "claude-desktop": "a desktop program",
  cursor: "an editor",
  vscode: "an editor",
  windsurf: "an editor",
  zed: "an editor",
  kiro: "an editor; its CLI is in no registry",
  cline: "its CLI cannot list servers without a terminal",
  "lm-studio": "a desktop program",
  goose: "its CLI lists no servers; transcripts.mjs asks in it",
};

const { values, positionals: asked } = readArguments({ folder: { type: "string" } });
requireKnown("host", asked, [...hosts.map(({ host }) => host), ...Object.keys(skipped)]);
const folder = values.folder ? resolve(values.folder) : mkdtempSync(join(tmpdir(), "duet-hosts-"));
const rows = [];
try {
  for (const row of hosts) if (asked.length === 0 || asked.includes(row.host)) rows.push(await check(row));
} finally {
  if (!values.folder) rmSync(folder, { recursive: true, force: true });
}
for (const [host, why] of Object.entries(skipped))
  if (asked.length === 0 || asked.includes(host)) rows.push({ host, version: "", result: "skipped", said: why });
print(rows);
process.exitCode = rows.some(({ result }) => result === "FAILED") ? 1 : 0;

async function check({ host, package: name, bin, ask, expect, environment = {} }) {
  const place = join(folder, host);
  mkdirSync(join(place, "project"), { recursive: true });
  const home = mkdtempSync(join(place, "home-"));
  const env = { PATH: process.env.PATH, HOME: home, LANG: "en_US.UTF-8", NO_COLOR: "1", CI: "1", ...environment };
  const npm = await run("npm", ["install", "--prefix", place, "--no-audit", "--no-fund", "--loglevel=error", name], {
    timeout: installMs,
  });
  if (npm.code !== 0) return { host, version: "", result: "skipped", said: `npm: ${lastLine(npm.output)}` };
  const { version } = JSON.parse(readFileSync(join(place, "node_modules", name, "package.json"), "utf8"));
  const cwd = join(place, "project");
  const duet = await run(process.execPath, [program, "install", host, "--yes"], { env, cwd });
  if (duet.code !== 0) return { host, version, result: "FAILED", said: `duet install: ${lastLine(duet.output)}` };
  const { output } = await run(join(place, "node_modules", ".bin", bin), ask, { env, cwd });
  const missing = expect.filter((pattern) => !pattern.test(output));
  const said = output.split("\n").filter((line) => expect.some((pattern) => pattern.test(line)));
  if (missing.length > 0) return { host, version, result: "FAILED", said: `${ask.join(" ")}: ${output.trim()}` };
  return { host, version, result: "ok", said: (said.length > 0 ? said : [`${ask.join(" ")}: as expected`]).join("; ") };
}

/** Runs a command to its end and returns all that it printed. Does not reject. */
function run(command, args, options) {
  return new Promise((done) => {
    const child = execFile(
      command,
      args,
      { timeout: commandMs, maxBuffer: 10_000_000, ...options },
      (error, out, err) =>
        done({ code: error ? (error.code ?? 1) : 0, output: stripVTControlCharacters(`${out}${err}`) }),
    );
    child.stdin?.end();
  });
}

function lastLine(text) {
  return text.trim().split("\n").at(-1) ?? "";
}

function print(table) {
  console.log("| host | version | result | what the host said |\n| --- | --- | --- | --- |");
  for (const { host, version, result, said } of table)
    console.log(
      `| ${host} | ${version} | ${result} | ${said.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").slice(0, 400)} |`,
    );
}
