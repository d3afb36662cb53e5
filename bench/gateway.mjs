// What a call costs more through `duet serve --expose tools` than to the server itself: the same client, the same server
// (tool-server.mjs), over stdio. The two take turns, so that a machine whose speed drifts slows both. Prints medians, p99 and
// their difference; exits 1 when the medians are further apart than 2 ms.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const calls = Number(process.argv[2] ?? 300);
const mostMs = 2;
const warmUp = 30;
const program = fileURLToPath(new URL("../dist/duet.js", import.meta.url));
const server = { command: process.execPath, args: [fileURLToPath(new URL("tool-server.mjs", import.meta.url))] };
const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
const config = join(home, "duet.config.json");
await writeFile(config, JSON.stringify({ mcpServers: { bench: server }, conversations: { store: "memory" } }));
const gateway = { command: process.execPath, args: [program, "serve", "--config", config, "--expose", "tools"] };

async function connect(how) {
  const client = new Client({ name: "bench", version: "0" });
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  await client.connect(new StdioClientTransport({ ...how, env, stderr: "inherit" }));
  await client.listTools();
  return client;
}

/** Milliseconds of one call. */
async function timed(client, name) {
  const began = performance.now();
  const { content } = await client.callTool({ name, arguments: { text: "hello" } });
  const took = performance.now() - began;
  if (content[0]?.text !== "hello and hello again to you") throw new Error(`unexpected: ${JSON.stringify(content)}`);
  return took;
}

function at(share, values) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];
}

const [direct, passed] = await Promise.all([connect(server), connect(gateway)]);
const times = { direct: [], passed: [] };
for (let call = -warmUp; call < calls; call++) {
  const took = [await timed(direct, "echo"), await timed(passed, "bench__echo")];
  if (call < 0) continue;
  times.direct.push(took[0]);
  times.passed.push(took[1]);
}
await Promise.all([direct.close(), passed.close()]);
await rm(home, { recursive: true, force: true });

for (const [name, values] of Object.entries(times)) {
  const figures = `${at(0.5, values).toFixed(2).padStart(6)} ms   p99 ${at(0.99, values).toFixed(2).padStart(6)} ms`;
  console.log(`a call, ${name === "direct" ? "directly           " : "through the gateway"}  ${figures}   of ${calls}`);
}
const more = at(0.5, times.passed) - at(0.5, times.direct);
console.log(`the gateway adds             ${more.toFixed(2).padStart(6)} ms   (at most ${mostMs})`);
process.exitCode = more <= mostMs ? 0 : 1;
