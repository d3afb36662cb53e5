// Plants the defects of scripts/mutations one at a time in a copy of the tree and runs the tests that have to notice each.
// Exits with 1 when a defect survives, and when a row no longer fits its source. `npm run mutation` builds the page first.
//
//   npm run mutation                     all rows
//   npm run mutation -- redact pins      the rows whose id or file contains one of the words
//   npm run mutation -- --jobs 1         one at a time; two by default
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { formatCount } from "../src/kit/text/format-count.ts";
import { mutations } from "./mutations/mutations.ts";

const root = join(import.meta.dirname, "..");
/** What the tests read, beside the files of the page in `dist`. The tests of the table run neither the built program nor a browser. */
const copied = [
  "bin",
  "src",
  "test",
  "scripts",
  "docs",
  "package.json",
  "tsconfig.json",
  "README.md",
  "README.zh.md",
  "SECURITY.md",
];
/** After so long a test run is ended: the defect made something wait for ever. */
const limitMs = 120_000;

const { values, positionals } = parseArgs({
  options: { jobs: { type: "string", default: "2" } },
  allowPositionals: true,
});
const rows = mutations.filter(
  ({ id, file }) => positionals.length === 0 || positionals.some((word) => id.includes(word) || file.includes(word)),
);
if (rows.length === 0) {
  console.error(`no row matches ${positionals.join(" ")}`);
  process.exit(1);
}

const places = Array.from({ length: Math.max(1, Number(values.jobs) || 1) }, copyTree);
/** The process groups of the tests that run now. */
const running = new Set();
process.on("exit", () => {
  for (const group of running) endGroup(group);
  for (const place of places) rmSync(place, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));

const began = performance.now();
const tests = [...new Set(rows.flatMap((row) => row.tests))];
const clean = await Promise.all(
  places.slice(0, tests.length).map((place, at) => runTests(place, takeShare(tests, at), { all: true })),
);
const unclean = clean.filter(({ failures, ended }) => failures.length > 0 || ended !== "done");
if (unclean.length > 0) {
  const failures = unclean.flatMap((each) => each.failures);
  console.error(
    `the tests fail without any defect:\n${failures.join("\n")}\n${unclean.map(({ output }) => output).join("\n")}`,
  );
  process.exit(1);
}
console.log(
  `${formatCount(tests.length, "test file")} without a failure, ${seconds(performance.now() - began)} s; ${formatCount(rows.length, "defect")} to go`,
);

const width = Math.max(...rows.map(({ id }) => id.length));
const waiting = [...rows];
const results = [];
await Promise.all(places.map(work));

const bad = results.filter(({ verdict }) => verdict !== "killed");
console.log(
  `\n${formatCount(rows.length, "defect")}, ${rows.length - bad.length} killed, ${bad.length} not; ${seconds(performance.now() - began)} s`,
);
for (const { row, verdict } of bad) console.log(`${verdict}  ${row.id}  ${row.file}: ${row.endangers}`);
process.exit(bad.length === 0 ? 0 : 1);

async function work(place) {
  for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
    const result = { row, ...(await judge(place, row)) };
    results.push(result);
    const { verdict, ms, by } = result;
    console.log(
      `${verdict.padEnd(8)} ${row.id.padEnd(width)} ${seconds(ms).padStart(5)} s  ${row.file}  ${change(row)}\n` +
        `${" ".repeat(9)}${" ".repeat(width)}          ${by}`,
    );
  }
}

/** What the place `at` has to run of all. */
function takeShare(all, at) {
  return all.filter((_, index) => index % places.length === at);
}

/** `killed`, `SURVIVED`, `STALE` (the row's text does not occur exactly once), `BROKEN` (no test ran) or `ENDLESS`. */
async function judge(place, { file, text, becomes, tests }) {
  const path = join(place, file);
  const source = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (source.split(text).length !== 2) return { verdict: "STALE", ms: 0, by: "its text does not occur exactly once" };
  writeFileSync(
    path,
    source.replace(text, () => becomes),
  );
  try {
    const { failures, ended, ms, output } = await runTests(place, tests);
    if (ended === "endless") return { verdict: "ENDLESS", ms, by: `no end within ${limitMs / 1000} s` };
    if (failures.length > 0) return { verdict: "killed", ms, by: failures[0] };
    if (ended === "uncaught") return { verdict: "killed", ms, by: "an error that no test caught" };
    if (ended === "broken") return { verdict: "BROKEN", ms, by: output.slice(-2000) };
    return { verdict: "SURVIVED", ms, by: `every test of ${tests.join(", ")} passes` };
  } finally {
    writeFileSync(path, source);
  }
}

/**
 * The tests that failed, as `file: title`: the first one, or all. `uncaught`: an error that belongs to no test has failed the run.
 * `broken`: vitest failed although no test did, as where a module cannot be loaded.
 */
async function runTests(place, tests, { all = false } = {}) {
  const started = performance.now();
  const report = join(place, "report.json");
  rmSync(report, { force: true });
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = [
    vitest,
    "run",
    "--config",
    join(place, "vitest.mutation.mjs"),
    "--reporter=json",
    `--bail=${all ? 0 : 1}`,
  ];
  const child = spawn(process.execPath, [...args, `--outputFile=${report}`, ...tests], {
    cwd: place,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compiled") },
  });
  running.add(child.pid);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  let ended = "done";
  const timer = setTimeout(
    () => {
      ended = "endless";
      endGroup(child.pid);
    },
    Math.max(limitMs, 10_000 * tests.length),
  );
  const code = await new Promise((resolve) => child.on("close", resolve));
  running.delete(child.pid);
  clearTimeout(timer);
  const ms = performance.now() - started;
  const files = ended === "endless" ? [] : readReport(report);
  const failures = files.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName }) => `${relative(place, name)}: ${fullName}`),
  );
  const haveRun = files.length > 0 && files.every(({ assertionResults }) => assertionResults.length > 0);
  if (ended === "done" && code !== 0 && failures.length === 0) ended = haveRun ? "uncaught" : "broken";
  return { failures, ended, ms, output };
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).testResults;
  } catch {
    return [];
  }
}

function endGroup(group) {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function copyTree() {
  const place = mkdtempSync(join(tmpdir(), "duet-mutation-"));
  for (const name of copied) cpSync(join(root, name), join(place, name), { recursive: true });
  for (const name of ["node_modules", "dist"]) symlinkSync(join(root, name), join(place, name));
  mkdirSync(join(place, "cache"));
  const config = {
    cacheDir: "cache",
    test: {
      include: ["test/**/*.test.ts"],
      pool: "forks",
      maxWorkers: 1,
      testTimeout: 20_000,
      // A cluster of PostgreSQL is made before the first test that needs one.
      hookTimeout: 60_000,
      // As in the usual run, an event may take its time on a busy machine.
      expect: { poll: { timeout: 10_000 } },
    },
  };
  writeFileSync(join(place, "vitest.mutation.mjs"), `export default ${JSON.stringify(config)};\n`);
  return place;
}

function change({ text, becomes }) {
  return `${oneLine(text)} -> ${oneLine(becomes)}`;
}

function oneLine(text) {
  const line = text.replace(/\s+/g, " ").trim();
  return line === "" ? "(nothing)" : line.length > 70 ? `${line.slice(0, 67)}...` : line;
}

function seconds(ms) {
  return (ms / 1000).toFixed(1);
}
