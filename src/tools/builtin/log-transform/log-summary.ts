import { takeStart } from "../../../kit/text/truncate.ts";

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
  messages: Counter<string>;
  groups: Counter<string>;
  /** Counts the lines that passed the filter by what the pattern found in them. */
  captures: Counter<string>;
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
    messages: new Counter(),
    groups: new Counter(),
    captures: new Counter(),
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
  const captured = request.capture?.(text);
  if (captured !== undefined) {
    summary.captured++;
    summary.captures.add(copyText(takeStart(captured, 200)));
  }
  const numbered: NumberedLine = { line: summary.lines, text: takeStart(text, 400), first: [], following: 0 };
  if (entry !== undefined) summary.current = numbered;
  if (summary.matches.length < request.mostMatches) summary.matches.push(numbered);
  if (entry === undefined) return;
  const { time, level } = entry;
  if (level !== undefined) summary.levels.add(level);
  summary.messages.add(toPattern(entry.message));
  if (request.groupBy !== undefined) summary.groups.add(groupOf(entry, request.groupBy));
  if (time !== undefined) {
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

function groupOf(entry: LogEntry, groupBy: Grouping): string {
  if (groupBy === "level") return entry.level ?? "-";
  if (groupBy === "source") return entry.source === undefined ? "-" : copyText(takeStart(entry.source, 200));
  if (groupBy === "message") return toPattern(entry.message);
  if (entry.time === undefined) return "-";
  const iso = new Date(entry.time).toISOString();
  return groupBy === "day" ? iso.slice(0, 10) : `${iso.slice(0, 13).replace("T", " ")}:00`;
}

/** Removes what changes each time (IDs, addresses, numbers) from a message, so that its occurrences are counted together. */
function toPattern(message: string): string {
  const text = message
    .slice(0, 200)
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>")
    .replace(/\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]{8,64}\b/gi, "<id>")
    .replace(/\d+(?:[.:,]\d+)*/g, "<n>");
  return copyText(text);
}

/** Copies the text, because a slice would keep the whole chunk of the file in memory. */
function copyText(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

/** Represents one line of a log, as far as it could be parsed. */
export interface LogEntry {
  format: LogFormat;
  /** Returns milliseconds since 1970. */
  time?: number;
  level?: LogLevel;
  /** Names the origin of the entry: a logger, a program or a client's address. */
  source?: string;
  message: string;
}

type LogFormat = "json" | "logfmt" | "klog" | "access" | "syslog" | "timestamped" | "levelled";

const maxKeys = 5000;

/** Counts by key; keys beyond the first 5,000 are counted together. */
export class Counter<K extends string> {
  readonly counts = new Map<K, number>();
  /** Counts additions that got no key of their own because the maximum was reached. */
  others = 0;

  add(key: K): void {
    const count = this.counts.get(key);
    if (count === undefined && this.counts.size >= maxKeys) this.others++;
    else this.counts.set(key, (count ?? 0) + 1);
  }

  /** Returns the most frequent keys first. */
  top(most: number): [K, number][] {
    return [...this.counts].toSorted(([, a], [, b]) => b - a).slice(0, most);
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
