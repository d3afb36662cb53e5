// A process that asks: `node in-process.mjs floor|DIST MODEL_URL`. A line `{ "count": 100, "atOnce": 10 }` on stdin asks so many questions;
// a line on stdout tells their processor time, their times and the memory.
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { askAll } from "./ask-all.mjs";

const [contestant, url] = process.argv.slice(2);
const tools = { command: process.execPath, args: [fileURLToPath(new URL("../tool-server.mjs", import.meta.url))] };
const { ask, close } = contestant === "floor" ? await openFloorOf() : await openDuet(contestant);
console.log("{}");
for await (const line of createInterface({ input: process.stdin })) {
  const { count, atOnce } = JSON.parse(line);
  const before = process.cpuUsage();
  const times = await askAll(ask, count, atOnce);
  const { user, system } = process.cpuUsage(before);
  const rss = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ cpu: (user + system) / 1000 / count, times, rss }));
}
await close();

async function openFloorOf() {
  const { openFloor } = await import("../floor/loop.mjs");
  return openFloor(url, tools);
}

/** As it is used: conversations and the journal of runs are kept on disk. */
async function openDuet(dist) {
  const { createDuet } = await import(`${dist}/index.js`);
  const duet = await createDuet({
    models: { functionCall: { provider: "bench", model: "m" } },
    config: {
      providers: { bench: { wire: "openai-chat", baseUrl: url, apiKeyEnv: "BENCH_KEY" } },
      mcpServers: { bench: tools },
      conversations: { store: "disk" },
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
