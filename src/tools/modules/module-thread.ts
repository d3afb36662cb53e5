import { getCompileCacheDir } from "node:module";
import { MessageChannel, receiveMessageOnPort, SHARE_ENV, Worker } from "node:worker_threads";
import { isRecord } from "../../kit/json.ts";
import type { Ending, FromWorker, ModuleKind, ToWorker, WorkerData } from "./messages.ts";

/** Represents the thread of one module, from its start to its end. It keeps no process alive unless it is awaited. */
export interface ModuleThread<Kind extends ModuleKind> {
  /** Settles once the thread is over; never rejects. */
  readonly ended: Promise<Ending>;
  post(message: ToWorker<Kind>): void;
  /** Hands over at once what has arrived and waits for its turn in the event loop. */
  drain(): void;
  /** Sets whether the thread keeps the process alive. */
  setAwaited(isAwaited: boolean): void;
  /** Ends it at once, whatever it does. */
  stop(): Promise<void>;
}

export type ModuleSource = Omit<WorkerData, "port" | "compileCache">;

/** Starts a worker that imports the module; what it sends is given to `onMessage`. */
export function startModuleThread<Kind extends ModuleKind>(
  source: ModuleSource,
  memoryMb: number,
  onMessage: (message: FromWorker<Kind>) => void,
): ModuleThread<Kind> {
  const { port1: port, port2 } = new MessageChannel();
  const workerData: WorkerData = { ...source, port: port2, compileCache: getCompileCacheDir() };
  const name = import.meta.url.endsWith(".ts") ? "./module-worker.ts" : "./module-worker.js";
  const worker = new Worker(new URL(name, import.meta.url), {
    workerData,
    transferList: [port2],
    // As if it ran in our own thread.
    env: SHARE_ENV,
    ...(process.execArgv.some(isAboutEvaluatedCode) ? { execArgv: [] } : {}),
    // Stdout may belong to a protocol: what the module prints comes as a message.
    stdout: true,
    stderr: true,
    name: source.file,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  port.on("message", onMessage);
  port.unref();
  worker.unref();

  let thrown: { error: unknown } | undefined;
  worker.on("error", (error: unknown) => {
    thrown ??= { error };
  });
  const ended = new Promise<Ending>((resolve) => {
    worker.once("exit", (code) => {
      drainOutput();
      port.close();
      if (thrown === undefined) resolve({ by: "exit", code });
      else resolve(isOutOfMemory(thrown.error) ? { by: "memory" } : { by: "error", thrown: thrown.error });
    });
  });

  function drainOutput(): void {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      onMessage(next.message);
  }

  return {
    ended,
    post: (message) => port.postMessage(message),
    drain: drainOutput,
    setAwaited(isAwaited) {
      if (isAwaited) worker.ref();
      else worker.unref();
    },
    async stop() {
      await worker.terminate();
    },
  };
}

/** Options of `node -e`, with which a worker, which has a file, does not start. */
function isAboutEvaluatedCode(option: string): boolean {
  return /^(--input-type|--eval|--print|-[ep]{1,2}$)/.test(option);
}

function isOutOfMemory(error: unknown): boolean {
  return isRecord(error) && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}
