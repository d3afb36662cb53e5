// Checks formatting, lint and types, all three at once: `npm run check`. Whatever fails is shown, and the exit code is 1.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** The compiler keeps what it has found, and reads again only what has changed. */
function checkTypes(name, ...args) {
  const file = `node_modules/.cache/tsc/${name}.tsbuildinfo`;
  // More checkers look at the shared types again: 34 s of processor time with the default of four, 23 s with one.
  return ["typescript", "tsc", [...args, "--checkers", "1", "--incremental", "--tsBuildInfoFile", file]];
}

const checks = [
  ["@biomejs/biome", "biome", ["check"]],
  checkTypes("program"),
  checkTypes("page", "-p", "src/server/web"),
];

async function run([name, command, args]) {
  const manifest = require.resolve(`${name}/package.json`);
  const program = join(dirname(manifest), require(manifest).bin[command]);
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => output.push(data));
  const [code] = await once(child, "close");
  // At once, so that the lines of two checks do not mix.
  process.stdout.write(Buffer.concat(output));
  return code === 0;
}

const passed = await Promise.all(checks.map(run));
process.exitCode = passed.every(Boolean) ? 0 : 1;
