// The child process in which heavy work is done: what takes long or breaks does so beside the program.
import { on } from "node:events";
import { flushCompileCache } from "node:module";
import { Worker } from "node:worker_threads";
import { runJob } from "./run-job.ts";

/**
 * Ends this process as soon as it takes more than so many bytes, whoever took them: the limit of V8's heap knows nothing of
 * buffers. A thread of its own looks, because work that never pauses leaves the main thread no time to look.
 */
export function guardMemory(mostBytes: number): void {
  new Worker(guardScript, { eval: true, workerData: mostBytes, env: {}, execArgv: [] }).unref();
}

const guardScript = `
const { workerData: mostBytes } = require("node:worker_threads");
setInterval(() => {
  if (process.memoryUsage.rss() > mostBytes) process.kill(process.pid, "SIGKILL");
}, 20);
`;

process.once("disconnect", () => process.exit());

guardMemory(Number(process.argv[2]));

for await (const [job] of on(process, "message")) {
  process.send?.(await runJob(job));
  // Node writes what it has compiled when a process exits, and this one is killed.
  flushCompileCache();
}
