import type { LogEntry } from "../../app/telemetry/log-sender.ts";
import { tokenOwnerPrefix } from "../../core/store/credentials.ts";
import { sanitizeLine, toSafeJson } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Holds the fields beside the message, for programs, named in `snake_case`. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Takes one line for the operator; `info` when no level is given. */
export type Log = (line: string, level?: LogLevel, fields?: LogFields) => void;

export interface LogOptions {
  /** Is `text` for the message alone, for people, or `json` for one object per line. */
  format: "text" | "json";
  /** Writes a line, which has no line end yet. */
  write(line: string): void;
  /** Takes out what must not be shown. */
  hide?: ((text: string) => string) | undefined;
  /** Receives each entry above the level `debug`, whose messages may be words of a conversation. */
  send?: ((entry: LogEntry) => void) | undefined;
}

/** Limits a message, in characters. The level `debug` writes messages in full. */
const longestMessage = 1000;
const longestField = 300;

/** Each entry is exactly one line, without characters that could control a terminal. */
export function createLog({ format, write, hide = (text) => text, send }: LogOptions): Log {
  return (line, level = "info", fields = {}) => {
    const shown = sanitizeLine(hide(line));
    const message = level === "debug" ? shown : truncate(shown, longestMessage);
    const isSent = send !== undefined && level !== "debug";
    const more: LogFields =
      format === "json" || isSent
        ? Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toShown(name, value, hide)]))
        : {};
    const now = new Date();
    if (isSent) send({ level, message, fields: more, at: now.getTime() });
    if (format === "text") return write(`duet: ${message}`);
    write(toSafeJson({ time: now.toISOString(), level, message, ...more }));
  };
}

function toShown(name: string, value: LogFields[string], hide: (text: string) => string): LogFields[string] {
  if (typeof value !== "string") return value;
  // The name of a caller with an API token is `token:NAME`, which looks like a token that is assigned.
  const kind = name === "caller" && value.startsWith(tokenOwnerPrefix) ? tokenOwnerPrefix : "";
  return truncate(sanitizeLine(kind + hide(value.slice(kind.length))), longestField);
}
