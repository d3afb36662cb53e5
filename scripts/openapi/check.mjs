// Checks the OpenAPI document of the built program with the tools that its readers use:
//   node scripts/openapi/check.mjs                 # all of them
//   node scripts/openapi/check.mjs types           # openapi-typescript, openapi-fetch and tsc: a client without a cast
//   node scripts/openapi/check.mjs schemathesis    # requests made from the document, right and wrong ones
//   node scripts/openapi/check.mjs --folder DIR    # installs into DIR, and uses again what is installed there
// They are installed into a temporary folder. Nothing leaves the machine but the installation; no model is called.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const here = import.meta.dirname;
const program = join(here, "../../dist/duet.js");

const checks = { types: checkTypes, schemathesis: checkSchemathesis };

const { values, positionals } = parseArgs({
  options: { folder: { type: "string" }, examples: { type: "string", default: "40" }, seed: { type: "string" } },
  allowPositionals: true,
});
const wanted = positionals.length > 0 ? positionals : Object.keys(checks);
for (const name of wanted) {
  if (name in checks) continue;
  console.error(`there is no check ${name} (allowed: ${Object.keys(checks).join(", ")})`);
  process.exit(2);
}
if (!existsSync(program)) {
  console.error("the program is not built: npm run build");
  process.exit(2);
}

const folder = values.folder ?? mkdtempSync(join(tmpdir(), "duet-openapi-"));
mkdirSync(folder, { recursive: true });
let failed = 0;
try {
  for (const name of wanted) {
    const server = await startServer();
    const hasPassed = await checks[name](server.origin);
    server.stop();
    console.log(`${hasPassed ? "ok    " : "FAILED"} ${name}`);
    if (!hasPassed) failed += 1;
  }
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

/** Starts the program on a free port, without a model: its offline rules answer. */
async function startServer() {
  const home = mkdtempSync(join(tmpdir(), "duet-openapi-home-"));
  const { PATH, LANG, TMPDIR } = process.env;
  const env = { PATH, LANG, TMPDIR, HOME: home, DUET_HOME: home, DUET_LOCALE: "en" };
  const child = spawn(process.execPath, [program, "serve", "--http", "0"], {
    cwd: home,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const origin = await new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (piece) => {
      said += piece;
      const found = /(http:\/\/127\.0\.0\.1:\d+)\/mcp/.exec(said);
      if (found) resolve(found[1]);
    });
    child.once("exit", () => reject(new Error(`the server did not start: ${said}`)));
  });
  return {
    origin,
    stop() {
      child.kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Runs a command and shows what it says where it fails. */
function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    ...options,
  });
  if (status !== 0) console.log([error?.message, stdout, stderr].filter(Boolean).join("\n"));
  return status === 0;
}

/** Generates types, compiles a small client against them, and runs it. */
async function checkTypes(origin) {
  const packages = ["openapi-typescript@7", "openapi-fetch@0.17", "typescript@5.9", "@types/node@24"];
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "client", private: true, type: "module" }));
  if (!run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages])) return false;
  writeFileSync(join(folder, "openapi.json"), await (await fetch(`${origin}/openapi.json`)).text());
  for (const file of ["client.ts", "tsconfig.json"]) cpSync(join(here, file), join(folder, file));
  const bin = (name) => join(folder, "node_modules/.bin", name);
  return (
    run(bin("openapi-typescript"), ["openapi.json", "-o", "api.d.ts"]) &&
    run(bin("tsc"), ["-p", "."]) &&
    run(process.execPath, ["client.ts", origin])
  );
}

/** Has Schemathesis send what the document allows, and what it does not. */
async function checkSchemathesis(origin) {
  const venv = join(folder, "venv");
  const python = process.env.INTEROP_PYTHON ?? "python3";
  if (!existsSync(join(venv, "bin/schemathesis"))) {
    if (!run(python, ["-m", "venv", venv])) return false;
    if (!run(join(venv, "bin/pip"), ["install", "--quiet", "schemathesis>=4.32,<5"])) return false;
  }
  for (const file of ["schemathesis.toml", "hooks.py"]) cpSync(join(here, file), join(folder, file));
  const seed = values.seed === undefined ? [] : ["--seed", values.seed];
  const options = ["--max-examples", values.examples, "--continue-on-failure", ...seed];
  return run(join(venv, "bin/schemathesis"), ["run", `${origin}/openapi.json`, ...options], {
    env: { ...process.env, SCHEMATHESIS_HOOKS: "hooks", PYTHONPATH: folder },
  });
}
