// How long the first words of a model are on their way to who reads them: in chat, agent and plan mode, with one and with two models,
// in process, over HTTP and on the screen of the terminal chat, drafts shown. Each turn carries the time when its first words left the
// model; who reads the model directly is told beside it. Of a run with several turns the slowest counts. The lower
// quartile is told, because the machine does other work, too. Fails where it is more than 5 ms above that of the direct reader.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDuet } from "../dist/index.js";
import { inTerminal, program } from "./terminal/pseudo-terminal.mjs";

const mostMs = 5;
const runs = Number(process.argv[2] ?? 15);
const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
process.env.BENCH_KEY = "k";
const modelServer = spawn(process.execPath, [fileURLToPath(new URL("./first-text-model.mjs", import.meta.url))], {
  stdio: ["ignore", "pipe", "inherit"],
});
const baseUrl = String((await once(modelServer.stdout, "data"))[0]).trim();
const env = { PATH: process.env.PATH, HOME: home, TERM: "xterm-256color", COLORTERM: "truecolor", BENCH_KEY: "k" };
const failures = [];
let question = 0;

/** Collects how late the first words of each turn were. */
function createReader() {
  const seen = new Set();
  let slowest = 0;
  let text = "";
  return {
    take(piece) {
      const now = Number(process.hrtime.bigint() / 1000n);
      text = (text + piece).slice(-2000);
      for (const [, stamp] of text.matchAll(/@(\d+);/g)) {
        if (seen.has(stamp)) continue;
        seen.add(stamp);
        slowest = Math.max(slowest, (now - Number(stamp)) / 1000);
      }
    },
    get ms() {
      if (seen.size === 0) throw new Error(`nothing was shown: ${text}`);
      return slowest;
    },
  };
}

function ask(mode) {
  question += 1;
  return mode === "plan" ? `Plan run r${question}x.` : `Say run r${question}x.`;
}

async function readDirectly() {
  const reader = createReader();
  const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Say it" }] });
  const sent = request(`${baseUrl}/chat/completions`, { method: "POST" });
  sent.end(body);
  const [response] = await once(sent, "response");
  for await (const piece of response.setEncoding("utf8")) reader.take(piece);
  return reader.ms;
}

function readEvents(event, reader) {
  if (/^(draft|thought|answer)-delta$/.test(event.type)) reader.take(event.text);
}

const ways = {
  "in process": async (config) => {
    const duet = await createDuet({ config });
    return {
      async run(mode) {
        const reader = createReader();
        for await (const event of duet.stream(ask(mode), { mode, drafts: true })) readEvents(event, reader);
        return reader.ms;
      },
      close: () => duet.close(),
    };
  },
  "over HTTP": async (_, file) => {
    const child = spawn(process.execPath, [program, "serve", "--http", "0", "--config", file], { env, cwd: home });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (piece) => {
      said += piece;
    });
    while (!/http:\S+(?=\/mcp)/.test(said)) await once(child.stderr, "data");
    const [origin] = /http:\S+(?=\/mcp)/.exec(said);
    return {
      async run(mode) {
        const reader = createReader();
        const headers = { "content-type": "application/json", accept: "text/event-stream" };
        const sent = request(`${origin}/agent/chat`, { method: "POST", headers });
        sent.end(JSON.stringify({ message: ask(mode), mode, drafts: true }));
        const [response] = await once(sent, "response");
        // The outcome at the end repeats the answer, whose stamp is known by then.
        for await (const piece of response.setEncoding("utf8")) reader.take(piece);
        return reader.ms;
      },
      async close() {
        child.kill();
        await once(child, "close");
      },
    };
  },
  "on the screen": async (_, file) => {
    const open = {};
    return {
      async run(mode) {
        open[mode] ??= await openChat(mode, file);
        return open[mode].run(mode);
      },
      close: () => Promise.all(Object.values(open).map((chat) => chat.close())),
    };
  },
};

async function openChat(mode, file) {
  const terminal = inTerminal([program, "chat", "--mode", mode, "--config", file], env, home);
  await terminal.shows(/\/help/);
  await pause(500);
  let shown = 0;
  return {
    async run() {
      const reader = createReader();
      const before = (terminal.text().match(/tok in total/g) ?? []).length;
      shown = terminal.text().length;
      terminal.type(`${ask(mode)}\r`);
      const isOver = () => (terminal.text().match(/tok in total/g) ?? []).length > before;
      while (!isOver()) {
        await terminal.shows({ test: (text) => text.length > shown });
        const piece = terminal.text().slice(shown);
        shown += piece.length;
        reader.take(piece);
      }
      await pause(50);
      return reader.ms;
    },
    async close() {
      terminal.type("\u0004");
      await Promise.race([terminal.ended, pause(3000)]);
      terminal.kill();
    },
  };
}

function lowerQuartile(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 4)];
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

try {
  const direct = [];
  for (let run = -3; run < runs; run++) {
    const ms = await readDirectly();
    if (run >= 0) direct.push(ms);
  }
  const floor = lowerQuartile(direct);
  console.log(
    `first words, ms after they left the model; lower quartile of ${runs}, who reads the model directly: ${floor.toFixed(2)}`,
  );
  for (const count of [1, 2]) {
    const named = (model) => ({ provider: "bench", model });
    const models = { functionCall: named("m"), ...(count === 2 && { answer: named("n") }) };
    const providers = { bench: { wire: "openai-chat", baseUrl, apiKeyEnv: "BENCH_KEY" } };
    const rest = { search: { enabled: false }, conversations: { store: "memory" }, locale: "en" };
    const config = { providers, models, ...rest };
    const file = join(home, `models-${count}.json`);
    await writeFile(file, JSON.stringify(config));
    for (const [name, open] of Object.entries(ways)) {
      const way = await open(config, file);
      const found = [];
      for (const mode of ["chat", "agent", "plan"]) {
        const times = [];
        for (let run = -3; run < runs; run++) {
          const ms = await way.run(mode);
          if (run >= 0) times.push(ms);
        }
        const over = lowerQuartile(times) - floor;
        found.push(`${mode} ${lowerQuartile(times).toFixed(2).padStart(6)} (+${over.toFixed(2)})`);
        if (over > mostMs)
          failures.push(`${name}, ${mode}, ${count} models: ${over.toFixed(1)} ms above the direct reader`);
      }
      console.log(`  ${count} model${count > 1 ? "s" : " "}  ${name.padEnd(14)} ${found.join("   ")}`);
      await way.close();
    }
  }
} finally {
  modelServer.kill();
  await rm(home, { recursive: true, force: true });
}
if (failures.length > 0) throw new Error(failures.join("; "));
