import { createSemaphore } from "../../kit/async/semaphore.ts";
import { createTimeLimit, waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError, getMessage } from "../../kit/errors.ts";
import type { Input, Job, JobName, JobReply, Output } from "./run-job.ts";
import { tooMuchWorkError, workFailedError, workTimeoutError } from "./work-errors.ts";
import type { WorkerPool, WorkerPoolOptions } from "./worker-pool.ts";

/** Does what takes long or may break in child processes, a few at once; one is enough for a program. */
export interface HeavyWork {
  /**
   * Rejects with a `DuetError` where the work fails, takes too long or too much memory, or too much is waiting already, and with
   * the signal's reason.
   */
  run<Name extends JobName>(name: Name, input: Input<Name>, signal: AbortSignal): Promise<Output<Name>>;
  /** Ends the processes, also those at work; the next job starts another. */
  close(): Promise<void>;
}

export interface HeavyWorkOptions extends Partial<WorkerPoolOptions> {
  /** Limits one job, in milliseconds. When it is absent, each kind of job has its own limit. */
  limitMs?: number;
  mostAtOnce?: number;
  /** Holds the jobs that wait until others are done. */
  mostWaiting?: number;
}

const limits: Readonly<Record<JobName, number>> = { page: 10_000, document: 15_000, convert: 15_000, query: 20_000 };

/**
 * Runs heavy jobs in child processes. A process starts with the first job, ends when there is nothing to do, and never keeps the
 * program alive while idle.
 */
export function createHeavyWork(options: HeavyWorkOptions = {}): HeavyWork {
  const { mostAtOnce = 2, mostWaiting = 256, idleMs = 30_000, memoryMb = 512 } = options;
  const semaphore = createSemaphore(mostAtOnce);
  /** Counts the jobs at work and those that wait. */
  let jobs = 0;
  let workers: Promise<WorkerPool> | undefined;

  function gatherWorkers(): Promise<WorkerPool> {
    workers ??= import("./worker-pool.ts").then(({ createWorkerPool }) => createWorkerPool({ idleMs, memoryMb }));
    return workers;
  }

  async function runInTurn<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (jobs >= mostAtOnce + mostWaiting) throw tooMuchWorkError(mostWaiting);
    jobs++;
    try {
      await semaphore.acquire(signal);
      return await task().finally(() => semaphore.release());
    } finally {
      jobs--;
    }
  }

  async function runJobInWorker<Name extends JobName>(job: Job<Name>, signal: AbortSignal): Promise<JobReply<Name>> {
    const { hire, rest, dismiss } = await gatherWorkers();
    signal.throwIfAborted();
    const ms = options.limitMs ?? limits[job.name];
    const worker = hire();
    const limit = createTimeLimit(ms, () => workTimeoutError(ms), signal);
    try {
      const reply = await waitAbortable(worker.ask(job), limit.signal);
      rest(worker);
      return reply;
    } catch (thrown) {
      // Whatever went wrong, the process may still be at it.
      await dismiss(worker);
      limit.signal.throwIfAborted();
      throw thrown instanceof DuetError ? thrown : workFailedError(getMessage(thrown));
    } finally {
      limit.clear();
    }
  }

  return {
    async run(name, input, signal) {
      signal.throwIfAborted();
      return toOutput(await runInTurn(() => runJobInWorker({ name, input }, signal), signal));
    },
    async close() {
      await (await workers)?.close();
    },
  };
}

function toOutput<Name extends JobName>(reply: JobReply<Name>): Output<Name> {
  if ("output" in reply) return reply.output;
  throw "refused" in reply ? new DuetError(reply.refused) : workFailedError(reply.failed);
}
