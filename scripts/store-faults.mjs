// Shows what each interface of the built program says when the store fails: a full disk, a read-only folder, a lock, a damaged file,
// I/O errors, and a damaged file that is set aside at the start; over the command line, MCP (text and object), the agent API, its
// event stream, /v1 (whole and streamed) and the page. Each cell is a run. Then a full disk under load. Prints Markdown tables, and
// ends with 1 where a cell says nothing, or where an answer without a notice is not in the database.
// Needs Linux and the right to mount (root, or `unshare --map-root-user --mount`); the page needs Chromium (`DUET_CHROMIUM`).
// `npm run build && node scripts/store-faults.mjs [--case NAME]`
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { case: { type: "string" } } });
const program = fileURLToPath(new URL("../dist/duet.js", import.meta.url));
const chromium = process.env.DUET_CHROMIUM ?? "/usr/bin/chromium";
/** Limits each wait, in milliseconds. */
const patienceMs = 60_000;
const question = "echo hello";
const garbage = "This is a shopping list, not a database.\n".repeat(500);

const holdLock = `
const { DatabaseSync } = require("node:sqlite");
new DatabaseSync(process.argv[1]).exec("BEGIN EXCLUSIVE");
console.log("locked");
setInterval(() => {}, 1000);
`;

/** Lets every program whose pid is given, and every later one with `wrap`, write no byte to a file. */
const limitFiles = (pids, soft) => {
  for (const pid of pids) execFileSync("prlimit", ["--pid", String(pid), `--fsize=${soft}:unlimited`]);
};

/** `before` comes before the programs start, `strike` once they have answered; `heal` takes it back. */
const faults = {
  "full disk": {
    mount: "2m",
    strike: ({ home }) => fillUp(join(home, "filler")),
    async heal({ home }) {
      execFileSync("mount", ["-o", "remount,size=40m", home]);
    },
  },
  "read-only folder": {
    mount: "8m",
    before: async ({ home }) => void execFileSync("mount", ["-o", "remount,ro", home]),
    heal: async ({ home }) => void execFileSync("mount", ["-o", "remount,rw", home]),
  },
  locked: {
    async strike(place) {
      place.locker = spawn(process.execPath, ["-e", holdLock, join(place.home, "duet.db")]);
      await once(place.locker.stdout, "data");
    },
    async heal({ locker }) {
      locker.kill();
      await once(locker, "exit");
    },
  },
  "damaged while running": { strike: ({ home }) => replaceStore(home) },
  "I/O error": {
    wrap: ["prlimit", "--fsize=0:unlimited"],
    async strike({ pids }) {
      limitFiles(pids, 0);
    },
    async heal({ pids }) {
      limitFiles(pids, "unlimited");
    },
  },
  "set aside at the start": { before: ({ home }) => replaceStore(home) },
};

/** Recognises a notice by its words, where people read it. */
const words = {
  "not-saved": "not saved",
  "store-failing": "cannot be written at present",
  "store-unavailable": "kept only until this process ends",
  "store-damaged": "store was damaged",
  "store-replaced": "store was replaced or deleted",
};
const findCodes = (text) => Object.keys(words).filter((code) => text.includes(words[code]));
const listCodes = (notices = []) => notices.map(({ code }) => code);

/** Each gives the codes of the notices that it shows, and the run where the interface names it; by the program that is asked. */
const cli = {
  async "command line"({ run }) {
    const { stderr } = await run(["ask", question]);
    return { codes: findCodes(stderr) };
  },
};
const overStdio = {
  async "MCP text"({ stdio }) {
    const { content, structuredContent } = await stdio.ask(question);
    return { codes: findCodes(content[0].text), runId: structuredContent.run_id };
  },
  async "MCP object"({ stdio }) {
    const { structuredContent } = await stdio.ask(`${question} again`);
    return { codes: listCodes(structuredContent.notices), runId: structuredContent.run_id };
  },
};
const overHttp = {
  async REST({ http }) {
    const answer = await http.json("/agent/chat", { message: question });
    return { codes: listCodes(answer.notices), runId: answer.run_id };
  },
  async SSE({ http }) {
    const events = await http.events("/agent/chat", { message: question });
    const told = events.filter(({ type }) => type === "notice");
    const { outcome } = events.find(({ type }) => type === "run-end");
    return {
      codes: listCodes(told).filter((code) => listCodes(outcome.notices).includes(code)),
      runId: outcome.run_id,
    };
  },
  async "/v1"({ http }) {
    const body = { model: "duet-agent", messages: [{ role: "user", content: question }] };
    const whole = await http.json("/v1/chat/completions", body);
    const pieces = await http.events("/v1/chat/completions", { ...body, stream: true });
    const streamed = pieces.flatMap(({ notices = [] }) => notices);
    const shown = findCodes(whole.choices[0].message.reasoning_content ?? "");
    return {
      codes: listCodes(whole.notices).filter((code) => shown.includes(code) && listCodes(streamed).includes(code)),
    };
  },
  async page({ page }) {
    if (page === undefined) return { codes: [], isLeftOut: true };
    await page.reload();
    await page.getByRole("textbox").first().fill(question);
    await page.keyboard.press("Enter");
    const notices = page.locator(".turn .notices:not([hidden])");
    await notices.waitFor();
    const text = await notices.textContent();
    return { codes: findCodes(text ?? "") };
  },
};

const cases = [...Object.keys(faults), "load"];
if (values.case !== undefined && !cases.includes(values.case)) {
  console.error(`--case: unknown case ${JSON.stringify(values.case)} (allowed: ${cases.join(", ")})`);
  process.exit(2);
}
let isBad = false;
const names = [cli, overStdio, overHttp].flatMap((each) => Object.keys(each));
print(["", ...names, "log lines", "/metrics", "/readyz", "afterwards"]);
print(["", ...names, "", "", "", ""].map(() => "---"));
for (const [name, fault] of Object.entries(faults))
  if (values.case === undefined || values.case === name) await showFault(name, fault);
if (values.case === undefined || values.case === "load") await withPlace(faults["full disk"], startHttp, showLoad);
process.exitCode = isBad ? 1 : 0;

async function showFault(name, fault) {
  const cells = [
    ...(await withPlace(fault, startNothing, (place) => fillCells(place, cli))),
    ...(await withPlace(fault, startStdio, (place) => fillCells(place, overStdio))),
    ...(await withPlace(fault, startHttp, async (place) => {
      const runs = [];
      const own = await fillCells(place, overHttp, runs);
      return [...own, ...(await describeOperation(place)), await describeEnd(place, runs, fault)];
    })),
  ];
  print([name, ...cells]);
}

async function fillCells(place, interfaces, runs = []) {
  const cells = [];
  for (const ask of Object.values(interfaces)) {
    const { codes, runId, isLeftOut } = await ask(place);
    if (codes.length === 0 && !isLeftOut) isBad = true;
    if (runId) runs.push({ runId, codes });
    cells.push(isLeftOut ? "no browser" : codes.join(", ") || "**nothing**");
  }
  return cells;
}

async function describeOperation({ http }) {
  const metrics = await http.text("/metrics");
  const ready = JSON.parse(await http.text("/readyz")).store;
  const lines = listStoreLines(http);
  if (lines.length !== 1) isBad = true;
  return [lines.length, metrics.match(/(?<=duet_store_failures_total)\{.*\} \d+/g)?.join(" ") ?? "", ready];
}

function listStoreLines({ stderr }) {
  return stderr()
    .split("\n")
    .filter((line) => line.includes("store"));
}

/** Waits until nothing is left to be saved, and looks into the database. */
async function describeEnd(place, runs, { heal }) {
  const { http, home } = place;
  if (heal === undefined) return `${countKept(home, runs)} of ${runs.length} runs kept`;
  await heal(place);
  await waitUntilSaved(http);
  const { notices } = JSON.parse(await http.text(`/agent/runs/${runs[0].runId}`));
  const kept = countKept(home, runs);
  if (kept < runs.length) isBad = true;
  return `${kept} of ${runs.length} runs saved late; GET of a run: ${listCodes(notices).join(", ")}`;
}

async function showLoad(place) {
  const answers = [];
  const ask = async () => {
    while (answers.length < 160) answers.push(await place.http.json("/agent/chat", { message: question }));
  };
  await Promise.all([ask(), ask(), ask(), ask()]);
  const complete = answers.filter(({ status }) => status === "complete");
  const missing = complete.filter(({ run_id }) => countKept(place.home, [{ runId: run_id }]) === 0);
  const silent = missing.filter(({ notices = [] }) => notices.length === 0);
  const { length: lines } = listStoreLines(place.http);
  await faults["full disk"].heal(place);
  await waitUntilSaved(place.http);
  const late = countKept(
    place.home,
    complete.map(({ run_id }) => ({ runId: run_id })),
  );
  if (silent.length > 0 || late < complete.length) isBad = true;
  console.log(
    `\nA full disk under load: ${complete.length} complete answers, ${missing.length} not in the database, ` +
      `${silent.length} of these without a notice; ${lines} log line. ` +
      `With room again: ${late} of ${complete.length} in the database.`,
  );
}

async function startNothing() {}

async function startStdio(place, start) {
  const child = start(["serve"]);
  place.pids.push(child.pid);
  place.stdio = await openStdio(child);
  return () => place.stdio.ask(question);
}

async function startHttp(place, start, ends) {
  const child = start(["serve", "--http", "127.0.0.1:0"]);
  place.pids.push(child.pid);
  place.http = await openHttp(child);
  place.page = await openPage(place, ends);
  return () => place.http.json("/agent/chat", { message: question });
}

/** Starts a program with a state folder of its own, where the fault strikes once a question is answered; ends all of it afterwards. */
async function withPlace(fault, startProgram, work) {
  const folder = await mkdtemp(join(tmpdir(), "duet-store-"));
  const home = join(folder, "home");
  const place = { home, pids: [] };
  const ends = [() => rm(folder, { recursive: true, force: true })];
  try {
    await mkdir(home);
    if (fault.mount) {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${fault.mount}`, "none", home]);
      ends.push(() => execFileSync("umount", ["-l", home]));
    }
    await fault.before?.(place);
    const config = join(folder, "duet.config.json");
    const settings = { models: { functionCall: { provider: "offline", model: "rules" } }, search: { enabled: false } };
    await writeFile(config, JSON.stringify({ locale: "en", ...settings }));
    const env = { PATH: process.env.PATH, HOME: folder, DUET_HOME: home };
    const start = (args, wrap = []) => {
      const [command, ...rest] = [...wrap, process.execPath, program, "--config", config, ...args];
      const child = spawn(command, rest, { cwd: folder, env });
      ends.push(() => child.kill("SIGKILL"));
      return child;
    };
    place.run = (args, wrap = fault.wrap) => collect(start(args, wrap));
    const askFirst = await startProgram(place, start, ends);
    if (askFirst === undefined && fault.strike) await place.run(["ask", question], []);
    if (fault.strike) {
      await askFirst?.();
      await fault.strike(place);
    }
    return await work(place);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function openHttp(child) {
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  await waitUntil(async () => /http:\/\/\S+(?=\/mcp)/.test(stderr));
  const [origin] = /http:\/\/\S+(?=\/mcp)/.exec(stderr);
  const post = (path, body, accept) =>
    fetch(origin + path, {
      method: "POST",
      headers: { "content-type": "application/json", accept },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(patienceMs),
    });
  return {
    origin,
    stderr: () => stderr,
    text: async (path) => (await fetch(origin + path, { signal: AbortSignal.timeout(patienceMs) })).text(),
    json: async (path, body) => (await post(path, body, "application/json")).json(),
    async events(path, body) {
      const text = await (await post(path, body, "text/event-stream")).text();
      return text.match(/(?<=^data: )\{.*$/gm).map((data) => JSON.parse(data));
    },
  };
}

async function openStdio(child) {
  const answers = createInterface({ input: child.stdout });
  const waiting = new Map();
  answers.on("line", (line) => {
    const { id, result } = JSON.parse(line);
    waiting.get(id)?.(result);
  });
  let last = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const call = (method, params) =>
    new Promise((resolve, reject) => {
      const limit = setTimeout(
        () => reject(new Error(`${method} was not answered within ${patienceMs} ms`)),
        patienceMs,
      );
      waiting.set(++last, (result) => {
        clearTimeout(limit);
        resolve(result);
      });
      send({ id: last, method, params });
    });
  const clientInfo = { name: "store-faults", version: "1" };
  await call("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  return { ask: (asked) => call("tools/call", { name: "agent_ask", arguments: { question: asked } }) };
}

async function openPage({ http }, ends) {
  if (!existsSync(chromium)) return undefined;
  const { chromium: launcher } = await import("playwright-core");
  const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
  const browser = await launcher.launch({ executablePath: chromium, args });
  ends.push(() => browser.close());
  const page = await browser.newPage({ locale: "en-US" });
  page.setDefaultTimeout(patienceMs);
  await page.goto(http.origin);
  return page;
}

async function collect(child) {
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  child.stdout.resume();
  child.stdin.end();
  await once(child, "close", { signal: AbortSignal.timeout(patienceMs) });
  return { stderr };
}

async function replaceStore(home) {
  for (const part of ["", "-wal"]) {
    await writeFile(join(home, "garbage"), garbage);
    await rename(join(home, "garbage"), join(home, `duet.db${part}`));
  }
  await rm(join(home, "duet.db-shm"), { force: true });
}

async function fillUp(file) {
  for (const size of [65_536, 4096, 1])
    for (let isFull = false; !isFull; )
      isFull = await writeFile(file, new Uint8Array(size), { flag: "a" }).then(
        () => false,
        () => true,
      );
}

function countKept(home, runs) {
  const file = join(home, "duet.db");
  if (!existsSync(file)) return 0;
  const store = new DatabaseSync(file, { readOnly: true });
  const find = store.prepare("SELECT 1 FROM traces WHERE run = ?");
  const kept = runs.filter(({ runId }) => find.get(runId) !== undefined).length;
  store.close();
  return kept;
}

async function waitUntilSaved(http) {
  await waitUntil(async () => {
    const isOk = JSON.parse(await http.text("/readyz")).store === "ok";
    return isOk && /duet_store_unsaved_runs 0/.test(await http.text("/metrics"));
  });
}

async function waitUntil(isSo) {
  for (const end = performance.now() + 2 * patienceMs; !(await isSo()); await pause(50))
    if (performance.now() > end) throw new Error("what was waited for did not come");
}

function print(cells) {
  console.log(`| ${cells.join(" | ")} |`);
}
