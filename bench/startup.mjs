// Start-up: how long `duet serve` takes, as a whole process, to answer `initialize`, beside `node -e 0`.
// Runs the two in turn, so that a machine whose speed drifts slows both; prints medians and their ratio.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const runs = Number(process.argv[2] ?? 20);
const program = fileURLToPath(new URL("../dist/duet.js", import.meta.url));
const initialize = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "0" } },
})}\n`;
// No keys, no configuration, no local model and nobody's store: what a first start finds.
const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
const env = { PATH: process.env.PATH, HOME: home, TMPDIR: process.env.TMPDIR };

function bare() {
  return timed(["-e", "0"], () => {});
}

function serve() {
  return timed([program, "serve"], (child) => {
    child.stdin.write(initialize);
    child.stdout.once("data", (data) => {
      if (!String(data).includes('"serverInfo"')) throw new Error(`unexpected answer: ${data}`);
      child.stdin.end();
    });
  });
}

/** Milliseconds from the start of the process to its end. */
function timed(args, started) {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve(performance.now() - begin);
      else reject(new Error(`${args.join(" ")} ended with ${code}`));
    });
    started(child);
  });
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

await serve(); // fills the compile cache, as any second start finds it
const times = { bare: [], serve: [] };
for (let run = 0; run < runs; run++) {
  times.bare.push(await bare());
  times.serve.push(await serve());
}
const [base, full] = [median(times.bare), median(times.serve)];
console.log(`node -e 0                    ${base.toFixed(0).padStart(5)} ms   median of ${runs}`);
console.log(`duet serve, initialize, end  ${full.toFixed(0).padStart(5)} ms   ${(full / base).toFixed(2)} x`);
await rm(home, { recursive: true, force: true });
