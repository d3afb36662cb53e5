import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { DuetError, messageOf } from "../../core/errors.ts";
import { abortable, timeLimit } from "../../core/waiting.ts";
import type { PageBytes, Reading } from "./page.ts";
import { problemError, readersBusy, readTooLong } from "./page-problems.ts";

/** Reads pages in a thread of its own, one at a time; one reader is enough for a process. */
export interface PageReader {
  /**
   * Takes the bytes over: they are gone from the caller. Rejects with a `DuetError` where the page takes too long or breaks the
   * thread, and with the signal's reason.
   */
  read(page: PageBytes, signal: AbortSignal): Promise<Reading>;
  /** Ends the thread; the next page starts another. */
  close(): Promise<void>;
}

export interface PageReaderOptions {
  /** Milliseconds for one page. */
  pageLimitMs?: number;
  /** Milliseconds until an idle thread ends. */
  idleMs?: number;
  /** Pages that are being read or wait for it. */
  mostWaiting?: number;
  /** Megabytes of the thread's heap. */
  memoryMb?: number;
}

/** The thread starts with the first page, ends when there is nothing to read, and keeps no process alive meanwhile. */
export function createPageReader(options: PageReaderOptions = {}): PageReader {
  const { pageLimitMs = 10_000, idleMs = 30_000, mostWaiting = 32, memoryMb = 512 } = options;
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** The thread of the next page. */
  function wake(): Worker {
    clearTimeout(idle);
    worker ??= start();
    worker.ref();
    return worker;
  }

  function start(): Worker {
    const started = startWorker(memoryMb);
    started.once("exit", () => {
      if (worker === started) worker = undefined;
    });
    return started;
  }

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  function rest(): void {
    worker?.unref();
    idle = setTimeout(() => void end(), idleMs).unref();
  }

  async function readAlone(page: PageBytes, signal: AbortSignal): Promise<Reading> {
    signal.throwIfAborted();
    const limit = timeLimit(pageLimitMs, () => readTooLong(pageLimitMs), signal);
    try {
      return await exchange(wake(), page, limit.signal);
    } catch (thrown) {
      // Whatever went wrong, the thread may still be at it.
      await end();
      throw thrown;
    } finally {
      limit.clear();
      rest();
    }
  }

  return {
    async read(page, signal) {
      if (waiting >= mostWaiting) throw readersBusy(mostWaiting);
      waiting++;
      const turn = last.then(() => readAlone(page, signal));
      last = turn.catch(() => {}).finally(() => waiting--);
      return abortable(turn, signal);
    },
    close: end,
  };
}

/** It sees nothing of the environment, and what it prints is not part of what the program says. */
function startWorker(memoryMb: number): Worker {
  const name = import.meta.url.endsWith(".ts") ? "./page-worker.ts" : "./page-worker.js";
  const worker = new Worker(new URL(name, import.meta.url), {
    name: "page-reader",
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  // Who waits for a page hears of it; a thread that fails while idle is gone, and the next page starts another.
  worker.on("error", () => {});
  return worker;
}

/** One page and its reading. Rejects when the thread fails or ends, and when the signal aborts. */
async function exchange(worker: Worker, page: PageBytes, signal: AbortSignal): Promise<Reading> {
  const heard = new AbortController();
  const options = { signal: AbortSignal.any([signal, heard.signal]) };
  try {
    post(worker, page);
    const read = once(worker, "message", options).then(([reading]): Reading => reading);
    const ended = once(worker, "exit", options).then((): never => {
      throw problemError({ problem: "failed", message: "the thread ended" });
    });
    return await Promise.race([read, ended]);
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown instanceof DuetError ? thrown : problemError({ problem: "failed", message: messageOf(thrown) });
  } finally {
    heard.abort();
  }
}

/** Hands the bytes over instead of copying them, where they have memory of their own. */
function post(worker: Worker, page: PageBytes): void {
  const { buffer, byteLength } = page.bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  const bytes = isWhole ? new Uint8Array(buffer) : new Uint8Array(page.bytes);
  worker.postMessage({ ...page, bytes }, [bytes.buffer]);
}
