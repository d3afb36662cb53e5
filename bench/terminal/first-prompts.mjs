import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inTerminal, median, program } from "./pseudo-terminal.mjs";

const limit = 6;
const runs = 15;

/** From the start of the process to the prompt, beside `node -e 0` in a terminal of the same kind. */
export async function measure(folder) {
  const tool = { command: process.execPath, args: [fileURLToPath(new URL("../tool-server.mjs", import.meta.url))] };
  const config = join(folder, "servers.json");
  await writeFile(config, JSON.stringify({ mcpServers: { one: tool, two: tool, three: tool } }));
  // Without a configuration the very first start would ask for one.
  await mkdir(join(folder, ".config/duet"), { recursive: true });
  await writeFile(join(folder, ".config/duet/config.json"), "{}");
  const bare = { PATH: process.env.PATH, HOME: folder, TERM: "xterm-256color", LANG: "en_US.UTF-8" };
  const keyed = { ...bare, DEEPSEEK_API_KEY: "k" };
  const cases = {
    "no model": () => prompt([], { ...bare, OLLAMA_BASE_URL: "http://127.0.0.1:9/v1" }),
    "a key": () => prompt([], keyed),
    "a key and three servers": () => prompt(["--config", config], keyed),
  };
  const times = { "node -e 0": [], ...Object.fromEntries(Object.keys(cases).map((name) => [name, []])) };
  for (let run = -1; run < runs; run++) {
    const taken = { "node -e 0": await nothing() };
    for (const [name, start] of Object.entries(cases)) taken[name] = await start();
    if (run >= 0) for (const [name, ms] of Object.entries(taken)) times[name].push(ms);
  }
  const base = median(times["node -e 0"]);
  const slow = [];
  for (const [name, all] of Object.entries(times)) {
    const ms = median(all);
    console.log(
      `first prompt, ${name.padEnd(24)} ${ms.toFixed(0).padStart(4)} ms   ${(ms / base).toFixed(2)} x   median of ${runs}`,
    );
    if (ms > limit * base) slow.push(name);
  }
  if (slow.length > 0) throw new Error(`the first prompt takes above ${limit} x with ${slow.join(", ")}`);

  async function prompt(args, env) {
    const terminal = inTerminal([program, ...args], env, folder);
    const since = terminal.shows(/pid \d/);
    const at = await terminal.shows(/(?:Chat|Agent) mode[^\n]* > /);
    terminal.type("\u0004");
    await terminal.ended;
    return at - (await since);
  }

  async function nothing() {
    const terminal = inTerminal(["-e", "0"], bare, folder);
    const since = await terminal.shows(/pid \d/);
    await terminal.ended;
    return performance.now() - since;
  }
}
