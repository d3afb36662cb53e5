import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { openDuet } from "../../src/app/open-duet.ts";
import { openInterface } from "../../src/cli/chat/interface/open-interface.ts";
import { runChat } from "../../src/cli/chat/run-chat.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { settledMemory } from "../settled-memory.mjs";

/** Bytes a turn: less than a question and its answer, of which a screen keeps nothing. */
const limit = 2000;
const turns = 500;
/** Until all that is kept on purpose is full: the last 500 steps can be opened again, and a turn is one. */
const turnsBefore = 550;

/** A chat in this process, on a stand-in for a terminal: what its turns leave on the heap and beside it. */
export async function measure(folder) {
  const at = (name) => fileURLToPath(new URL(name, import.meta.url));
  const server = spawn(process.execPath, [at("../model-server.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  const baseUrl = String(await new Promise((resolve) => server.stdout.once("data", resolve))).trim();
  const file = join(folder, "memory.json");
  const settings = {
    providers: { bench: { wire: "openai-chat", baseUrl, apiKeyEnv: "BENCH_KEY" } },
    models: { functionCall: { provider: "bench", model: "m" } },
    mcpServers: { bench: { command: process.execPath, args: [at("../tool-server.mjs")] } },
    tools: { allow: ["bench__*"] },
    locale: "en",
  };
  await writeFile(file, JSON.stringify(settings));
  const environment = { HOME: folder, DUET_HOME: join(folder, "state"), TERM: "xterm-256color", BENCH_KEY: "k" };
  const config = await loadConfig({ config: file }, environment, folder);
  const duet = await openDuet(config);
  const person = sitDown();
  const stop = new AbortController();
  const place = { console: person.console, config, wantsColours: true, signal: stop.signal };
  const over = runChat({
    ...{ duet, config, mode: "agent", signal: stop.signal },
    search: { on: false, isBarred: false },
    openInterface: openInterface.bind(undefined, place),
  });
  try {
    await ask(person, turnsBefore);
    const before = await settledMemory();
    await ask(person, turns);
    const each = ((await settledMemory()) - before) / turns;
    console.log(
      `memory over ${turns} turns of a chat ${Math.round(each).toString().padStart(5)} bytes a turn (${(before / 1e6).toFixed(1)} MB)`,
    );
    if (each > limit) throw new Error(`a turn leaves ${Math.round(each)} bytes behind, above ${limit}`);
  } finally {
    person.type("\u0004");
    await over;
    await duet.close();
    server.kill();
  }
}

/** What is kept of a conversation on purpose grows with it: there is a new one every tenth turn. */
async function ask(person, count) {
  for (let turn = 0; turn < count; turn++) {
    if (turn % 10 === 0) person.type("/clear\r");
    person.type(`Say hello ${turn}.\r`);
    await person.answered();
  }
}

function sitDown() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} });
  let text = "";
  let told = () => {};
  const stdout = Object.assign(new EventEmitter(), {
    ...{ isTTY: true, columns: 100, rows: 30, writable: true },
    write(piece) {
      text = (text + piece).slice(-200);
      if (/tok in total/.test(text)) {
        text = "";
        told();
      }
      return true;
    },
  });
  return {
    console: { stdin, stdout, stderr: stdout },
    type: (keys) => stdin.write(keys),
    answered: () =>
      new Promise((resolve) => {
        told = () => setTimeout(resolve, 5);
      }),
  };
}
