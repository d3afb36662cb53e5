/** Lists MCP's levels of logging, the least severe first. */
export const logLevels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

export type ServerLogLevel = (typeof logLevels)[number];

/** Holds one line of a server's log: untrusted, without the server's secrets. */
export interface ServerLogEntry {
  level: ServerLogLevel;
  /** Begins with the name of the server. */
  logger: string;
  data: unknown;
}

/**
 * Takes a line of a server's log that belongs to no single host's call. `told` holds the `person` of each host that has got it
 * with a call of its own.
 */
export type OnServerLog = (entry: ServerLogEntry, told: ReadonlySet<object>) => void;

export function isLogLevel(value: unknown): value is ServerLogLevel {
  return logLevels.some((level) => level === value);
}

/** Returns true when an entry of the first level is wanted by whoever has asked for the second. */
export function isAtLeast(level: ServerLogLevel, wanted: ServerLogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(wanted);
}
