// What a call costs more through `duet serve --expose tools` than to the server itself: the same client, the same server
// (tool-server.mjs), over stdio; beside a gateway by hand on the official packages (floor/gateway.mjs). For the times they take turns, so that a
// machine whose speed drifts slows all; the processor time is of a block of calls for each. Needs Linux (`/proc`).
//
//     node bench/gateway.mjs [CALLS] [DIST]     the `dist` of another build is measured in the same turns
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { listKeys, openReport } from "./figures/report.mjs";
import { readCpu } from "./measure/process.mjs";
import { quantile } from "./measure/statistics.mjs";

const calls = Number(process.argv[2] ?? 1000);
const otherDist = process.argv[3];
// Code is compiled during the first hundreds of calls, which a gateway makes once.
const warmUp = 500;
const report = openReport(listKeys("gateway"));
const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const server = { command: process.execPath, args: [at("./tool-server.mjs")] };
const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
const config = join(home, "duet.config.json");
await writeFile(config, JSON.stringify({ mcpServers: { bench: server } }));
const gatewayOf = (dist) => ({
  command: process.execPath,
  args: [join(dist, "duet.js"), "serve", "--config", config, "--expose", "tools"],
});

async function connect(how) {
  const client = new Client({ name: "bench", version: "0" });
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  const transport = new StdioClientTransport({ ...how, env, stderr: "inherit" });
  await client.connect(transport);
  await client.listTools();
  return { client, pid: transport.pid };
}

/** Milliseconds of one call. */
async function timed({ client }, name) {
  const began = performance.now();
  const { content } = await client.callTool({ name, arguments: { text: "hello" } });
  const took = performance.now() - began;
  if (content[0]?.text !== "hello and hello again to you") throw new Error(`unexpected: ${JSON.stringify(content)}`);
  return took;
}

const subjects = [
  { title: "directly", how: server, name: "echo" },
  {
    title: "floor",
    how: { command: process.execPath, args: [at("./floor/gateway.mjs"), ...server.args] },
    name: "echo",
  },
  { title: "duet", how: gatewayOf(at("../dist")), name: "bench__echo" },
  ...(otherDist ? [{ title: "other", how: gatewayOf(otherDist), name: "bench__echo" }] : []),
];
const running = await Promise.all(
  subjects.map(async (subject) => ({ ...subject, times: [], ...(await connect(subject.how)) })),
);
for (let call = -warmUp; call < calls; call++) {
  for (const one of running) {
    const took = await timed(one, one.name);
    if (call >= 0) one.times.push(took);
  }
}
// One after the other, each call behind the one before: between turns a processor forgets what it had at hand.
for (const one of running) {
  const began = readCpu(one.pid);
  for (let call = 0; call < calls; call++) await timed(one, one.name);
  one.cpu = (readCpu(one.pid) - began) / calls;
}
await Promise.all(running.map(({ client }) => client.close()));
await rm(home, { recursive: true, force: true });

const p50 = ({ times }) => quantile(0.5, times);
const [direct, ...gateways] = running;
for (const one of running) {
  const figures = `${p50(one).toFixed(2).padStart(6)} ms   p99 ${quantile(0.99, one.times).toFixed(2).padStart(6)} ms`;
  const more = one === direct ? "" : `   adds ${(p50(one) - p50(direct)).toFixed(2)} ms`;
  console.log(
    `a call, ${one.title.padEnd(9)} ${figures}   ${one.cpu.toFixed(3)} ms of processor time   of ${calls}${more}`,
  );
}
const [floor, duet] = gateways;
report("gateway-cpu", { duet: duet.cpu, floor: floor.cpu });
report("gateway-p50", { duet: p50(duet) - p50(direct), floor: p50(floor) - p50(direct) });
