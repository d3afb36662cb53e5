// What a call costs more through `duet serve --expose tools` than to the server itself: the same client, the same server
// (tool-server.mjs), over stdio. They take turns, so that a machine whose speed drifts slows all. Prints medians, p99, their
// difference, and on Linux the processor time of the gateway per call; exits 1 when a call takes more than 1 ms or 0.45 ms of that.
//
//     node bench/gateway.mjs [CALLS] [PROGRAM]     another build's dist/duet.js is measured in the same turns
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const calls = Number(process.argv[2] ?? 1000);
const before = process.argv[3];
const mostMs = 1;
const mostCpuMs = 0.45;
// Code is compiled during the first hundreds of calls, which a gateway makes once.
const warmUp = 500;
const program = fileURLToPath(new URL("../dist/duet.js", import.meta.url));
const server = { command: process.execPath, args: [fileURLToPath(new URL("tool-server.mjs", import.meta.url))] };
const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
const config = join(home, "duet.config.json");
await writeFile(config, JSON.stringify({ mcpServers: { bench: server }, conversations: { store: "memory" } }));
const gatewayOf = (file) => ({
  command: process.execPath,
  args: [file, "serve", "--config", config, "--expose", "tools"],
});

async function connect(how) {
  const client = new Client({ name: "bench", version: "0" });
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  const transport = new StdioClientTransport({ ...how, env, stderr: "inherit" });
  await client.connect(transport);
  await client.listTools();
  return { client, pid: transport.pid };
}

/** Milliseconds of processor time that a process has used, in steps of 10 ms; NaN where the system does not tell. */
async function cpuOf(pid) {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name in brackets may hold blanks; user and system time are the 12th and 13th field behind it.
  const [user, system] = line
    .slice(line.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return 10 * (Number(user) + Number(system));
}

/** Milliseconds of one call. */
async function timed({ client }, name) {
  const began = performance.now();
  const { content } = await client.callTool({ name, arguments: { text: "hello" } });
  const took = performance.now() - began;
  if (content[0]?.text !== "hello and hello again to you") throw new Error(`unexpected: ${JSON.stringify(content)}`);
  return took;
}

function at(share, values) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];
}

const subjects = [
  { title: "directly           ", how: server, name: "echo" },
  { title: "through the gateway", how: gatewayOf(program), name: "bench__echo" },
  ...(before ? [{ title: "through the other  ", how: gatewayOf(before), name: "bench__echo" }] : []),
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
  const began = await cpuOf(one.pid);
  for (let call = 0; call < calls; call++) await timed(one, one.name);
  one.cpu = ((await cpuOf(one.pid)) - began) / calls;
}
await Promise.all(running.map(({ client }) => client.close()));
await rm(home, { recursive: true, force: true });

const [direct, ...gateways] = running;
for (const { title, times, cpu } of running) {
  const figures = `${at(0.5, times).toFixed(2).padStart(6)} ms   p99 ${at(0.99, times).toFixed(2).padStart(6)} ms`;
  console.log(`a call, ${title}  ${figures}   ${cpu.toFixed(2)} ms of processor time   of ${calls}`);
}
const costs = gateways.map(({ times, cpu }) => ({ more: at(0.5, times) - at(0.5, direct.times), cpu }));
for (const [index, { more }] of costs.entries())
  console.log(
    `${index === 0 ? "the gateway" : "the other  "} adds             ${more.toFixed(2).padStart(6)} ms   (at most ${mostMs})`,
  );
const [ours] = costs;
process.exitCode = ours.more <= mostMs && !(ours.cpu > mostCpuMs) ? 0 : 1;
