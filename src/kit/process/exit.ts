/**
 * These thread-pool operations cannot be stopped: opening a pipe that has no writer, or querying a name server that does not
 * answer.
 */
const unstoppable = ["FSReqCallback", "FSReqPromise", "GetAddrInfoReqWrap", "GetNameInfoReqWrap"];

/** Sets the interval between checks for such work, in milliseconds. */
const lookMs = 5;

/**
 * Ends the process with this code. `process.exit` waits for the threads of such work, for ever where a file system or a name
 * server is silent. Work that is not over after `patienceMs` milliseconds is left behind: a new program takes the place of this
 * one in the same process, and ends at once with the code.
 */
export function exitNow(code: number, patienceMs: number): void {
  const end = performance.now() + patienceMs;
  function exit(): void {
    const isStuck = isHeldUp();
    if (isStuck && performance.now() < end) {
      setTimeout(exit, lookMs);
      return;
    }
    if (isStuck) replaceProcess(code);
    process.exit(code);
  }
  exit();
}

function isHeldUp(): boolean {
  return process.getActiveResourcesInfo().some((name) => unstoppable.includes(name));
}

/** Returns where the platform has no such call. */
function replaceProcess(code: number): void {
  if (process.platform === "win32") return;
  try {
    process.execve?.(process.execPath, [process.execPath, "-e", `process.exit(${code})`], {});
  } catch {
    // `process.exit` is what remains.
  }
}

/** The process ends at this time, whatever is still running. No deadline is set at first. */
export interface ExitDeadline {
  /** Sets it to `ms` milliseconds from now, unless an earlier one is set. */
  set(ms: number): void;
  /** Returns the milliseconds until the deadline, and undefined when none is set. */
  readonly leftMs: number | undefined;
}

/** `onReached` has to end the process. */
export function createExitDeadline(onReached: () => void): ExitDeadline {
  let at = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  return {
    set(ms) {
      const wanted = performance.now() + ms;
      if (wanted >= at) return;
      at = wanted;
      clearTimeout(timer);
      // Whoever has nothing left to do ends before it.
      timer = setTimeout(onReached, ms).unref();
    },
    get leftMs() {
      return timer === undefined ? undefined : Math.max(0, at - performance.now());
    },
  };
}
