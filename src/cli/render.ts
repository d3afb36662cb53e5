import type { AgentEvent } from "../core/events.ts";
import { billLine, lineOf, partialLine } from "../core/lines.ts";
import { type Locale, say } from "../core/locale.ts";
import type { Outcome } from "../core/outcome.ts";
import { printableLine } from "../core/printable.ts";
import { type Console, writeSafely } from "./console.ts";

export interface RenderOptions {
  console: Console;
  locale: Locale;
  /** Each call's whole input and output as well. */
  verbose: boolean;
}

/** A run as plain text: the answer streams to stdout, everything else goes to stderr, a line each. */
export interface Renderer {
  take(event: AgentEvent): void;
}

export function createRenderer({ console, locale, verbose }: RenderOptions): Renderer {
  /** The thought or reasoning that is still growing. */
  let thinking = "";
  /** Whether stdout stands in the middle of an answer's line. */
  let open = false;

  function closeAnswer(): void {
    if (open) console.stdout.write("\n");
    open = false;
  }

  function note(line: string): void {
    // A line on stderr would stick to the answer where both share a terminal; a piped answer stays untouched.
    if (console.stdout.isTTY) closeAnswer();
    writeSafely(console.stderr, `${line}\n`);
  }

  function closeThought(): void {
    const thought = printableLine(thinking);
    thinking = "";
    if (thought !== "") note(`💭 ${verbose ? thought : cut(thought)}`);
  }

  function end(outcome: Outcome): void {
    closeAnswer();
    if (verbose) for (const call of outcome.tool_calls) note(callInFull(call));
    const partial = partialLine(outcome, locale);
    if (partial) note(partial);
    if (outcome.status === "cancelled") note(say(locale, { zh: "已取消。", en: "Cancelled." }));
    if (outcome.status === "failed" && outcome.error) note(errorLine(outcome.error));
    note(`  ${billLine(outcome, locale)}`);
  }

  return {
    take(event) {
      if (event.type === "thought-delta" || event.type === "reasoning-delta") {
        thinking += event.text;
        return;
      }
      closeThought();
      if (event.type === "run-end") return end(event.outcome);
      if (event.type === "answer-delta") {
        open = true;
        return writeSafely(console.stdout, event.text);
      }
      const line = lineOf(event, locale);
      if (line !== undefined) note(line);
    },
  };
}

/** What went wrong and what to do, on one line. */
export function errorLine({ message, hint }: { message: string; hint: string | null }): string {
  return `✗ ${[printableLine(message), hint].filter(Boolean).join(" ")}`;
}

function callInFull(call: Outcome["tool_calls"][number]): string {
  return `── ${call.tool} ${JSON.stringify(call.arguments)}\n${call.result}`;
}

function cut(line: string): string {
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
