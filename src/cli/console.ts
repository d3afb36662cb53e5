import type { Config } from "../config/config.ts";
import { say, type Text } from "../kit/locale.ts";
import type { ExitDeadline } from "../kit/process/exit.ts";
import { sanitize, sanitizeLine } from "../kit/text/sanitize.ts";

/** Holds the process's streams as commands use them. */
export interface Console {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Takes the program's own lines, in place of stderr. */
  writeLine?(line: string): void;
}

/** Text is written to `process.stdout` or a substitute for it. */
export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
}

/** Every command receives this context. */
export interface Context {
  console: Console;
  signal: AbortSignal;
  /** Aborts at the second signal, a second before the process ends, for whoever listens; it ends at once where nobody does. */
  hurry?: AbortSignal | undefined;
  /** Holds the time at which the process exits even if work is unfinished; absent when no deadline is set. */
  deadline?: ExitDeadline | undefined;
}

/** Writes text that models, tools or servers gave: nothing in it can drive the terminal. */
export function writeSafely(stream: NodeJS.WritableStream, text: string): void {
  stream.write(sanitize(text));
}

/** Writes a line of the program's own to stderr, beside its output. */
export function writeLine(console: Console, line: string): void {
  if (console.writeLine) console.writeLine(line);
  else console.stderr.write(`duet: ${line}\n`);
}

/** Writes lines in the language of the configuration. */
export function createWarn({ locale }: Pick<Config, "locale">, console: Console): (line: Text) => void {
  return (line) => writeLine(console, sanitizeLine(say(locale, line)));
}
