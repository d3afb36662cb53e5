import type { Config } from "../config/load-config.ts";
import { say, type Text } from "../kit/locale.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import type { Console } from "./console.ts";

/** Writes a line of the program's own to stderr, beside its output. */
export function writeLine(console: Console, line: string): void {
  if (console.tell) console.tell(line);
  else console.stderr.write(`duet: ${line}\n`);
}

/** Tells lines in the language of the configuration. */
export function createWarn({ locale }: Pick<Config, "locale">, console: Console): (line: Text) => void {
  return (line) => writeLine(console, sanitizeLine(say(locale, line)));
}
