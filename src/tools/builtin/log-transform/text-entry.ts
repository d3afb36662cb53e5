import type { LogEntry } from "./log-entry.ts";
import { guessLevel, type LogLevel, readLevel } from "./log-level.ts";
import { readTime } from "./log-time.ts";

const timestamp =
  /^[[【]?(\d{4}[-/年]\d\d?[-/月]\d\d?日?[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)[\]】]?[\s:|-]*/i;
// [error], ERROR, Error: and error; a sentence that begins with "Error" is a message. 错误：too.
const levelAt =
  /^(?:[[(<【]([A-Za-z]{3,11}|\p{Script=Han}{2})[\])>】]|(\p{Script=Han}{2}(?=[\s:：|]|$)|[A-Z]{3,11}|[a-z]{3,11}|[A-Z][a-z]{2,10}(?=:))(?=[\s:：|-]|$))[\s:：|-]*/u;
const thread = /^\[[^\]]{1,80}\]\s+/;
const pythonName = /^([\w.$/-]{1,80}) - ([A-Za-z]{3,11}) - /;
const logger = /^(?:\[([^\]]{1,80})\]\s+)?(?:([\w.$]{1,100}) (?:-|:) |([\w$]{1,50}(?:\.[\w$]{1,50}){1,9}): )/;

/** 2026-01-02 03:04:05,678 [LEVEL] message, and its relatives: python logging, log4j, logback, nginx errors. */
export function readTimestamped(line: string, thisYear: number): LogEntry | undefined {
  const leading = readLevelAt(line);
  const rest = leading === undefined ? line : line.slice(leading.length);
  const stamp = timestamp.exec(rest);
  if (stamp === null) return undefined;
  const time = readTime(stamp[1] ?? "", thisYear);
  const text = rest.slice(stamp[0].length);
  const python = pythonName.exec(text);
  const pythonLevel = readLevel(python?.[2]);
  if (python !== null && pythonLevel !== undefined) {
    return {
      format: "timestamped",
      time,
      level: pythonLevel,
      source: python[1],
      message: text.slice(python[0].length),
    };
  }
  const found = leading ?? readLevelAt(text) ?? readLevelAfterThread(text);
  const message = found === undefined || leading !== undefined ? text : text.slice(found.length);
  const named = logger.exec(message);
  const source = named?.[2] ?? named?.[3] ?? named?.[1];
  return {
    format: "timestamped",
    time,
    level: found?.level ?? guessLevel(text),
    source,
    message: named === null ? message : message.slice(named[0].length),
  };
}

/** LEVEL:name:message (python's default), [LEVEL] message, LEVEL message. */
export function readLevelled(line: string): LogEntry | undefined {
  const python = /^([A-Z]{3,11}):([\w.]{1,80}):(.*)$/.exec(line);
  const level = readLevel(python?.[1]);
  if (python !== null && level !== undefined) {
    return { format: "levelled", level, source: python[2], message: python[3] ?? "" };
  }
  const found = /^(?:[[【][A-Za-z\p{Script=Han}]|[A-Z]{3})/u.test(line) ? readLevelAt(line) : undefined;
  return found === undefined
    ? undefined
    : { format: "levelled", level: found.level, message: line.slice(found.length) };
}

interface LevelAt {
  level: LogLevel;
  /** How far it reaches, with what separates it from the rest. */
  length: number;
}

function readLevelAt(text: string): LevelAt | undefined {
  const match = levelAt.exec(text);
  const level = readLevel(match?.[1] ?? match?.[2]);
  return match === null || level === undefined ? undefined : { level, length: match[0].length };
}

/** log4j and logback: `[main] ERROR ...`. */
function readLevelAfterThread(text: string): LevelAt | undefined {
  const length = thread.exec(text)?.[0].length;
  const found = length === undefined ? undefined : readLevelAt(text.slice(length));
  return length === undefined || found === undefined
    ? undefined
    : { level: found.level, length: length + found.length };
}
