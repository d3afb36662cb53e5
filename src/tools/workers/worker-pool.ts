import { createLifeline } from "../../kit/process/lifeline.ts";
import { startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

/** Child processes that are kept for the next job for a while. */
export interface WorkerPool {
  /** One that rests, or a new one. */
  hire(): WorkerProcess;
  /** Its work is done. */
  rest(worker: WorkerProcess): void;
  /** It cannot be given another job. */
  dismiss(worker: WorkerProcess): Promise<void>;
  /** Dismisses all, also those that are at work. */
  close(): Promise<void>;
}

export interface WorkerPoolOptions {
  /** Milliseconds until one that rests is ended. */
  idleMs: number;
  /** Megabytes of each one's heap. */
  memoryMb: number;
}

/** They end with us, even in the middle of endless work; where there are no process groups (Windows), as soon as they rest. */
export function createWorkerPool({ idleMs, memoryMb }: WorkerPoolOptions): WorkerPool {
  const lifeline = process.platform === "win32" ? undefined : createLifeline(undefined);
  const all = new Set<WorkerProcess>();
  const resting = new Map<WorkerProcess, NodeJS.Timeout>();

  function start(): WorkerProcess {
    const worker = startWorkerProcess(memoryMb, lifeline);
    all.add(worker);
    void worker.ended.then(() => forget(worker));
    return worker;
  }

  function forget(worker: WorkerProcess): void {
    wake(worker);
    all.delete(worker);
    if (all.size === 0) lifeline?.close();
  }

  function wake(worker: WorkerProcess): void {
    clearTimeout(resting.get(worker));
    resting.delete(worker);
  }

  async function dismiss(worker: WorkerProcess): Promise<void> {
    wake(worker);
    await worker.end();
  }

  return {
    hire() {
      // The last one that came to rest, so that one too many gets its rest.
      const worker = [...resting.keys()].at(-1) ?? start();
      wake(worker);
      return worker;
    },
    rest(worker) {
      if (all.has(worker)) resting.set(worker, setTimeout(() => void dismiss(worker), idleMs).unref());
    },
    dismiss,
    async close() {
      await Promise.all([...all].map(dismiss));
    },
  };
}
