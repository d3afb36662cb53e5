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
  /**
   * Returns a log that writes as `log` does, and passes warnings and errors on. What `hide` hides is hidden in all that is passed on from
   * now, also in what is kept.
   */
  follow(log: Log, hide?: (text: string) => string): Log;
}

interface KeptLine {
  level: keyof typeof levels;
  line: string;
}

const levels = { warn: "warning", error: "error" } as const;

/** Keeps warnings for the first host where `keeps` is true: for a host that is sure to come, and is the operator's own. */
export function createWarnings({ keeps }: { keeps: boolean }): Warnings {
  const listeners = new Set<(entry: ServerLogEntry) => void>();
  let hideSecrets = (text: string): string => text;
  /** Is undefined once somebody has listened. */
  let kept: KeptLine[] | undefined = keeps ? [] : undefined;

  function toEntry({ level, line }: KeptLine): ServerLogEntry {
    return { level: levels[level], logger: "duet", data: sanitizeLine(hideSecrets(line)) };
  }

  return {
    onLog(listener) {
      listeners.add(listener);
      for (const each of kept ?? []) listener(toEntry(each));
      kept = undefined;
      return () => void listeners.delete(listener);
    },
    follow(log, hide = hideSecrets) {
      hideSecrets = hide;
      return (line, level, fields) => {
        log(line, level, fields);
        if (level !== "warn" && level !== "error") return;
        if (kept !== undefined) kept = [...kept, { level, line }].slice(-mostKept);
        for (const listener of listeners) listener(toEntry({ level, line }));
      };
    },
  };
}
