// Asks real agents over the Agent Client Protocol through the built program, as an MCP host does, and prints one Markdown table.
// `node scripts/interop/agents.mjs [NAME...] [--list] [--folder DIR]`
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { startAgentModel, taskMark } from "./agent-model.mjs";
import { listAgents } from "./agent-rows.mjs";
import { readArguments, requireKnown } from "./arguments.mjs";
import { installClient, readVersion } from "./install.mjs";

const { values, positionals } = readArguments({
  list: { type: "boolean", default: false },
  folder: { type: "string" },
});
const program = resolve(import.meta.dirname, "../../dist/duet.js");
const names = listAgents("").map(({ name }) => name);
requireKnown("agent", positionals, names);
const columns = ["start", "ask", "progress", "permission", "cancel", "resume", "crash"];
/** A call of an agent that has not ended by then has failed. */
const patienceMs = 60_000;

async function runAll() {
  if (!existsSync(program)) throw new Error(`${program} is missing: run \`npm run build\` first.`);
  const folder = values.folder ? resolve(values.folder) : mkdtempSync(join(tmpdir(), "duet-agents-"));
  const model = await startAgentModel();
  const lines = [];
  try {
    for (const agent of listAgents(model.address)) {
      if (positionals.length > 0 && !positionals.includes(agent.name)) continue;
      const own = join(folder, agent.name);
      console.error(`${agent.name}: installing`);
      const obstacle = installClient({ folder: mkdtempSync(join(tmpdir(), "duet-none-")), npm: agent.npm }, own);
      const cells = obstacle ? { start: `✗ ${obstacle}` } : await runAgent(agent, own, model);
      const version = readVersion({ version: { npm: agent.version } }, own);
      lines.push(`| ${[agent.name, version, ...columns.map((name) => cells[name] ?? "–")].join(" | ")} |`);
      if (Object.values(cells).some((cell) => cell.startsWith("✗"))) process.exitCode = 1;
    }
  } finally {
    model.close();
    if (!values.folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  console.log(
    `| agent | version | ${columns.join(" | ")} |\n|${" --- |".repeat(columns.length + 2)}\n${lines.join("\n")}`,
  );
}

/** Runs all scenarios with one agent. The first that fails is said in its cell, and those that need it are left out. */
async function runAgent(agent, folder, model) {
  const own = mkdtempSync(join(tmpdir(), "duet-agent-"));
  const place = { own, work: join(own, "work"), home: join(own, "home"), duet: join(own, "duet") };
  for (const each of [place.work, place.home, place.duet]) mkdirSync(each);
  for (const [name, content] of Object.entries(agent.files ?? {})) {
    mkdirSync(dirname(join(place.home, name)), { recursive: true });
    writeFileSync(join(place.home, name), JSON.stringify(content));
  }
  writeConfig(agent, folder, place);
  const cells = {};
  const run = async (name, scenario) => {
    console.error(`${agent.name}: ${name}`);
    try {
      cells[name] = await scenario();
    } catch (error) {
      cells[name] = `✗ ${error.message.replaceAll(/\s+/g, " ").replaceAll("|", "/").slice(0, 200)}`;
    }
    console.error(`  ${cells[name]}`);
  };
  let host = await openHost(agent, place);
  try {
    await runScenarios({
      agent,
      place,
      model,
      run,
      getHost: () => host,
      restart: async () => {
        await host.close();
        host = await openHost(agent, place);
      },
    });
  } finally {
    await host.close();
    if (values.folder) writeFileSync(join(folder, "stderr.log"), host.errors.join(""));
    rmSync(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  return cells;
}

async function runScenarios({ agent, place, model, run, getHost, restart }) {
  const made = join(place.work, "made.txt");
  const word = `WORD-${randomBytes(4).toString("hex")}`;
  let conversation;
  let seen = model.begin({ shell: agent.shell, command: `touch ${made}` });
  const ask = (task, more = {}) => getHost().ask(`${taskMark} ${task}`, more);

  await run("start", async () => {
    const began = performance.now();
    expect(await ask("first"), /first is 42/);
    return `${((performance.now() - began) / 1000).toFixed(1)} s`;
  });
  await run("ask", async () => {
    const began = performance.now();
    const { outcome } = expect(await ask(`note ${word}`), /note is 42/);
    conversation = outcome.conversation_id;
    const { total_tokens: tokens = 0, cost_usd: cost } = outcome.meta.agents ?? {};
    const price = typeof cost === "number" ? `$${cost}` : "no price";
    return `${Math.round(performance.now() - began)} ms, bill: ${tokens} tokens, ${price}`;
  });
  await run("permission", async () => {
    const answer = await ask("run");
    if (getHost().asked.length === 0) throw new Error(`no question; tools: ${seen.tools.join(", ")}; ${answer.text}`);
    if (!existsSync(made)) throw new Error(`agreed, and not done: ${answer.text}`);
    rmSync(made);
    getHost().decide("decline");
    await ask("run again");
    if (existsSync(made)) throw new Error("done after a no");
    getHost().decide("accept");
    return "dialog, yes ✓, no ✓";
  });
  await run("progress", async () => {
    const calls = getHost().progress;
    const steps = calls.flat().filter(({ message = "" }) => message.includes("… "));
    if (steps.length === 0) throw new Error("no step was told");
    if (calls.some((told) => told.some(({ progress }, index) => index > 0 && progress <= told[index - 1].progress)))
      throw new Error("does not rise");
    return `${steps.length} steps in ${calls.length} calls`;
  });
  await run("cancel", async () => {
    seen = model.begin({ shell: agent.shell, command: "" });
    const { outcome } = await ask("hang", { wait_s: 0 });
    await within(seen.hanging, "the model was not asked");
    const began = performance.now();
    const result = await getHost().call("agent_cancel", { run_id: outcome.run_id });
    const toldMs = Math.round(performance.now() - began);
    if (result.outcome.status !== "cancelled") throw new Error(result.outcome.status);
    await within(seen.closed, "the agent's own request goes on");
    return `${toldMs} ms, its request closed after ${Math.round(performance.now() - began)} ms`;
  });
  await run("resume", async () => {
    if (agent.resumesAfterMs) await new Promise((done) => setTimeout(done, agent.resumesAfterMs));
    await restart();
    const { text, outcome } = await ask("recall", { conversation_id: conversation });
    if (text.includes(word)) return "after a restart of Duet ✓";
    throw new Error(outcome.notices?.map(({ message }) => message).join(" ") ?? text);
  });
  await run("crash", async () => {
    seen = model.begin({ shell: agent.shell, command: "" });
    const { outcome } = await ask("hang", { wait_s: 0 });
    await within(seen.hanging, "the model was not asked");
    for (const pid of listBelow(getHost().pid)) process.kill(pid, "SIGKILL");
    const dead = await getHost().call("agent_result", { run_id: outcome.run_id });
    if (!/its process ended meanwhile/.test(dead.text)) throw new Error(`told: ${dead.text}`);
    expect(await ask("again"), /again is 42/);
    return "told, next question answered";
  });
}

function writeConfig(agent, folder, { own, work, home }) {
  const bin = join(folder, "node_modules/.bin");
  const path = [bin, process.env.PATH].join(":");
  const acp = {
    ...(agent.command && { command: join(bin, agent.command) }),
    ...(agent.args && { args: agent.args, command: join(bin, agent.command ?? agent.name) }),
    env: {
      ...agent.env,
      HOME: home,
      PATH: path,
      XDG_CONFIG_HOME: join(home, ".config"),
      XDG_DATA_HOME: join(home, ".local"),
    },
    cwd: work,
    ...agent.acp,
  };
  // The command of the table is found on the PATH of the program.
  const config = { locale: "en", serve: { agents: true }, agents: { [agent.name]: { acp } } };
  writeFileSync(join(own, "duet.config.json"), JSON.stringify(config));
}

/** Starts Duet as an MCP host does, and agrees to what it is asked until told otherwise. */
async function openHost(agent, { own, duet }) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "serve", "--config", join(own, "duet.config.json")],
    env: { ...process.env, DUET_HOME: duet, HOME: own },
    stderr: "pipe",
  });
  const errors = [];
  transport.stderr?.on("data", (chunk) => errors.push(String(chunk)));
  const client = new Client({ name: "interop", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  const asked = [];
  const progress = [];
  let decision = "accept";
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return { action: decision, content: {} };
  });
  await client.connect(transport);
  const call = async (name, args) => {
    const told = [];
    progress.push(told);
    const onprogress = (event) => told.push(event);
    const result = await client.callTool({ name, arguments: args }, { timeout: patienceMs, onprogress });
    return { text: result.content[0]?.text ?? "", outcome: result.structuredContent ?? {} };
  };
  return {
    ...{ asked, progress, errors, call, pid: transport.pid },
    ask: (question, more) => call(`agent_${agent.name}`, { question, timeout_s: 50, ...more }),
    decide(next) {
      decision = next;
    },
    close: () => client.close(),
  };
}

function expect(answer, pattern) {
  if (!pattern.test(answer.text)) throw new Error(answer.text);
  return answer;
}

async function within(work, message) {
  const { promise, reject } = Promise.withResolvers();
  const timer = setTimeout(() => reject(new Error(message)), 30_000);
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** Lists all processes below one, by Linux' process table. */
function listBelow(pid) {
  const parents = readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, parent] = /\) \S (\d+) /.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      return [[Number(name), Number(parent)]];
    } catch {
      return [];
    }
  });
  const find = (above) => parents.filter(([, parent]) => parent === above).flatMap(([own]) => [own, ...find(own)]);
  return find(pid);
}

if (values.list) for (const name of names) console.log(name);
else await runAll();
