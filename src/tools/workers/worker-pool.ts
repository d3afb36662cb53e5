import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { createLifeline, type Lifeline } from "../../kit/process/lifeline.ts";
import { hasProcessGroups } from "../../kit/process/process-tree.ts";
import type { Job, JobName, JobReply } from "./run-job.ts";
import { outOfMemoryError, workFailedError } from "./work-errors.ts";

/** Manages child processes, which stay alive for a while for the next job. */
export interface WorkerPool {
  /** Returns an idle process, or a new one. */
  hire(): WorkerProcess;
  /** Returns a process to the pool when its job is done. */
  rest(worker: WorkerProcess): void;
  /** Removes a process that cannot be given another job. */
  dismiss(worker: WorkerProcess): Promise<void>;
  /** Dismisses all, also those that are at work. */
  close(): Promise<void>;
}

export interface WorkerPoolOptions {
  /** An idle process is ended after this time, in milliseconds. */
  idleMs: number;
  /** Limits the megabytes of each one's heap. */
  memoryMb: number;
}

/**
 * The processes end with this one, even in the middle of an endless job. Where there are no process groups (Windows), they end
 * as soon as they are idle.
 */
export function createWorkerPool({ idleMs, memoryMb }: WorkerPoolOptions): WorkerPool {
  const lifeline = hasProcessGroups() ? createLifeline(undefined) : undefined;
  const all = new Set<WorkerProcess>();
  const resting = new Map<WorkerProcess, NodeJS.Timeout>();

  function start(): WorkerProcess {
    const worker = startWorkerProcess(memoryMb, lifeline);
    all.add(worker);
    void worker.ended.then(() => forget(worker));
    return worker;
  }

  function forget(worker: WorkerProcess): void {
    wakeWorker(worker);
    all.delete(worker);
    if (all.size === 0) lifeline?.close();
  }

  function wakeWorker(worker: WorkerProcess): void {
    clearTimeout(resting.get(worker));
    resting.delete(worker);
  }

  async function dismissWorker(worker: WorkerProcess): Promise<void> {
    wakeWorker(worker);
    await worker.stop();
  }

  return {
    hire() {
      // The last one that came to rest, so that one too many gets its rest.
      const worker = [...resting.keys()].at(-1) ?? start();
      wakeWorker(worker);
      return worker;
    },
    rest(worker) {
      if (all.has(worker)) resting.set(worker, setTimeout(() => void dismissWorker(worker), idleMs).unref());
    },
    dismiss: dismissWorker,
    async close() {
      await Promise.all([...all].map(dismissWorker));
    },
  };
}

/** Represents a child process that does one job at a time. It keeps the program alive only while it works. */
interface WorkerProcess {
  /** Settles when the process is over; never rejects. */
  readonly ended: Promise<void>;
  /** Rejects with a `DuetError` when the process ends before it has answered. */
  ask<Name extends JobName>(job: Job<Name>): Promise<JobReply<Name>>;
  /** Ends it at once, whatever it does. */
  stop(): Promise<void>;
}

/** Starts it, with so many megabytes for what it computes with, and as many again for all else. */
export function startWorkerProcess(memoryMb: number, lifeline: Lifeline | undefined): WorkerProcess {
  lifeline?.watch();
  const child = forkWorker(memoryMb, lifeline !== undefined);
  const { pid } = child;
  if (pid !== undefined) lifeline?.hold(pid);
  let isEnding = false;
  keepAlive(child, false);

  const ended = waitForEnd(child).then(() => {
    if (pid !== undefined) lifeline?.release(pid);
  });

  function endedWorkerError(code: number | null, signal: string | null): Error {
    const isMemory = !isEnding && (code === 134 || ["SIGABRT", "SIGKILL", "SIGTRAP"].includes(String(signal)));
    return isMemory ? outOfMemoryError() : workFailedError(`the process ended: ${signal ?? code}`);
  }

  return {
    ended,
    async ask(job) {
      const heard = new AbortController();
      const { signal } = heard;
      keepAlive(child, true);
      try {
        const answered = once(child, "message", { signal }).then(([reply]) => reply);
        const died = once(child, "exit", { signal }).then(([code, by]): never => {
          throw endedWorkerError(code, by);
        });
        child.send(job);
        return await Promise.race([answered, died]);
      } finally {
        heard.abort();
        keepAlive(child, false);
      }
    },
    async stop() {
      isEnding = true;
      keepAlive(child, true);
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/**
 * The child gets no variable but the folder in which Node keeps compiled code, and a working directory that is not the user's.
 * Its output is ignored.
 */
function forkWorker(memoryMb: number, hasGroup: boolean): ChildProcess {
  const name = import.meta.url.endsWith(".ts") ? "./heavy-worker.ts" : "./heavy-worker.js";
  // The folder is named after the version and the flags of Node, and the child finds its own beside it.
  const cacheFolder = getCompileCacheDir();
  const child = fork(new URL(name, import.meta.url), [String(2 * memoryMb * 1024 * 1024)], {
    execArgv: [`--max-old-space-size=${memoryMb}`],
    env: cacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cacheFolder) },
    cwd: "/",
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    detached: hasGroup,
    windowsHide: true,
  });
  // Who waits for an answer hears of it.
  child.on("error", () => {});
  return child;
}

function waitForEnd(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => {
      if (child.pid === undefined) resolve();
    });
  });
}

function keepAlive(child: ChildProcess, isAwaited: boolean): void {
  if (isAwaited) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
