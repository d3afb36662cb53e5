// The child process in which heavy work is done: what takes long or breaks does so beside the program.
import { on } from "node:events";
import { guardMemory } from "./memory-guard.ts";
import { runJob } from "./run-job.ts";

process.once("disconnect", () => process.exit());
guardMemory(Number(process.argv[2]));
for await (const [job] of on(process, "message")) process.send?.(await runJob(job));
