import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cpuOf, inTerminal, median, program } from "./pseudo-terminal.mjs";

const limitMs = 300;
const runs = 5;

/** The built program in a pseudo terminal, beside the same chat in plain lines whose answer goes to /dev/null. */
export async function measure(folder) {
  const model = fileURLToPath(new URL("../provider-server.mjs", import.meta.url));
  const server = spawn(process.execPath, [model, "10000"], { stdio: ["ignore", "pipe", "inherit"] });
  const url = String(await new Promise((resolve) => server.stdout.once("data", resolve))).trim();
  const config = join(folder, "streamed.json");
  const providers = { bench: { wire: "openai-chat", baseUrl: `${url}/openai-chat`, apiKeyEnv: "BENCH_KEY" } };
  const models = { functionCall: { provider: "bench", model: "m" } };
  await writeFile(config, JSON.stringify({ providers, models, conversations: { store: "memory" }, locale: "en" }));
  const env = { PATH: process.env.PATH, HOME: folder, TERM: "xterm-256color", COLORTERM: "truecolor", BENCH_KEY: "k" };
  const args = [program, "chat", "--mode", "chat", "--config", config];
  const times = { screen: [], discarded: [] };
  let bytes = 0;
  try {
    for (let run = -1; run < runs; run++) {
      const screen = await onScreen(args, env, folder);
      const discarded = await inPlainLines(args, env, folder);
      if (run < 0) continue;
      times.screen.push(screen.cpuMs);
      times.discarded.push(discarded);
      bytes = screen.bytes;
    }
  } finally {
    server.kill();
  }
  const [screen, discarded] = [median(times.screen), median(times.discarded)];
  const own = screen - discarded;
  console.log(
    `10,000 pieces, the built program     ${own.toFixed(0).padStart(4)} ms CPU (${screen.toFixed(0)} in all, ${discarded.toFixed(0)} with the answer discarded), ${Math.round(bytes / 1000)} kB   median of ${runs}`,
  );
  if (own > limitMs) throw new Error(`the terminal takes ${own.toFixed(0)} ms, above ${limitMs} ms`);
}

/** From the question to the end of its answer. */
async function onScreen(args, env, folder) {
  const terminal = inTerminal(args, env, folder);
  await terminal.shows(/Chat mode/);
  await new Promise((resolve) => setTimeout(resolve, 700));
  const [before, shown] = [terminal.cpuMs(), terminal.text().length];
  terminal.type("Go on\r");
  await terminal.shows(/tok in total/);
  const cpuMs = terminal.cpuMs() - before;
  const bytes = Buffer.byteLength(terminal.text().slice(shown));
  terminal.type("\u0004");
  await terminal.ended;
  return { cpuMs, bytes };
}

async function inPlainLines(args, env, cwd) {
  const child = spawn(process.execPath, args, { env, cwd, stdio: ["pipe", "ignore", "pipe"] });
  const over = new Promise((resolve) => {
    let text = "";
    child.stderr.setEncoding("utf8").on("data", (piece) => {
      text += piece;
      if (text.includes("tok in total")) resolve();
    });
  });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const before = cpuOf(child.pid);
  child.stdin.write("Go on\n");
  await over;
  const cpuMs = cpuOf(child.pid) - before;
  child.stdin.end();
  await new Promise((resolve) => child.once("close", resolve));
  return cpuMs;
}
