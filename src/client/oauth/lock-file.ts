import { open, rm } from "node:fs/promises";
import { sleep } from "../../kit/async/timeout.ts";
import { getMessage } from "../../kit/errors.ts";
import { readPrivateFile } from "../../kit/private-file.ts";

/** A lock that old belongs to nobody any more, in milliseconds; whoever works behind one takes less. */
const oldestLockMs = 60_000;

/** It holds the number of a process, and nothing else. */
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
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  try {
    const { text = "", state } = await readPrivateFile(file, largestLock);
    if (Date.now() - Number(state.mtimeMs) > oldestLockMs) return true;
    const holder = Number(text);
    return text !== "" && Number.isInteger(holder) && !isAlive(holder);
  } catch (thrown) {
    // It was given back just now.
    if (codeOf(thrown) === "ENOENT") return false;
    throw thrown;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) !== "ESRCH";
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : getMessage(thrown);
}
