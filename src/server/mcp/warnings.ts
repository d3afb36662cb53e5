import type { ServerLogEntry } from "../../core/server-log.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import type { Log } from "../operations/log.ts";

/** Limits the warnings that are kept for a host which has not come yet. */
const mostKept = 50;

/** Passes warnings for the operator on to the hosts that are the operator's own. */
export interface Warnings {
  /**
   * Calls `listener` for each warning, until the returned function is called. The first listener also gets the warnings that came before
   * it: a start writes most of them while its host still shakes hands.
   */
  onLog(listener: (entry: ServerLogEntry) => void): () => void;
  /** Returns a log that writes as `log` does, and passes warnings and errors on with everything hidden that `hide` hides. */
  follow(log: Log, hide?: (text: string) => string): Log;
}

const levels = { warn: "warning", error: "error" } as const;

export function createWarnings(): Warnings {
  const listeners = new Set<(entry: ServerLogEntry) => void>();
  /** Is undefined once somebody has listened. */
  let kept: ServerLogEntry[] | undefined = [];
  return {
    onLog(listener) {
      listeners.add(listener);
      for (const entry of kept ?? []) listener(entry);
      kept = undefined;
      return () => void listeners.delete(listener);
    },
    follow:
      (log, hide = (text) => text) =>
      (line, level, fields) => {
        log(line, level, fields);
        if (level !== "warn" && level !== "error") return;
        const entry: ServerLogEntry = { level: levels[level], logger: "duet", data: sanitizeLine(hide(line)) };
        if (kept !== undefined) kept = [...kept, entry].slice(-mostKept);
        for (const listener of listeners) listener(entry);
      },
  };
}
