// Tries the package as its users get it, from npm's registry, on the oldest Node that it runs on and on the present one, and with the
// oldest and the newest Zod: `node scripts/try-package.mjs [--here] [FILE or its folder]`. With --here, on the Node that runs this alone,
// which needs nothing but the file. Installs into a temporary folder; takes minutes.
import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";

const onWindows = process.platform === "win32";
const { values, positionals } = parseArgs({ options: { here: { type: "boolean" } }, allowPositionals: true });

/** On Windows npm, npx and what they install are batch files, which only a shell runs. */
const run = (command, args, options = {}) =>
  promisify(execFile)(command, args, { shell: onWindows && command !== process.execPath, ...options });

const nodes = ["22.19.0", "24"];
const zods = ["4.0.0", "latest"];
/** How long `npx` may take until the first answer where everything has been downloaded, in milliseconds. */
const longestStartMs = 3000;

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "try", version: "0" } },
});

/** Its model calls the tool, at first with arguments that the schema refuses, and then answers. */
const program = `import { createServer } from "node:http";
import { createDuet, defineTool } from "duet-mcp";
import { z } from "zod";

const half = defineTool({
  name: "half",
  description: "Half of an even number.",
  inputSchema: z.object({ n: z.number().refine((n) => n % 2 === 0), unit: z.enum(["m", "km"]).default("m") }),
  run: ({ n, unit }) => (n / 2).toFixed() + unit,
});

const call = (n: number) => ({ index: 0, id: "call" + n, function: { name: "half", arguments: JSON.stringify({ n }) } });
const replies = [{ tool_calls: [call(3)] }, { tool_calls: [call(4)] }, { content: "Done." }, { content: "Done." }];
const server = createServer((request, response) => {
  const delta = replies.shift() ?? { content: "Done." };
  const finish_reason = delta.tool_calls ? "tool_calls" : "stop";
  request.resume().once("end", () => {
    response.setHeader("content-type", "text/event-stream");
    response.end("data: " + JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] }) + "\\n\\ndata: [DONE]\\n\\n");
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = server.address();
const baseUrl = "http://127.0.0.1:" + (typeof address === "object" ? address?.port : "") + "/v1";
process.env.TRY_KEY = "sk-try-0001";
const duet = await createDuet({
  models: { functionCall: { provider: "local", model: "cheap" } },
  tools: [half],
  config: {
    locale: "en",
    search: { enabled: false },
    providers: { local: { wire: "openai-chat", baseUrl, apiKeyEnv: "TRY_KEY" } },
  },
});
const outcome = await duet.ask("Half of 4?");
console.log(outcome.tool_calls.map(({ ok, result }) => [ok, ok ? result : ""].join(" ")).join(", "), outcome.response);
await duet.close();
server.close();
`;

const folder = await mkdtemp(join(await realpath(tmpdir()), "duet-try-"));
const failures = [];
try {
  const file = positionals[0] ? await findPackage(resolve(positionals[0])) : await pack();
  if (values.here) {
    await tryNode("here", process.execPath, file);
  } else {
    for (const version of nodes) await tryNode(version, await installNode(version), file);
    for (const version of zods) await tryZod(version, file);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(`✗ ${failure}`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function pack() {
  const { stdout } = await run(process.execPath, ["scripts/package.mjs", folder]);
  return stdout.trim();
}

async function findPackage(path) {
  if (path.endsWith(".tgz")) return path;
  const name = (await readdir(path)).find((each) => each.endsWith(".tgz"));
  if (name === undefined) throw new Error(`${path} has no package`);
  return join(path, name);
}

async function tryNode(version, node, file) {
  const env = environmentOf(node);
  const { stdout: found } = await run("node", ["--version"], { env });
  console.log(`\nNode ${found.trim()}`);

  const project = await makeProject(`project-${version}`);
  const begin = performance.now();
  await npm(["install", "--omit=dev", file], project, env);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const { stdout } = await npm(["ls", "--all", "--parseable"], project, env);
  const packages = stdout.trim().split("\n").length - 1;
  const megabytes = (await sizeOf(join(project, "node_modules"))) / 1e6;
  report(packages <= 5 && megabytes <= 25, `install: ${packages} packages, ${megabytes.toFixed(1)} MB, ${seconds} s`);

  const duet = join(project, "node_modules", ".bin", "duet");
  const asked = await run(duet, ["ask", "average of [1,2,6]?"], { env, cwd: project });
  report(asked.stdout.includes("The mean is 3."), `duet ask: ${asked.stdout.trim().split("\n")[0]}`);
  report(true, `duet serve answers initialize after ${await timeInitialize(duet, ["serve"], env)} ms`);

  const global = join(folder, `global-${version}`);
  await npm(["install", "-g", "--prefix", global, file], folder, env);
  const told = await run(join(global, onWindows ? "duet" : "bin/duet"), ["--version"], { env });
  report(/^\d+\.\d+\.\d+/.test(told.stdout), `global install: duet ${told.stdout.trim()}`);
  if (values.here) return;

  // As from npm, but from this machine, so that what is measured is not the network.
  const { tried, registry } = await openRegistry(file);
  const near = { ...env, npm_config_registry: registry.url };
  const npx = ["-y", "duet-mcp", "serve"];
  report(true, `npx, with its install, after ${await timeInitialize("npx", npx, near)} ms`);
  const second = await timeInitialize("npx", npx, near);
  report(second <= longestStartMs, `npx, once it is installed, after ${second} ms (at most ${longestStartMs})`);
  await registry.close();
  await rm(tried, { recursive: true });
}

async function openRegistry(file) {
  const { packInstalled, startRegistry } = await import("../test/packaging/registry.ts");
  const tried = await mkdtemp(join(folder, "registry-"));
  await run("tar", ["-xzf", file, "-C", tried]);
  const api = await packInstalled("@opentelemetry/api", tried);
  return { tried, registry: await startRegistry([{ file, folder: join(tried, "package") }, api]) };
}

/** A program that embeds Duet brings its own Zod. */
async function tryZod(version, file) {
  const env = environmentOf(process.execPath);
  const project = await makeProject(`zod-${version}`);
  await npm(["install", file, `zod@${version}`, "typescript@latest", "@types/node@24"], project, env);
  await writeFile(join(project, "program.ts"), program);
  const compilerOptions = { module: "nodenext", target: "es2024", strict: true, noEmit: true, types: ["node"] };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  const tsc = await run("npx", ["tsc", "-p", "."], { cwd: project, env }).catch((thrown) => thrown);
  const { stdout: listed } = await npm(["ls", "zod", "--parseable", "--long"], project, env);
  console.log(`\nZod ${listed.trim().split(/[@:]/).at(-1)}`);
  report(!tsc.code, `the types of the library compile${tsc.code ? `: ${tsc.stdout}` : ""}`);
  const { stdout } = await run("node", ["program.ts"], { cwd: project, env });
  report(stdout.trim() === "false , true 2m Done.", `a tool with its schema runs: ${stdout.trim()}`);
}

function report(isGood, line) {
  console.log(`${isGood ? "✓" : "✗"} ${line}`);
  if (!isGood) failures.push(line);
}

async function makeProject(name) {
  const path = join(folder, name);
  await mkdir(path);
  await writeFile(join(path, "package.json"), '{ "type": "module" }');
  return path;
}

/** Returns the path of this version of Node, from the package of that name. */
async function installNode(version) {
  const path = await makeProject(`node-${version}`);
  await npm(["install", "--foreground-scripts", `node@${version}`], path, environmentOf(process.execPath));
  return join(path, "node_modules/node/bin/node");
}

/** Returns an environment with a home of its own, in which npm reaches its registry as it does here. */
function environmentOf(node) {
  const names = Object.keys(process.env).filter((name) =>
    /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SystemRoot|ComSpec|PATHEXT|TEMP|TMP|.*_proxy)$/i.test(name),
  );
  return {
    ...Object.fromEntries(names.map((name) => [name, process.env[name]])),
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    HOME: folder,
    USERPROFILE: folder,
    LANG: "en_US.UTF-8",
    npm_config_userconfig: join(homedir(), ".npmrc"),
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
  };
}

function npm(args, cwd, env) {
  return run("npm", [...args, "--no-fund"], { cwd, env });
}

async function sizeOf(path) {
  const files = await readdir(path, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Milliseconds until the first answer. */
function timeInitialize(command, args, env) {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const child = spawn(command, args, { env, cwd: folder, shell: onWindows, stdio: ["pipe", "pipe", "ignore"] });
    const limit = setTimeout(() => child.kill(), 120_000);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${command} ended with ${code} before it answered`)));
    child.stdout.once("data", (data) => {
      clearTimeout(limit);
      if (!String(data).includes('"serverInfo"')) reject(new Error(`unexpected answer: ${data}`));
      resolve(Math.round(performance.now() - begin));
      child.stdin.end();
    });
    child.stdin.write(`${initialize}\n`);
  });
}
