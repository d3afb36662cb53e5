// The entry of a module's thread. It imports nothing of ours before what is compiled is taken from the cache.
import { enableCompileCache } from "node:module";
import { workerData } from "node:worker_threads";
import type { WorkerData } from "./messages.ts";

const { compileCache }: WorkerData = workerData;
if (compileCache !== undefined) enableCompileCache(compileCache);
void import("./serve-module.ts");
