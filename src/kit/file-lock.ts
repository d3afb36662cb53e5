import { open, rm } from "node:fs/promises";
import { sleep } from "./async/timeout.ts";
import { getMessage } from "./errors.ts";
import { readPrivateFile } from "./private-file.ts";
import { isRunning } from "./process/is-running.ts";

/** A lock older than this, in milliseconds, is abandoned; work under a lock takes less time. */
const oldestLockMs = 60_000;

/** Limits a lock file, in bytes; it holds only a process id. */
const largestLock = 100;

const pauseMs = 50;

/**
 * Takes a lock that other processes see, and waits while one of them has it; gives what gives it back. Rejects with the
 * signal's reason, or with what the file system says.
 */
export async function acquireLock(file: string, signal: AbortSignal): Promise<() => Promise<void>> {
  for (;;) {
    signal.throwIfAborted();
    if (await create(file)) return () => rm(file, { force: true });
    if (await isAbandoned(file)) await rm(file, { force: true });
    else await sleep(pauseMs, signal);
  }
}

async function create(file: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx", 0o600);
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (thrown) {
    if (getErrorCode(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  try {
    const { text = "", state } = await readPrivateFile(file, largestLock);
    if (Date.now() - Number(state.mtimeMs) > oldestLockMs) return true;
    const holder = Number(text);
    return text !== "" && Number.isInteger(holder) && !isRunning(holder);
  } catch (thrown) {
    // It was given back just now.
    if (getErrorCode(thrown) === "ENOENT") return false;
    throw thrown;
  }
}

function getErrorCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : getMessage(thrown);
}
