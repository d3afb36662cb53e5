/** From the least to the most severe. */
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

/** For lines that name their level somewhere within. */
export function guessLevel(text: string): LogLevel | undefined {
  return readLevel(
    /\b(FATAL|CRITICAL|ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|error|warning)\b/.exec(text.slice(0, 300))?.[1],
  );
}

export function isAtLeast(level: LogLevel | undefined, least: LogLevel): boolean {
  return level !== undefined && logLevels.indexOf(level) >= logLevels.indexOf(least);
}
