// What counts.mjs and questions.mjs measure: the built library, and in counts.mjs a loop written by hand with the global `fetch` and the
// MCP client on the same work. Model and tools are other processes.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
/** The MCP server that all of them use. */
export const tools = { command: process.execPath, args: [at("./tool-server.mjs")] };

/** Starts the model server, whose answer has so many words, so many milliseconds apart. */
export async function startModel(pauseMs = 0, words = 60) {
  const args = [at("./model-server.mjs"), String(pauseMs), String(words)];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const url = String(await new Promise((resolve) => server.stdout.once("data", resolve))).trim();
  return { url, close: () => server.kill() };
}

/** The library, as it was built into `dist`. `store` says where conversations and the journal of runs are kept. */
export async function openDuet(url, { dist = "../dist", store = "memory" } = {}) {
  const { createDuet } = await import(`${dist}/index.js`);
  process.env.BENCH_KEY = "k";
  const model = { provider: "bench", model: "m" };
  const duet = await createDuet({
    models: { functionCall: model },
    config: {
      providers: { bench: { wire: "openai-chat", baseUrl: url, apiKeyEnv: "BENCH_KEY" } },
      mcpServers: { bench: tools },
      conversations: { store },
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

/** The loop by hand. Its package is loaded only here, so that a process of the library has nothing of it in memory. */
export async function openByHand(url) {
  const { Client } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
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
        const { text, calls } = await turn(url, messages, listed);
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

/** Returns the milliseconds that the model alone takes for a question: the two turns, read one after the other. */
export async function timeModel(url) {
  const began = performance.now();
  const listed = [{ type: "function", function: { name: "echo" } }];
  for (const role of ["user", "tool"]) await turn(url, [{ role, content: "hello" }], listed);
  return performance.now() - began;
}

async function turn(url, messages, listed) {
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
