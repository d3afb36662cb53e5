// A caller of an agent that is one tool of an MCP server over stdio. It is written by hand, so that it takes little of the processor.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { readCpu, readPeakMemory } from "../measure/process.mjs";
import { askAll } from "./ask-all.mjs";

/** Starts the server of a contestant and opens its session. */
export async function openServer({ command, args, env, tool = "agent_ask", argument = "question" }) {
  const child = spawn(command, args, { env, cwd: env.HOME, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  let last = 0;
  let progress = 0;
  let ended;
  const exited = once(child, "exit").then(([code]) => {
    ended = new Error(`the server exited with ${code}`);
    for (const { reject } of waiting.values()) reject(ended);
  });
  // What is written to a server that has ended is answered by its exit.
  child.stdin.on("error", () => {});
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

  async function request(method, params) {
    if (ended) throw ended;
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
      const [cpu, sent] = [readCpu(child.pid), progress];
      const times = await askAll(ask, count, atOnce);
      const used = (readCpu(child.pid) - cpu) / count;
      return { cpu: used, times, rss: readPeakMemory(child.pid), progress: (progress - sent) / count };
    },
    async close() {
      child.stdin.end();
      const kill = setTimeout(() => child.kill(), 3000);
      await exited;
      clearTimeout(kill);
    },
  };
}
