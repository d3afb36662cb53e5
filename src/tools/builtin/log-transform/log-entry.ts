import type { LogLevel } from "./log-level.ts";

/** One line of a log, as far as it could be understood. */
export interface LogEntry {
  format: LogFormat;
  /** Milliseconds since 1970. */
  time?: number;
  level?: LogLevel;
  /** Who wrote it: a logger, a program, a client's address. */
  source?: string;
  message: string;
}

export type LogFormat = "json" | "logfmt" | "klog" | "access" | "syslog" | "timestamped" | "levelled";
