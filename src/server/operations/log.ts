import { sanitizeLine, toSafeJson, truncate } from "../../kit/text/sanitize.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** What stands beside the message, for programs; `snake_case`. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Takes one line for the operator; `info` when no level is given. */
export type Log = (line: string, level?: LogLevel, fields?: LogFields) => void;

export interface LogOptions {
  /** `text`: the message alone, for people. `json`: an object a line. */
  format: "text" | "json";
  /** Writes a line, which has no line end yet. */
  write(line: string): void;
  /** Takes out what must not be shown. */
  hide?: ((text: string) => string) | undefined;
}

/** Characters of a message; what is wanted in full comes with the level `debug`. */
const longestMessage = 1000;
const longestField = 300;

/** Whatever is told, each time it is exactly one line, in which nothing can drive a terminal. */
export function createLog({ format, write, hide = (text) => text }: LogOptions): Log {
  return (line, level = "info", fields = {}) => {
    const shown = sanitizeLine(hide(line));
    const message = level === "debug" ? shown : truncate(shown, longestMessage);
    if (format === "text") return write(`duet: ${message}`);
    const more = Object.entries(fields).map(([name, value]) => [name, shortened(value, hide)]);
    const time = new Date().toISOString();
    write(toSafeJson({ time, level, message, ...Object.fromEntries(more) }));
  };
}

function shortened(value: LogFields[string], hide: (text: string) => string): LogFields[string] {
  return typeof value === "string" ? truncate(sanitizeLine(hide(value)), longestField) : value;
}
