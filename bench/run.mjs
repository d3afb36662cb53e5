// Runs the scripts of this folder one after the other, all of them or those that are named: `node bench/run.mjs [NAME ...]`. One that
// fails does not keep the others from running. Then prints the promised figures (figures/table.mjs) as one table, and what was missed;
// ends with 1 where a figure is above its limit or was not measured, or a script has failed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listMissed } from "./figures/compare.mjs";
import { renderTable } from "./figures/render-table.mjs";
import { listKeys } from "./figures/report.mjs";

/** Holds the scripts in their order, each with the arguments of Node that it needs. */
const scripts = {
  ...{ startup: [], providers: [], prompts: [], records: [], conversation: [], tools: [], modules: [] },
  ...{ questions: [], counts: [], pages: [], browser: [], gateway: [], servers: [], memory: ["--expose-gc"] },
  ...{
    "shared-process": [],
    http: [],
    "model-api": [],
    streams: [],
    replicas: [],
    "first-text": [],
    terminal: ["--expose-gc"],
  },
};
/** Limits one script, in milliseconds; the longest takes some minutes. */
const longestMs = 1_800_000;

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in scripts));
if (unknown.length > 0)
  throw new Error(`no such script: ${unknown.join(", ")}; there are ${Object.keys(scripts).join(", ")}`);
const chosen = named.length > 0 ? named : Object.keys(scripts);
const folder = await mkdtemp(join(tmpdir(), "duet-bench-"));
const file = join(folder, "figures.jsonl");
const failures = [];
try {
  for (const name of chosen) {
    const how = await run(name);
    if (how !== undefined) failures.push(`failed: bench/${name}.mjs ${how}`);
  }
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n").filter(Boolean);
  const reported = lines.map((line) => JSON.parse(line));
  const keys = chosen.flatMap(listKeys);
  if (keys.length > 0) console.log(`\n${renderTable(reported, keys)}`);
  for (const line of [...listMissed(reported), ...failures]) console.error(line);
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = failures.length > 0 ? 1 : 0;

/** Returns how a script has failed; undefined where it has not. */
async function run(name) {
  console.log(`\n=== bench/${name}.mjs`);
  const script = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  // It leads a group of its own, so that what it has started ends with it.
  const child = spawn(process.execPath, [...scripts[name], script], {
    env: { ...process.env, DUET_BENCH_REPORT: file },
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  const stop = () => process.kill(-child.pid, "SIGKILL");
  const interrupt = (signal) => {
    stop();
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    stop();
  }, longestMs);
  const [code, signal] = await once(child, "exit");
  clearTimeout(limit);
  process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  if (isLate) return `took more than ${longestMs / 60_000} minutes`;
  if (signal !== null) return `was ended by ${signal}`;
  return code === 0 ? undefined : `ended with ${code}`;
}
