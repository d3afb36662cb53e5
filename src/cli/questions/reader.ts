import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import type { Locale } from "../../kit/locale.ts";
import { type Console, writeSafely } from "../console.ts";
import { type TypedLines, takeLines } from "./typed-lines.ts";

/** Somebody at a terminal who can be asked. */
export interface Reader {
  locale: Locale;
  /** Asks and gives the line that was typed; undefined when there is nobody to type. Rejects when the signal aborts. */
  ask(query: string, signal: AbortSignal): Promise<string | undefined>;
  /** Shows a line where the question stands. */
  write(line: string): void;
  /** `/exit` was typed: a no, and more. */
  leave?(): void;
  /**
   * Lets one of several be chosen with the arrow keys; undefined when none was. Absent where only lines are typed: `pickOne`
   * asks there by number. Rejects when the signal aborts.
   */
  pick?<T>(picking: Picking<T>, signal: AbortSignal): Promise<T | undefined>;
}

/** Something to be chosen. */
export interface Picking<T> {
  title: string;
  choices: readonly Choice<T>[];
  /** The one that is in force, or that an Enter takes: where the cursor stands first. */
  chosen?: T | undefined;
}

export interface Choice<T> {
  value: T;
  label: string;
  /** A few quiet words beside it. */
  detail?: string | undefined;
  /** Words that may be typed for it, in lower case: `y`, `yes`, `好`. */
  words?: readonly string[] | undefined;
}

/** Asks once; the screen's line is ended also where no Enter did it. */
export async function askLine({ ask, write }: Reader, query: string, signal: AbortSignal): Promise<string | undefined> {
  let line: string | undefined;
  try {
    line = await ask(query, signal);
  } finally {
    if (line === undefined) write("");
  }
  return line;
}

/** Whether there is somebody at a terminal who sees a question and can type. */
export function canBeAsked({ stdin, stderr }: Console): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks on stderr what is typed on stdin; the terminal itself edits the line, and its Ctrl-C interrupts the program. */
export interface TerminalQuestions {
  /** Takes what is typed from now on, so that a line from before a question is never its reply. */
  listen(): void;
  ask(query: string, signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/** Leaves stdin alone until it is to listen; whoever opens it closes it. */
export function openTerminalQuestions({ stdin, stderr }: Console): TerminalQuestions {
  let close: (() => void) | undefined;
  let lines: TypedLines | undefined;

  function listen(): TypedLines {
    if (lines) return lines;
    const input = createInterface({ input: stdin, terminal: false });
    close = () => input.close();
    lines = takeLines(input);
    return lines;
  }

  return {
    listen: () => void listen(),
    async ask(query, signal) {
      const typed = listen();
      // Whatever is on its way from the terminal was typed before the question.
      for (let turns = 0; turns < 2; turns++) await setImmediate();
      writeSafely(stderr, query);
      return typed.fresh(signal);
    },
    close: () => close?.(),
  };
}
