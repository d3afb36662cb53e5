import type { AgentEvent } from "../../core/events.ts";
import type { Locale } from "../../kit/locale.ts";
import type { Reader } from "../questions/reader.ts";
import type { Complete } from "../terminal/editor/editor.ts";
import type { Line } from "../terminal/text/line.ts";

/** What a chat is shown on and typed at: the screen of a terminal, or plain lines. */
export interface ChatInterface {
  /** What is submitted next, from a line of what was submitted meanwhile; undefined when the input has ended. */
  next(): Promise<string | undefined>;
  /** Writes finished lines; nothing in them can drive the terminal. */
  write(...lines: (string | Line)[]): void;
  /** Writes an exchange of an earlier time. */
  writeTurn(turn: { question: string; answer: string }): Promise<void>;
  /** Somebody who can be asked; undefined where the input is a pipe. */
  readonly reader: Reader | undefined;
  /** Shows a run from its first event to its last. */
  openRun(locale: Locale): ShownRun;
  /**
   * Folds the list of the newest answer's steps to one line, or opens it again. False where it has scrolled off the screen;
   * undefined where there is none, or nothing that was written can be changed.
   */
  toggleSteps(): boolean | undefined;
  /** The prompt, the mode or the models have changed. */
  refresh(): void;
  /** Ends the input, and gives the terminal back as it was. */
  close(): Promise<void>;
}

export interface ShownRun {
  /** Resolves when the next event may be shown. */
  handle(event: AgentEvent): Promise<void>;
  /** Settles when all of it is on the screen. */
  close(): Promise<void>;
}

/** What a face asks of the chat behind it. */
export interface ChatHandler {
  /** The language of what the chat says. */
  readonly locale: Locale;
  /** The mode and the state of the search, in front of what is typed. */
  prompt(): string;
  /** The models and the rest of what is in force, for the line at the bottom. */
  status(isAsking: boolean): string;
  /** Stops the run or command that is going on; false when there is none. */
  stop(): boolean;
  /** Ends the chat once what is going on has ended. */
  leave(): void;
  /** Opens the last run's steps again. */
  expand(): void;
  /** Completes commands and their arguments, and files after `@`. */
  readonly complete: Complete;
}
