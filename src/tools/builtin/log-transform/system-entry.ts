import type { LogEntry } from "./log-entry.ts";
import { guessLevel, type LogLevel } from "./log-level.ts";
import { readTime } from "./log-time.ts";

// Kubernetes: E0102 03:04:05.678901       1 main.go:10] message
const klog = /^([IWEF])(\d\d)(\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,9})?)\s+\d+ ([^\s\]]+)\] (.*)$/;
const klogLevels = new Map<string, LogLevel>([
  ["I", "INFO"],
  ["W", "WARN"],
  ["E", "ERROR"],
  ["F", "FATAL"],
]);

export function readKlog(line: string, thisYear: number): LogEntry | undefined {
  const [, letter = "", month, day, clock, source, message = ""] = klog.exec(line) ?? [];
  const level = klogLevels.get(letter);
  if (level === undefined) return undefined;
  return { format: "klog", time: readTime(`${thisYear}-${month}-${day} ${clock}`, thisYear), level, source, message };
}

// nginx and Apache: 127.0.0.1 - bob [10/Oct/2026:13:55:36 +0800] "GET /x HTTP/1.1" 200 2326 "referer" "agent"
const access = /^(\S+) \S+ \S+ \[([^\]]{10,40})\] "([^"]*)" (\d{3}) /;

export function readAccess(line: string, thisYear: number): LogEntry | undefined {
  const [, source, time = "", request = "", status = ""] = access.exec(`${line} `) ?? [];
  if (source === undefined) return undefined;
  const level = accessLevel(Number(status));
  const message = `${request.replace(/ HTTP\/[\d.]+$/, "")} ${status}`;
  return { format: "access", time: readTime(time, thisYear), level, source, message };
}

function accessLevel(status: number): LogLevel {
  if (status >= 500) return "ERROR";
  return status >= 400 ? "WARN" : "INFO";
}

// Jan  2 03:04:05 host app[12]: message, and RFC 5424: <34>1 2026-01-02T03:04:05Z host app 12 id - message
const classic = /^(?:<(\d{1,3})>)?([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) \S+ ([^\s:[]+)(?:\[\d+\])?: (.*)$/;
const modern = /^<(\d{1,3})>1 (\S+) \S+ (\S+) \S+ \S+ (?:-|\[[^\]]*\]) ?(.*)$/;
const syslogLevels: LogLevel[] = ["FATAL", "FATAL", "FATAL", "ERROR", "WARN", "INFO", "INFO", "DEBUG"];

export function readSyslog(line: string, thisYear: number): LogEntry | undefined {
  const [all, priority, time = "", source, message = ""] = classic.exec(line) ?? modern.exec(line) ?? [];
  if (all === undefined) return undefined;
  const level = priority === undefined ? guessLevel(message) : syslogLevels[Number(priority) % 8];
  return { format: "syslog", time: readTime(time, thisYear), level, source, message };
}
