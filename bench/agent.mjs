// Overhead of the agent: CPU time of one question (one tool round, an answer of 60 chunks) through the built library,
// beside a loop written by hand with the global `fetch` and the MCP client on the same work. Model and tools are other
// processes, so that only the agent is counted. The two take turns within one process, so that a machine whose speed
// drifts slows both; prints medians and their ratio. Fails above the limit.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createDuet } from "../dist/index.js";

const limit = 1.3;
const rounds = Number(process.argv[2] ?? 30);
const questionsPerRound = 50;
const warmUp = 6;

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const tools = { command: process.execPath, args: [at("./tool-server.mjs")] };
const server = spawn(process.execPath, [at("./model-server.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
const url = String(await new Promise((resolve) => server.stdout.once("data", resolve))).trim();
const contestants = {};
try {
  contestants.hand = await byHand();
  contestants.duet = await ours();
  const times = { hand: [], duet: [] };
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of round % 2 ? ["hand", "duet"] : ["duet", "hand"]) {
      const used = await cpuTime(contestants[name].ask);
      if (round >= 0) times[name].push(used);
    }
  }
  const [hand, duet] = [median(times.hand), median(times.duet)];
  console.log(`by hand, fetch and MCP client  ${hand.toFixed(2)} ms   median of ${rounds}`);
  console.log(`duet                           ${duet.toFixed(2)} ms   ${(duet / hand).toFixed(2)} x`);
  if (duet > limit * hand) throw new Error(`the overhead is ${(duet / hand).toFixed(2)} x, above ${limit} x`);
} finally {
  await Promise.all(Object.values(contestants).map(({ close }) => close()));
  server.kill();
}

/** Milliseconds of CPU, user and system, for one question. */
async function cpuTime(ask) {
  const before = process.cpuUsage();
  for (let index = 0; index < questionsPerRound; index++) {
    const text = await ask("Say hello.");
    if (!text.endsWith("word59")) throw new Error(`not the answer: ${text}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / questionsPerRound;
}

async function ours() {
  process.env.BENCH_KEY = "k";
  const model = { provider: "bench", model: "m" };
  const duet = await createDuet({
    models: { functionCall: model },
    config: {
      providers: { bench: { wire: "openai-chat", baseUrl: url, apiKeyEnv: "BENCH_KEY" } },
      mcpServers: { bench: tools },
      tools: { allow: ["bench__*"] },
      locale: "en",
    },
  });
  await duet.tools();
  return {
    async ask(question) {
      let text = "";
      for await (const event of duet.stream(question)) if (event.type === "answer-delta") text += event.text;
      return text;
    },
    close: duet.close,
  };
}

async function byHand() {
  const client = new Client({ name: "bench", version: "0" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(new StdioClientTransport({ ...tools, stderr: "ignore" }));
  const listed = (await client.listTools()).tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
  return {
    async ask(question) {
      const messages = [
        { role: "system", content: "You are a helpful assistant." },
        { role: "user", content: question },
      ];
      for (;;) {
        const { text, calls } = await turn(messages, listed);
        if (calls.length === 0) return text;
        messages.push({ role: "assistant", content: text || null, tool_calls: calls });
        for (const call of calls) {
          const { name, arguments: args } = call.function;
          const { content } = await client.callTool({ name, arguments: JSON.parse(args) });
          messages.push({ role: "tool", tool_call_id: call.id, content: content.map((part) => part.text).join("\n") });
        }
      }
    },
    close: () => client.close(),
  };
}

async function turn(messages, listed) {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer k" },
    body: JSON.stringify({
      model: "m",
      messages,
      tools: listed,
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  const decoder = new TextDecoder();
  const calls = [];
  let text = "";
  let held = "";
  for await (const bytes of response.body) {
    held += decoder.decode(bytes, { stream: true });
    const lines = held.split("\n");
    held = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
      const delta = JSON.parse(line.slice(6)).choices[0]?.delta;
      text += delta?.content ?? "";
      for (const { index, id, function: part } of delta?.tool_calls ?? []) {
        calls[index] ??= { id, type: "function", function: { name: part.name, arguments: "" } };
        calls[index].function.arguments += part.arguments ?? "";
      }
    }
  }
  return { text, calls };
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
