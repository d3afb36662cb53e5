// A long conversation: processor time of a turn with a tool round, early and late, and how much of each turn's input the vendor has in
// its cache. Fails where turn 150 takes 1.2 times as much as turn 5, or where less than two thirds of all input are cached.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openDuet } from "../src/app/open-duet.ts";
import { loadConfig } from "../src/config/load-config.ts";

const mostFactor = 1.2;
const leastCached = 2 / 3;

const server = spawn(process.execPath, [fileURLToPath(new URL("conversation-server.mjs", import.meta.url))]);
const [address] = await once(server.stdout.setEncoding("utf8"), "data");
try {
  await talk("memory", address.trim(), 60);
  for (const store of ["memory", "disk"]) report(store, await talk(store, address.trim()));
} finally {
  server.kill();
}

/** Asks so many questions in one conversation, and returns what each took. */
async function talk(store, baseUrl, turns = 204) {
  const home = mkdtempSync(join(tmpdir(), "duet-conversation-"));
  const file = join(home, "duet.config.json");
  writeFileSync(
    file,
    JSON.stringify({
      locale: "en",
      conversations: { store },
      search: { enabled: false },
      models: { functionCall: { provider: "local", model: store } },
      providers: { local: { wire: "openai-chat", baseUrl, apiKeyEnv: "LOCAL_KEY" } },
      tools: { allow: ["*"], ask: [] },
    }),
  );
  const config = await loadConfig({ config: file }, { HOME: home, DUET_HOME: home, LOCAL_KEY: "sk-bench" });
  const duet = await openDuet(config);
  const rows = [];
  let conversationId;
  try {
    for (let turn = 1; turn <= turns; turn++) {
      const began = process.cpuUsage();
      let outcome;
      for await (const event of duet.ask({ question: `Question number ${turn}: say it once more?`, conversationId }))
        if (event.type === "run-end") outcome = event.outcome;
      const { user, system } = process.cpuUsage(began);
      if (!outcome.success) throw new Error(outcome.error.message);
      conversationId = outcome.conversation_id;
      const { function_call: decide, compact } = outcome.meta.models;
      const [input, cached] = [decide.input_tokens, decide.cached_tokens];
      rows.push({ turn, ms: (user + system) / 1000, input, cached, isCompacted: compact !== undefined });
    }
  } finally {
    await duet.close();
    rmSync(home, { recursive: true, force: true });
  }
  return rows;
}

function report(store, rows) {
  const at = (turn) => median(rows.slice(turn - 5, turn + 4).map(({ ms }) => ms));
  const shown = [5, 25, 50, 100, 150, 200].map((turn) => `${turn}: ${at(turn).toFixed(1)} ms`);
  console.log(`${store.padEnd(6)} processor time of turn ${shown.join(", ")}`);
  const share = (some) => sum(some, "cached") / sum(some, "input");
  const parts = [20, 60, 100, 150, 200].map((turn) => {
    const { input, cached } = rows[turn - 1];
    return `${turn}: ${cached} of ${input}`;
  });
  const compacted = rows.filter(({ isCompacted }) => isCompacted).map(({ turn }) => turn);
  console.log(`       cached tokens of turn ${parts.join(", ")}; of all ${(100 * share(rows)).toFixed(0)} %`);
  console.log(`       summaries at turns ${compacted.join(", ") || "none"}`);
  if (at(150) > mostFactor * Math.max(at(5), at(10))) process.exitCode = fail(`${store}: late turns take too long`);
  if (share(rows) < leastCached) process.exitCode = fail(`${store}: too little of the input is cached`);
}

function fail(why) {
  console.error(why);
  return 1;
}

function sum(rows, key) {
  return rows.reduce((total, row) => total + row[key], 0);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
