import type { ServerLogEntry, ServerLogLevel } from "../core/server-log.ts";
import { truncate } from "../kit/text/truncate.ts";

/** Holds what a server has said last, for the operator. */
export interface ServerLog {
  lines: ServerLogLine[];
  /** Is the end of what its process wrote to stderr; empty for a server that is no process of ours. */
  stderr: string;
}

export interface ServerLogLine {
  /** Is in milliseconds since 1970. */
  at: number;
  level: ServerLogLevel;
  /** Is the server's own part that logs, behind the name of the server. */
  logger: string;
  text: string;
}

/** Limits what is remembered of a server. */
const mostLines = 100;

/** Limits one line, in characters. */
const longestLine = 2000;

/** Remembers the last lines of a server's log, oldest first. */
export function createServerLog(now: () => number = Date.now): {
  add(entry: ServerLogEntry): void;
  readonly lines: ServerLogLine[];
} {
  const lines: ServerLogLine[] = [];
  return {
    add({ level, logger, data }) {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      lines.push({ at: now(), level, logger, text: truncate(text ?? "", longestLine) });
      if (lines.length > mostLines) lines.shift();
    },
    get lines() {
      return [...lines];
    },
  };
}
