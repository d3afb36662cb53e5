// A caller of an agent that is one tool of an MCP server over stdio. It is written by hand, so that it takes little of the processor.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { askAll } from "./ask-all.mjs";

/** Starts the server of a contestant and opens its session. */
export async function openServer({ command, args, env, tool = "agent_ask", argument = "question" }) {
  const child = spawn(command, args, { env, cwd: env.HOME, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  let last = 0;
  let progress = 0;
  child.once("exit", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the server exited with ${code}`));
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, method, result, error } = JSON.parse(line);
    if (method === "notifications/progress") progress += 1;
    else if (method !== undefined && id !== undefined) send({ id, result: {} });
    else if (waiting.has(id)) {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error) reject(new Error(error.message));
      else resolve(result);
    }
  });

  function send(message) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  function request(method, params) {
    const id = ++last;
    const { promise, resolve, reject } = Promise.withResolvers();
    waiting.set(id, { resolve, reject });
    send({ id, method, params });
    return promise;
  }

  async function ask(question) {
    const progressToken = last + 1;
    const call = { name: tool, arguments: { [argument]: question }, _meta: { progressToken } };
    const { content } = await request("tools/call", call);
    return content.map((part) => part.text ?? "").join("");
  }

  const clientInfo = { name: "bench", version: "0" };
  await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  await request("tools/list", {});
  return {
    async run({ count, atOnce }) {
      const [cpu, sent] = [cpuOf(child.pid), progress];
      const times = await askAll(ask, count, atOnce);
      const used = (cpuOf(child.pid) - cpu) / count;
      return { cpu: used, times, rss: peakOf(child.pid), progress: (progress - sent) / count };
    },
    async close() {
      child.stdin.end();
      const kill = setTimeout(() => child.kill(), 3000);
      if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once("exit", done));
      clearTimeout(kill);
    },
  };
}

/** Milliseconds of processor time of all threads of a process that are alive. */
function cpuOf(pid) {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return nanoseconds / 1e6;
}

/** The most memory that the process had, in MB. */
function peakOf(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}
