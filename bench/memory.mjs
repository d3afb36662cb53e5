// Memory of the agent, on the heap and beside it, after collecting garbage: of a conversation that waits for its next
// question, and whether 5,000 runs leave anything behind once everything that is kept on purpose is full. Fails above
// the limits. Needs node --expose-gc.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDuet } from "../dist/index.js";
import { settledMemory } from "./settled-memory.mjs";

const idleLimit = 100_000;
/** Bytes a run, over the second half of the runs; the collector's own unsteadiness is about half of this. */
const growthLimit = 400;
const conversations = Number(process.argv[2] ?? 500);
const runs = Number(process.argv[3] ?? 5000);
const sideBySide = 10;

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const tools = { command: process.execPath, args: [at("./tool-server.mjs")] };
const server = spawn(process.execPath, [at("./model-server.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
const url = String(await new Promise((resolve) => server.stdout.once("data", resolve))).trim();
const folder = await mkdtemp(join(tmpdir(), "duet-bench-"));
process.env.BENCH_KEY = "k";
process.env.DUET_HOME = folder;
try {
  await idle("disk");
  await idle("memory");
  await growth();
} finally {
  server.kill();
  await rm(folder, { recursive: true, force: true });
}

async function idle(store) {
  const duet = await open(store);
  await ask(duet, 50);
  const before = await settledMemory();
  await ask(duet, conversations);
  const each = ((await settledMemory()) - before) / conversations;
  await duet.close();
  console.log(`an idle conversation, store ${store.padEnd(6)}  ${(each / 1000).toFixed(1).padStart(6)} kB`);
  if (each > idleLimit) throw new Error(`an idle conversation takes ${Math.round(each)} bytes, above ${idleLimit}`);
}

async function growth() {
  const duet = await open("disk");
  await ask(duet, runs / 2);
  const before = await settledMemory();
  await ask(duet, runs / 2);
  const each = ((await settledMemory()) - before) / (runs / 2);
  await duet.close();
  console.log(`growth over the last half of ${runs} runs ${Math.round(each).toString().padStart(4)} bytes a run`);
  if (each > growthLimit) throw new Error(`a run leaves ${Math.round(each)} bytes behind, above ${growthLimit}`);
}

function open(store) {
  return createDuet({
    models: { functionCall: { provider: "bench", model: "m" } },
    config: {
      providers: { bench: { wire: "openai-chat", baseUrl: url, apiKeyEnv: "BENCH_KEY" } },
      mcpServers: { bench: tools },
      conversations: { store },
      tools: { allow: ["bench__*"] },
      locale: "en",
    },
  });
}

/** That many questions, each in a conversation of its own. */
async function ask(duet, count) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) {
      const { status } = await duet.ask("Say hello.");
      if (status !== "complete") throw new Error(`the run is ${status}`);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, worker));
}
