// What counts.mjs and questions.mjs measure: the built library, beside the floor (floor/loop.mjs). Model and tools are other processes.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median } from "./measure/statistics.mjs";

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

/**
 * Returns the milliseconds that the model alone takes for a question: the two turns, read one after the other and not looked into; the
 * median of some questions over one connection, without the first, which opens it.
 */
export async function timeModel(url) {
  // It is loaded only here, so that a process of the library has nothing of it in memory.
  const { Pool } = await import("undici");
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin);
  const offered = [{ type: "function", function: { name: "echo" } }];
  const read = async (role) => {
    const body = JSON.stringify({ model: "m", stream: true, tools: offered, messages: [{ role, content: "hello" }] });
    const headers = { "content-type": "application/json" };
    const answer = await pool.request({ path: `${pathname}/chat/completions`, method: "POST", headers, body });
    await answer.body.dump({ limit: Number.POSITIVE_INFINITY });
  };
  const times = [];
  for (let question = 0; question < 5; question++) {
    const began = performance.now();
    for (const role of ["user", "tool"]) await read(role);
    times.push(performance.now() - began);
  }
  await pool.close();
  return median(times.slice(1));
}
