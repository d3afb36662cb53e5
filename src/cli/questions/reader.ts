import { createInterface, type Interface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import type { Locale } from "../../kit/locale.ts";
import { type Console, writeSafely } from "../console.ts";
import type { Line } from "../terminal/text/line.ts";

export interface Reader {
  locale: Locale;
  /** Asks and gives the line that was typed; undefined when there is nobody to type. Rejects when the signal aborts. */
  ask(query: string, signal: AbortSignal): Promise<string | undefined>;
  /** Shows a line where the question stands. */
  write(line: string | Line): void;
  /** Is true where lines are heard, so that words stand in place of signs. */
  readonly isSpoken?: boolean | undefined;
  /** Returns the columns for which lines are wrapped; absent where the terminal does that. */
  columns?(): number;
  /** Runs after `/exit`, which answers no and leaves the chat. */
  leave?(): void;
  /**
   * Lets one of several be chosen with the arrow keys; undefined when none was. Absent where only lines are typed: `pickOne`
   * asks there by number. Rejects when the signal aborts.
   */
  pick?<T>(picking: PickOptions<T>, signal: AbortSignal): Promise<T | undefined>;
}

export interface PickOptions<T> {
  title: string;
  choices: readonly Choice<T>[];
  /** Is the current choice, or the one that Enter takes; the cursor starts there. */
  chosen?: T | undefined;
  /** Is true where what is typed leaves the choices that have it, in place of moving to the first one. */
  filters?: boolean | undefined;
}

export interface Choice<T> {
  value: T;
  label: string;
  detail?: string | undefined;
  /** Lists words that may be typed for the choice, in lower case: `y`, `yes`, `好`. */
  words?: readonly string[] | undefined;
  /** Holds further text in which a filter looks. */
  search?: string | undefined;
  /** Is true for a choice that no filter takes away. */
  isAlwaysShown?: boolean | undefined;
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

/** Returns true when a user at a terminal can see a question and type an answer. */
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

interface TypedLines {
  /** Is true when no more lines will arrive; earlier ones may still be unread. */
  readonly hasEnded: boolean;
  /** Returns the next line, or undefined when the input has ended. */
  next(): Promise<string | undefined>;
  /** Returns the first line typed from now on; earlier lines wait for `next`. Rejects when the signal aborts. */
  fresh(signal: AbortSignal): Promise<string | undefined>;
}

/** Takes every line of `input` from now on. */
export function takeLines(input: Interface): TypedLines {
  const early: string[] = [];
  let hasEnded = false;
  let give: ((line: string | undefined) => void) | undefined;

  input.on("line", (line) => {
    if (give) give(line);
    else early.push(line);
  });
  // A terminal that went away is the end of the input; readline fails even at giving it back its mode.
  input.on("error", () => setImmediate(() => input.close()));
  input.once("close", () => {
    hasEnded = true;
    give?.(undefined);
  });

  function wait(signal?: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (hasEnded) return resolve(undefined);
      const stop = (): void => {
        give = undefined;
        reject(signal?.reason);
      };
      give = (line) => {
        give = undefined;
        signal?.removeEventListener("abort", stop);
        resolve(line);
      };
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  return {
    get hasEnded() {
      return hasEnded;
    },
    next: async () => (early.length > 0 ? early.shift() : wait()),
    fresh: wait,
  };
}
