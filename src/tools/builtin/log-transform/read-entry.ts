import { isDeeperThan, isRecord, toText } from "../../../kit/json.ts";
import { guessLevel, type LogEntry, type LogLevel, readLevel } from "./log-summary.ts";

/** Returns undefined for a line that starts no entry: a continuation such as a stack trace, or plain text. */
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
  return { format: "klog", ...readStamp(`${thisYear}-${month}-${day} ${clock}`, thisYear), level, source, message };
}

// nginx and Apache: 127.0.0.1 - bob [10/Oct/2026:13:55:36 +0800] "GET /x HTTP/1.1" 200 2326 "referer" "agent"
const access = /^(\S+) \S+ \S+ \[([^\]]{10,40})\] "([^"]*)" (\d{3}) /;

export function readAccess(line: string, thisYear: number): LogEntry | undefined {
  const [, source, time = "", request = "", status = ""] = access.exec(`${line} `) ?? [];
  if (source === undefined) return undefined;
  const level = toAccessLevel(Number(status));
  const message = `${request.replace(/ HTTP\/[\d.]+$/, "")} ${status}`;
  return { format: "access", ...readStamp(time, thisYear), level, source, message };
}

function toAccessLevel(status: number): LogLevel {
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
  return { format: "syslog", ...readStamp(time, thisYear), level, source, message };
}

export function readJson(line: string, thisYear: number): LogEntry | undefined {
  if (!line.startsWith("{")) return undefined;
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(record)) return undefined;
  const time = findFirst(record, ["time", "timestamp", "ts", "@timestamp", "date", "datetime"]);
  const message = findFirst(record, ["msg", "message", "event", "error", "err"]);
  const source = findFirst(record, ["logger", "name", "module", "service", "source", "component"]);
  return {
    format: "json",
    ...(typeof time === "number" ? { time: fromEpoch(time), zone: "Z" } : readStamp(toText(time), thisYear)),
    level: readLevel(findFirst(record, ["level", "severity", "lvl", "loglevel", "levelname"])),
    source: typeof source === "string" ? source : undefined,
    message: findMessage(message) ?? line,
  };
}

function findMessage(value: unknown): string | undefined {
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
  const source = findFirst(record, ["logger", "service", "component", "app", "caller"]);
  return {
    format: "logfmt",
    ...readStamp(String(findFirst(record, ["time", "ts", "timestamp", "t"]) ?? ""), thisYear),
    level: readLevel(findFirst(record, ["level", "lvl", "severity"])),
    source: typeof source === "string" ? source : undefined,
    message: String(findFirst(record, ["msg", "message", "err", "error"]) ?? line),
  };
}

function findFirst(record: Record<string, unknown>, keys: readonly string[]): unknown {
  const key = keys.find((name) => Object.hasOwn(record, name));
  return key === undefined ? undefined : record[key];
}

/** Reads seconds, milliseconds, microseconds or nanoseconds, by how large the number is; undefined for what no calendar holds. */
function fromEpoch(value: number): number | undefined {
  const thousands = [1e11, 1e14, 1e17].filter((limit) => value >= limit).length;
  const ms = value / 1000 ** (thousands - 1);
  return Number.isNaN(new Date(ms).getTime()) ? undefined : ms;
}

const timestamp =
  /^[[【]?(\d{4}[-/年]\d\d?[-/月]\d\d?日?[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)[\]】]?[\s:|-]*/i;

// [error], ERROR, Error: and error; a sentence that begins with "Error" is a message. 错误：too.
const levelAt =
  /^(?:[[(<【]([A-Za-z]{3,11}|\p{Script=Han}{2})[\])>】]|(\p{Script=Han}{2}(?=[\s:：|]|$)|[A-Z]{3,11}|[a-z]{3,11}|[A-Z][a-z]{2,10}(?=:))(?=[\s:：|-]|$))[\s:：|-]*/u;
const thread = /^\[[^\]]{1,80}\]\s+/;
const pythonName = /^([\w.$/-]{1,80}) - ([A-Za-z]{3,11}) - /;
const logger = /^(?:\[([^\]]{1,80})\]\s+)?(?:([\w.$]{1,100}) (?:-|:) |([\w$]{1,50}(?:\.[\w$]{1,50}){1,9}): )/;
// [auth] message: one word that begins with a letter. A number in brackets is a process or a code.
const bracketed = /^\[(\p{L}[^\]\s]{0,79})\][\s:|-]+/u;

/** Reads `2026-01-02 03:04:05,678 [LEVEL] message` and similar lines of Python logging, log4j, logback and nginx errors. */
export function readTimestamped(line: string, thisYear: number): LogEntry | undefined {
  const leading = readLevelAt(line);
  const rest = leading === undefined ? line : line.slice(leading.length);
  const stamp = timestamp.exec(rest);
  if (stamp === null) return undefined;
  const time = readStamp(stamp[1] ?? "", thisYear);
  const text = rest.slice(stamp[0].length);
  const python = pythonName.exec(text);
  const pythonLevel = readLevel(python?.[2]);
  if (python !== null && pythonLevel !== undefined) {
    return {
      format: "timestamped",
      ...time,
      level: pythonLevel,
      source: python[1],
      message: text.slice(python[0].length),
    };
  }
  const found = leading ?? readLevelAt(text) ?? readLevelAfterThread(text);
  const message = found === undefined || leading !== undefined ? text : text.slice(found.length);
  const named = logger.exec(message) ?? bracketed.exec(message);
  // Without a logger after the level, the word in brackets before it is all that names the origin.
  const source =
    named?.[2] ?? named?.[3] ?? named?.[1] ?? (found === undefined ? undefined : bracketed.exec(text)?.[1]);
  return {
    format: "timestamped",
    ...time,
    level: found?.level ?? guessLevel(text),
    source,
    message: named === null ? message : message.slice(named[0].length),
  };
}

/** Reads `LEVEL:name:message` (Python's default), `[LEVEL] message` and `LEVEL message`. */
export function readLevelled(line: string): LogEntry | undefined {
  const python = /^([A-Z]{3,11}):([\w.]{1,80}):(.*)$/.exec(line);
  const level = readLevel(python?.[1]);
  if (python !== null && level !== undefined) {
    return { format: "levelled", level, source: python[2], message: python[3] ?? "" };
  }
  const found = /^(?:[[【][A-Za-z\p{Script=Han}]|[A-Z]{3})/u.test(line) ? readLevelAt(line) : undefined;
  if (found === undefined) return undefined;
  const message = line.slice(found.length);
  const named = bracketed.exec(message);
  return {
    format: "levelled",
    level: found.level,
    source: named?.[1],
    message: named === null ? message : message.slice(named[0].length),
  };
}

interface LevelAt {
  level: LogLevel;
  /** Counts the characters up to the end of the level and its separator. */
  length: number;
}

function readLevelAt(text: string): LevelAt | undefined {
  const match = levelAt.exec(text);
  const level = readLevel(match?.[1] ?? match?.[2]);
  return match === null || level === undefined ? undefined : { level, length: match[0].length };
}

/** Reads the level in lines of log4j and logback: `[main] ERROR ...`. */
function readLevelAfterThread(text: string): LevelAt | undefined {
  const length = thread.exec(text)?.[0].length;
  const found = length === undefined ? undefined : readLevelAt(text.slice(length));
  return length === undefined || found === undefined
    ? undefined
    : { level: found.level, length: length + found.length };
}

/**
 * Reads a time as logs and people write it, and returns milliseconds since 1970. A time without a zone counts as UTC, in the log
 * and in a filter alike, so that the two can be compared.
 */
export function readTime(text: string, thisYear: number): number | undefined {
  return readIso(text) ?? readSyslogTime(text, thisYear) ?? readAccessTime(text);
}

/** Reads the time of an entry, and its zone as it is written. */
function readStamp(text: string, thisYear: number): Pick<LogEntry, "time" | "zone"> {
  return { time: readTime(text, thisYear), zone: /(?<=:\d\d[\d.,:]* ?)(?:Z|[+-]\d\d:?\d\d)$/i.exec(text)?.[0] };
}

const iso =
  /^(\d{4})[-/年](\d\d?)[-/月](\d\d?)日?(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d\d:?\d\d)?)?$/i;

function readIso(text: string): number | undefined {
  const [all, year, month, day, hour = "00", minute = "00", second = "00", fraction = "0", zone] = iso.exec(text) ?? [];
  if (all === undefined) return undefined;
  const [paddedMonth = "", paddedDay = ""] = [month, day].map((part = "") => part.padStart(2, "0"));
  return toTime(
    `${year}-${paddedMonth}-${paddedDay}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, "0")}`,
    zone,
  );
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// Classic syslog writes no year.
function readSyslogTime(text: string, thisYear: number): number | undefined {
  const [, month = "", day = "", clock] = /^([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d)$/.exec(text) ?? [];
  return clock === undefined
    ? undefined
    : toTime(`${thisYear}-${toMonthNumber(month)}-${day.padStart(2, "0")}T${clock}`, undefined);
}

function readAccessTime(text: string): number | undefined {
  const [, day, month = "", year, clock, zone] =
    /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})$/.exec(text) ?? [];
  return clock === undefined ? undefined : toTime(`${year}-${toMonthNumber(month)}-${day}T${clock}`, zone);
}

function toMonthNumber(name: string): string {
  return `${months.indexOf(name) + 1}`.padStart(2, "0");
}

function toTime(local: string, zone: string | undefined): number | undefined {
  const offset = (zone ?? "Z").toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, "$1:$2");
  const ms = Date.parse(`${local}${offset}`);
  return Number.isNaN(ms) ? undefined : ms;
}
