import type { LogEntry } from "./log-entry.ts";
import { readJson, readLogfmt } from "./structured-entry.ts";
import { readAccess, readKlog, readSyslog } from "./system-entry.ts";
import { readLevelled, readTimestamped } from "./text-entry.ts";

/** Undefined for a line that starts no entry: a continuation such as a stack trace, or plain text. */
export function readEntry(line: string, thisYear: number): LogEntry | undefined {
  return (
    readJson(line, thisYear) ??
    readLogfmt(line, thisYear) ??
    readKlog(line, thisYear) ??
    readAccess(line, thisYear) ??
    readSyslog(line, thisYear) ??
    readTimestamped(line, thisYear) ??
    readLevelled(line)
  );
}
