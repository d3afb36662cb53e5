import type { AgentEvent } from "../core/events.ts";
import type { Locale } from "../core/locale.ts";
import { printableStream } from "../core/printable.ts";
import { createStepLog } from "../core/step-log.ts";
import { type Console, writeSafely } from "./console.ts";
import { createLinker } from "./hyperlinks.ts";

export interface RenderOptions {
  console: Console;
  locale: Locale;
  /** Each call's whole input and output as well. */
  verbose: boolean;
  /** Whether the terminal shows links: the answer's citations become some. */
  hyperlinks: boolean;
}

/** A run as plain text: the answer streams to stdout, everything else goes to stderr, a line each. */
export function createRenderer({ console, locale, verbose, hyperlinks }: RenderOptions): (event: AgentEvent) => void {
  /** Whether stdout stands in the middle of an answer's line. */
  let open = false;
  const answer = printableStream();
  const link = hyperlinks ? createLinker() : (text: string): string => text;
  const log = createStepLog({ write: note, locale, verbose });

  function closeAnswer(): void {
    if (open) console.stdout.write(`${answer.end()}\n`);
    open = false;
  }

  function note(line: string): void {
    // A line on stderr would stick to the answer where both share a terminal; a piped answer stays untouched.
    if (console.stdout.isTTY) closeAnswer();
    writeSafely(console.stderr, `${line}\n`);
  }

  return (event) => {
    if (event.type === "run-end") closeAnswer();
    if (event.type !== "answer-delta") return log(event);
    open = true;
    console.stdout.write(link(answer.push(event.text), event.citations));
  };
}
