import { isDeeperThan, isRecord, toText } from "../../../kit/json.ts";
import type { LogEntry } from "./log-entry.ts";
import { readLevel } from "./log-level.ts";
import { readTime } from "./log-time.ts";

export function readJson(line: string, thisYear: number): LogEntry | undefined {
  if (!line.startsWith("{")) return undefined;
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(record)) return undefined;
  const time = first(record, ["time", "timestamp", "ts", "@timestamp", "date", "datetime"]);
  const message = first(record, ["msg", "message", "event", "error", "err"]);
  const source = first(record, ["logger", "name", "module", "service", "source", "component"]);
  return {
    format: "json",
    time: typeof time === "number" ? fromEpoch(time) : readTime(toText(time), thisYear),
    level: readLevel(first(record, ["level", "severity", "lvl", "loglevel", "levelname"])),
    source: typeof source === "string" ? source : undefined,
    message: messageIn(message) ?? line,
  };
}

function messageIn(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return value === undefined || value === null || isDeeperThan(value, 100) ? undefined : JSON.stringify(value);
}

// time="2026-01-02T03:04:05Z" level=error msg="connection lost" service=api
const pair = /([A-Za-z_][\w.@-]*)=("(?:[^"\\]|\\.)*"|\S*)/g;

export function readLogfmt(line: string, thisYear: number): LogEntry | undefined {
  if (!/^[A-Za-z_@][\w.@-]*=/.test(line) || !/\b(level|lvl|msg)=/.test(line)) return undefined;
  const pairs = [...line.slice(0, 4000).matchAll(pair)].map(([, key = "", value = ""]): [string, string] => [
    key,
    value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value,
  ]);
  const record = Object.fromEntries(pairs);
  const source = first(record, ["logger", "service", "component", "app", "caller"]);
  return {
    format: "logfmt",
    time: readTime(String(first(record, ["time", "ts", "timestamp", "t"]) ?? ""), thisYear),
    level: readLevel(first(record, ["level", "lvl", "severity"])),
    source: typeof source === "string" ? source : undefined,
    message: String(first(record, ["msg", "message", "err", "error"]) ?? line),
  };
}

function first(record: Record<string, unknown>, keys: readonly string[]): unknown {
  const key = keys.find((name) => Object.hasOwn(record, name));
  return key === undefined ? undefined : record[key];
}

/** Seconds, milliseconds, microseconds or nanoseconds, by how large it is; undefined for what no calendar holds. */
function fromEpoch(value: number): number | undefined {
  const thousands = [1e11, 1e14, 1e17].filter((limit) => value >= limit).length;
  const ms = value / 1000 ** (thousands - 1);
  return Number.isNaN(new Date(ms).getTime()) ? undefined : ms;
}
