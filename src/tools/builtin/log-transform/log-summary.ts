import { takeStart } from "../../../kit/text/truncate.ts";
import { GroupCounter, type Place } from "./count-groups.ts";
import { copyText } from "./message-shape.ts";

export type Grouping = "level" | "message" | "hour" | "day" | "source";

export interface LogFilter {
  /** Selects this level and the more severe ones. */
  level?: LogLevel;
  /** Must be in lower case. */
  contains?: string;
  /** Is in milliseconds since 1970. Both ends are inclusive. */
  since?: number;
  until?: number;
}

export interface NumberedLine {
  line: number;
  text: string;
  /**
   * Holds the first of the entry's continuation lines, such as a stack trace. `last` is the last one, which names the error in
   * Python.
   */
  first: string[];
  last?: string;
  /** Counts the entry's continuation lines. */
  following: number;
}

/** Summarises a log. Its memory is bounded whatever the size of the log. */
export interface LogSummary {
  lines: number;
  entries: number;
  matched: number;
  formats: Counter<LogFormat>;
  levels: Counter<LogLevel>;
  /** Counts the time zones as they are written, under "" the times without one. */
  zones: Counter<string>;
  /** Counts the entries by what was asked for, else by message. */
  groups: GroupCounter;
  /** Counts the lines that passed the filter by what the pattern found in them. */
  captures: GroupCounter;
  captured: number;
  from?: number;
  to?: number;
  firstError?: NumberedLine;
  lastError?: NumberedLine;
  matches: NumberedLine[];
  /** Is the entry that unformatted lines belong to, and undefined when that entry was filtered out. */
  current?: NumberedLine;
}

export function createSummary(): LogSummary {
  return {
    lines: 0,
    entries: 0,
    matched: 0,
    formats: new Counter(),
    levels: new Counter(),
    zones: new Counter(),
    groups: new GroupCounter(),
    captures: new GroupCounter(),
    captured: 0,
    matches: [],
  };
}

/** Adds one line to the summary; `entry` is undefined for a line that belongs to the one before or has no form. */
export function addLine(
  summary: LogSummary,
  text: string,
  entry: LogEntry | undefined,
  request: {
    filter: LogFilter;
    groupBy: Grouping | undefined;
    capture?: ((text: string) => string | undefined) | undefined;
    mostMatches: number;
  },
): void {
  summary.lines++;
  if (entry !== undefined) {
    summary.entries++;
    summary.formats.add(entry.format);
  }
  if (entry !== undefined) summary.current = undefined;
  if (text.trim() === "") return;
  if (entry === undefined) follow(summary.current, text);
  if (!isSelected(text, entry, request.filter)) return;
  summary.matched++;
  const place: Place = { line: summary.lines, time: entry?.time };
  const captured = request.capture?.(text);
  if (captured !== undefined) {
    summary.captured++;
    summary.captures.add(copyText(takeStart(captured, 200)), place);
  }
  const numbered: NumberedLine = { line: summary.lines, text: takeStart(text, 400), first: [], following: 0 };
  if (entry !== undefined) summary.current = numbered;
  if (summary.matches.length < request.mostMatches) summary.matches.push(numbered);
  if (entry === undefined) return;
  const { time, level } = entry;
  if (level !== undefined) summary.levels.add(level);
  const { groupBy = "message" } = request;
  if (groupBy === "message") summary.groups.addMessage(entry.message, place);
  else summary.groups.add(groupOf(entry, groupBy), place);
  if (time !== undefined) {
    summary.zones.add(entry.zone ?? "");
    summary.from = Math.min(summary.from ?? time, time);
    summary.to = Math.max(summary.to ?? time, time);
  }
  if (isAtLeast(level, "ERROR")) {
    summary.firstError ??= numbered;
    summary.lastError = numbered;
  }
}

function follow(entry: NumberedLine | undefined, text: string): void {
  if (entry === undefined) return;
  entry.following++;
  if (entry.first.length < 2) entry.first.push(takeStart(text, 300));
  else entry.last = takeStart(text, 300);
}

function isSelected(text: string, entry: LogEntry | undefined, filter: LogFilter): boolean {
  const { level, contains, since, until } = filter;
  if (contains !== undefined && !text.toLowerCase().includes(contains)) return false;
  if (level !== undefined && !isAtLeast(entry?.level, level)) return false;
  if (since === undefined && until === undefined) return true;
  const time = entry?.time;
  return time !== undefined && time >= (since ?? time) && time <= (until ?? time);
}

function groupOf(entry: LogEntry, groupBy: Exclude<Grouping, "message">): string {
  if (groupBy === "level") return entry.level ?? "-";
  if (groupBy === "source") return entry.source === undefined ? "-" : copyText(takeStart(entry.source, 200));
  if (entry.time === undefined) return "-";
  const iso = new Date(entry.time).toISOString();
  return groupBy === "day" ? iso.slice(0, 10) : `${iso.slice(0, 13).replace("T", " ")}:00`;
}

/** Represents one line of a log, as far as it could be parsed. */
export interface LogEntry {
  format: LogFormat;
  /** Is in milliseconds since 1970. */
  time?: number | undefined;
  /** Is the time zone as it is written, such as `+08:00` or `Z`, and undefined where there is none. */
  zone?: string | undefined;
  level?: LogLevel;
  /** Names the origin of the entry: a logger, a program or a client's address. */
  source?: string;
  message: string;
}

type LogFormat = "json" | "logfmt" | "klog" | "access" | "syslog" | "timestamped" | "levelled";

const mostKeys = 100;

/** Counts by key, and no more keys than a log honestly has. */
class Counter<K extends string> {
  readonly counts = new Map<K, number>();

  add(key: K): void {
    const count = this.counts.get(key);
    if (count !== undefined || this.counts.size < mostKeys) this.counts.set(key, (count ?? 0) + 1);
  }

  /** Returns the most frequent keys first. */
  top(most: number): K[] {
    return [...this.counts]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(([key]) => key);
  }
}

/** The levels are ordered from the least to the most severe. */
export const logLevels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"] as const;

export type LogLevel = (typeof logLevels)[number];

const names = new Map<string, LogLevel>([
  ...logLevels.map((level): [string, LogLevel] => [level, level]),
  ["VERBOSE", "TRACE"],
  ["INFORMATION", "INFO"],
  ["NOTICE", "INFO"],
  ["LOG", "INFO"],
  ["WARNING", "WARN"],
  ["ERR", "ERROR"],
  ["SEVERE", "ERROR"],
  ["CRIT", "FATAL"],
  ["CRITICAL", "FATAL"],
  ["ALERT", "FATAL"],
  ["EMERG", "FATAL"],
  ["PANIC", "FATAL"],
  ["调试", "DEBUG"],
  ["信息", "INFO"],
  ["警告", "WARN"],
  ["告警", "WARN"],
  ["错误", "ERROR"],
  ["异常", "ERROR"],
  ["严重", "FATAL"],
  ["致命", "FATAL"],
]);

export function readLevel(name: unknown): LogLevel | undefined {
  // pino and bunyan write 10 (trace) to 60 (fatal).
  if (typeof name === "number") return logLevels[Math.round(name / 10) - 1];
  return typeof name === "string" ? names.get(name.toUpperCase()) : undefined;
}

/** Finds the level in lines that contain it somewhere. */
export function guessLevel(text: string): LogLevel | undefined {
  return readLevel(
    /\b(FATAL|CRITICAL|ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|error|warning)\b/.exec(text.slice(0, 300))?.[1],
  );
}

function isAtLeast(level: LogLevel | undefined, least: LogLevel): boolean {
  return level !== undefined && logLevels.indexOf(level) >= logLevels.indexOf(least);
}
