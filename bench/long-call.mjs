// A run of 150 s under clients that give a call up after 60 s: with reset on progress it is one call; without, the call says
// `running` in time and agent_result brings the whole answer. The model is silent all that time. Takes 150 s, or what is
// given: `node bench/long-call.mjs 30 12` (then the call's window is shortened too). Exits 1 when an answer is not whole.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const runS = Number(process.argv[2] ?? 150);
const limitS = Number(process.argv[3] ?? 60);
const answer = "This took its time.";
const program = fileURLToPath(new URL("../dist/duet.js", import.meta.url));

const model = createServer(async (request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta, finish_reason = null) =>
    response.write(
      `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "slow", choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    );
  send({ role: "assistant", content: answer.slice(0, 5) });
  // Comments keep the line open, as vendors do; they are no text.
  const alive = setInterval(() => response.write(": wait\n\n"), 5000);
  const rest = setTimeout(() => {
    send({ content: answer.slice(5) });
    send({}, "stop");
    response.end("data: [DONE]\n\n");
  }, runS * 1000);
  response.on("close", () => {
    clearInterval(alive);
    clearTimeout(rest);
  });
});
await new Promise((done) => model.listen(0, "127.0.0.1", done));

const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
const file = join(home, "duet.config.json");
const baseUrl = `http://127.0.0.1:${model.address().port}/v1`;
await writeFile(
  file,
  JSON.stringify({
    models: { functionCall: { provider: "openai", model: "slow", baseUrl, timeout: 600 } },
    agent: { maxExecutionTime: 300 },
    conversations: { store: "memory" },
    serve: { windows: { patient: 3600, ...(limitS < 60 ? { hasty: limitS * 0.8 } : {}) } },
  }),
);
const env = { PATH: process.env.PATH ?? "", HOME: home, OPENAI_API_KEY: "sk-bench" };
const args = [program, "serve", "--config", file];

const http = spawn(process.execPath, [...args, "--http", "0"], { env, stdio: ["ignore", "ignore", "pipe"] });
const url = await new Promise((found) => {
  createInterface({ input: http.stderr }).on("line", (line) => {
    const address = /http:\/\/\S+\/mcp/.exec(line)?.[0];
    if (address !== undefined) found(new URL(address));
  });
});

const transports = {
  stdio: () => new StdioClientTransport({ command: process.execPath, args, env, stderr: "inherit" }),
  HTTP: () => new StreamableHTTPClientTransport(url),
};

async function connect(name, transport, mode) {
  const client = new Client({ name, version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transports[transport]());
  return client;
}

const hosts = {
  /** One call; each progress notification restarts its timeout. */
  async patient(client, question) {
    let told = 0;
    const options = { timeout: limitS * 1000, resetTimeoutOnProgress: true, onprogress: () => void told++ };
    const { structuredContent } = await client.callTool({ name: "agent_ask", arguments: { question } }, options);
    return { outcome: structuredContent, how: `1 call, ${told} notifications` };
  },
  /** Calls that end before the time-out, as many as are needed. */
  async hasty(client, question) {
    const options = { timeout: limitS * 1000 };
    let calls = 1;
    let { structuredContent } = await client.callTool({ name: "agent_ask", arguments: { question } }, options);
    while (structuredContent.status === "running") {
      const { run_id } = structuredContent;
      calls += 1;
      ({ structuredContent } = await client.callTool({ name: "agent_result", arguments: { run_id } }, options));
    }
    return { outcome: structuredContent, how: `${calls} calls` };
  },
};

async function measure(name, transport, mode) {
  const client = await connect(name, transport, mode);
  const began = performance.now();
  const line = (text) => console.log(`${name.padEnd(8)} ${transport.padEnd(6)} ${mode.padEnd(7)} ${text}`);
  try {
    const { outcome, how } = await hosts[name](client, `${name} ${transport} ${mode}`);
    const isWhole = outcome.status === "complete" && outcome.response === answer;
    line(
      `${((performance.now() - began) / 1000).toFixed(1)} s, ${how}: ${isWhole ? "whole" : JSON.stringify(outcome)}`,
    );
    return isWhole;
  } catch (thrown) {
    line(`failed after ${((performance.now() - began) / 1000).toFixed(1)} s: ${thrown.message}`);
    return false;
  } finally {
    await client.close();
  }
}

const rows = Object.keys(hosts).flatMap((name) =>
  Object.keys(transports).flatMap((transport) => ["legacy", "auto"].map((mode) => measure(name, transport, mode))),
);
const whole = await Promise.all(rows);
http.kill();
model.closeAllConnections();
model.close();
await rm(home, { recursive: true, force: true });
process.exitCode = whole.every(Boolean) ? 0 : 1;
