// Modules of the user's, each in a thread of its own: memory per thread, time of a call, time of a start.
// Starts `duet serve --expose tools` with this many modules in turn; prints medians. `node bench/modules.mjs [runs]`
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const runs = Number(process.argv[2] ?? 5);
const program = process.env.DUET_PROGRAM ?? fileURLToPath(new URL("../dist/duet.js", import.meta.url));
const home = await mkdtemp(join(tmpdir(), "duet-bench-"));

const kinds = {
  "JSON Schema, .mjs": [
    "mjs",
    (n) => `export default { name: "t${n}", description: "d", inputSchema: {}, run: () => "done" };`,
  ],
  "Zod and defineTool, .ts": [
    "ts",
    (n) => `import { defineTool } from "duet-mcp";
import { z } from "zod";
export default defineTool({ name: "t${n}", description: "d", inputSchema: z.strictObject({ day: z.iso.date().optional(), people: z.int().min(1).default(2) }), run: ({ people }: { people: number }) => "done" + people });`,
  ],
};

async function directory([ending, text], count) {
  const folder = await mkdtemp(join(home, "d-"));
  await mkdir(join(folder, "tools"));
  for (let n = 0; n < count; n++) await writeFile(join(folder, "tools", `t${n}.${ending}`), text(n));
  const config = { tools: { directory: "./tools", ask: [] }, search: { enabled: false } };
  await writeFile(join(folder, "duet.config.json"), JSON.stringify(config));
  return folder;
}

/** One run of the server: when it had listed its tools, what it weighs at rest, and how long a call takes. */
async function measure(cwd, count) {
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: process.env.TMPDIR };
  const begin = performance.now();
  const child = spawn(process.execPath, [program, "serve", "--expose", "tools"], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      waiting.get(message.id)?.(message.result ?? message);
    }
  });
  let id = 0;
  const ask = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  await ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "0" },
  });
  const initialized = performance.now() - begin;
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  let tools = [];
  while (tools.filter(({ name }) => /^t\d+$/.test(name)).length < count) {
    ({ tools } = await ask("tools/list", {}));
    if (tools.filter(({ name }) => /^t\d+$/.test(name)).length < count) await sleep(5);
  }
  const listed = performance.now() - begin;
  await sleep(3000);
  const rss = Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024;
  const calls = [];
  for (let n = 0; count > 0 && n < 200; n++) {
    const start = performance.now();
    const { content } = await ask("tools/call", { name: "t0", arguments: {} });
    if (!content[0].text.startsWith("done")) throw new Error(content[0].text);
    calls.push(performance.now() - start);
  }
  child.stdin.end();
  await new Promise((resolve) => child.once("exit", resolve));
  return { initialized, listed, rss, call: median(calls) };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

for (const [name, kind] of Object.entries(kinds)) {
  const none = [];
  for (const count of (process.env.COUNTS ?? "0,1,5,10").split(",").map(Number)) {
    const cwd = await directory(kind, count);
    // The first start fills the compile cache.
    await measure(cwd, count);
    const all = [];
    for (let run = 0; run < runs; run++) all.push(await measure(cwd, count));
    const of = (key) => median(all.map((one) => one[key]));
    if (count === 0) none.push(of("rss"));
    const each = count === 0 ? "" : `   ${((of("rss") - none[0]) / count).toFixed(1)} MB each`;
    const figures = `initialize ${of("initialized").toFixed(0)} ms, listed ${of("listed").toFixed(0)} ms, call ${of("call").toFixed(2)} ms`;
    console.log(`${name}, ${String(count).padStart(2)}: ${figures}, RSS ${of("rss").toFixed(0)} MB${each}`);
  }
}
await rm(home, { recursive: true, force: true });
