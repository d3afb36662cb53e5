import { createLifeline } from "../../kit/process/lifeline.ts";
import { startProcess, type WorkProcess } from "./worker-process.ts";

/** Child processes that are kept for the next job for a while. */
export interface Crew {
  /** One that rests, or a new one. */
  hire(): WorkProcess;
  /** Its work is done. */
  rest(worker: WorkProcess): void;
  /** It cannot be given another job. */
  dismiss(worker: WorkProcess): Promise<void>;
  /** Dismisses all, also those that are at work. */
  close(): Promise<void>;
}

export interface CrewOptions {
  /** Milliseconds until one that rests is ended. */
  idleMs: number;
  /** Megabytes of each one's heap. */
  memoryMb: number;
}

/** They end with us, even in the middle of endless work; where there are no process groups (Windows), as soon as they rest. */
export function createCrew({ idleMs, memoryMb }: CrewOptions): Crew {
  const lifeline = process.platform === "win32" ? undefined : createLifeline(undefined);
  const all = new Set<WorkProcess>();
  const resting = new Map<WorkProcess, NodeJS.Timeout>();

  function start(): WorkProcess {
    const worker = startProcess(memoryMb, lifeline);
    all.add(worker);
    void worker.ended.then(() => forget(worker));
    return worker;
  }

  function forget(worker: WorkProcess): void {
    wake(worker);
    all.delete(worker);
    if (all.size === 0) lifeline?.close();
  }

  function wake(worker: WorkProcess): void {
    clearTimeout(resting.get(worker));
    resting.delete(worker);
  }

  async function dismiss(worker: WorkProcess): Promise<void> {
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
