import type { ServerLogEntry } from "../../core/server-log.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import type { Log } from "../operations/log.ts";

/** Passes warnings for the operator on to the hosts that are the operator's own. */
export interface Warnings {
  /** Calls `listener` for each warning, until the returned function is called. */
  onLog(listener: (entry: ServerLogEntry) => void): () => void;
  /** Returns a log that writes as `log` does, and passes warnings and errors on with everything hidden that `hide` hides. */
  follow(log: Log, hide?: (text: string) => string): Log;
}

const levels = { warn: "warning", error: "error" } as const;

export function createWarnings(): Warnings {
  const listeners = new Set<(entry: ServerLogEntry) => void>();
  return {
    onLog(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    follow:
      (log, hide = (text) => text) =>
      (line, level, fields) => {
        log(line, level, fields);
        if (level !== "warn" && level !== "error") return;
        for (const listener of listeners)
          listener({ level: levels[level], logger: "duet", data: sanitizeLine(hide(line)) });
      },
  };
}
