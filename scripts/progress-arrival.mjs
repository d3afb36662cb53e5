// Counts the progress notifications that official MCP clients drop over stdio: those that share a read with their result. Asks the
// built program thousands of short questions while every core is kept busy. Run `npm run build` first.
// `node scripts/progress-arrival.mjs [--seconds 20] [--at-once 4] [--busy 2]`
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "20" },
    "at-once": { type: "string", default: "4" },
    busy: { type: "string", default: String(availableParallelism()) },
  },
});
const program = fileURLToPath(new URL("../dist/duet.js", import.meta.url));
const info = { name: "progress-arrival", version: "1" };
const clients = {
  "SDK v1": [() => new ClientV1(info), StdioV1],
  "SDK v2, 2025-11-25": [() => new ClientV2(info, { versionNegotiation: { mode: "legacy" } }), StdioV2],
  "SDK v2, 2026-07-28": [() => new ClientV2(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } }), StdioV2],
};

const busy = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
);
try {
  for (const [name, [create, Transport]] of Object.entries(clients)) {
    const { calls, sent, dropped, perCallMs } = await count(create(), Transport);
    console.log(
      `${name.padEnd(20)} ${calls} calls, ${sent} notifications, ${dropped} dropped, ${perCallMs.toFixed(1)} ms a call`,
    );
  }
} finally {
  for (const child of busy) child.kill("SIGKILL");
}

async function count(client, Transport) {
  const home = await mkdtemp(join(tmpdir(), "duet-progress-"));
  const config = join(home, "duet.config.json");
  const models = { functionCall: { provider: "offline", model: "rules" } };
  await writeFile(config, JSON.stringify({ models, conversations: { store: "memory" } }));
  const env = { PATH: process.env.PATH, HOME: home, OLLAMA_BASE_URL: "http://127.0.0.1:9/v1" };
  const args = [program, "serve", "--config", config];
  const transport = new Transport({ command: process.execPath, args, env, stderr: "ignore" });
  await client.connect(transport);
  let [calls, sent, heard] = [0, 0, 0];
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if (message.method === "notifications/progress") sent += 1;
    onmessage(message, extra);
  };
  const end = performance.now() + Number(values.seconds) * 1000;
  let spentMs = 0;
  async function askOnAndOn(lane) {
    while (performance.now() < end) {
      const began = performance.now();
      const params = { name: "agent_ask", arguments: { question: `echo ${lane}-${calls}` } };
      const options = { onprogress: () => (heard += 1) };
      await (client instanceof ClientV1
        ? client.callTool(params, undefined, options)
        : client.callTool(params, options));
      spentMs += performance.now() - began;
      calls += 1;
    }
  }
  await Promise.all(Array.from({ length: Number(values["at-once"]) }, (_, lane) => askOnAndOn(lane)));
  await client.close();
  await rm(home, { recursive: true, force: true });
  return { calls, sent, dropped: sent - heard, perCallMs: spentMs / calls };
}
