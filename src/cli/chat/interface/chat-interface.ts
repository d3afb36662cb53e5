import type { AgentEvent } from "../../../core/run/events.ts";
import type { Locale } from "../../../kit/locale.ts";
import type { Reader } from "../../questions/reader.ts";
import type { Complete } from "../../terminal/editor/editor.ts";
import type { Line } from "../../terminal/text/line.ts";

/** Shows a chat and reads what is typed, on the screen of a terminal or in plain lines. */
export interface ChatInterface {
  /** Returns the next submitted text from the queue, or undefined when the input has ended. */
  next(): Promise<string | undefined>;
  /** Puts texts before those that wait. */
  putFirst(texts: readonly string[]): void;
  /** Puts a text that was submitted back into the input, before what is typed there. */
  putBack(text: string): void;
  /** Opens the input, or this text in its place, in an editor of the user's own, and takes what comes of it. Never rejects. */
  edit(text?: string): Promise<void>;
  /** Puts a text into the input, to be changed and sent. It leaves what is half typed there, and a pipe, as they are. */
  prefill(text: string): void;
  /** Writes finished lines; nothing in them can drive the terminal. */
  write(...lines: (string | Line)[]): void;
  /** Writes an exchange of an earlier time, with a line for each of its steps. */
  writeTurn(turn: { question: string; answer: string; steps: readonly string[] }): Promise<void>;
  /** Is true where single keys are read, so that an offer can be taken with one. */
  readonly hasKeys: boolean;
  /** Represents a person who can be asked. It is undefined when the input is a pipe. */
  readonly reader: Reader | undefined;
  /** Shows a run from its first event to its last. */
  openRun(locale: Locale): ShownRun;
  /**
   * Folds the list of the newest answer's steps to one line, or opens it again. False where it has scrolled off the screen;
   * undefined where there is none, or nothing that was written can be changed.
   */
  toggleSteps(): boolean | undefined;
  /** Redraws after a change of the prompt, the mode or the models. */
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

/** Defines what an interface asks of the chat behind it. */
export interface ChatHandler {
  readonly locale: Locale;
  /** Returns the mode and the state of the search, shown before the input. */
  prompt(): string;
  /** Returns the status line at the bottom, within the columns. */
  status(isAsking: boolean, columns: number): string;
  /** Lists the servers that the run waits for before it begins. */
  readonly starting: readonly string[];
  /** Stops the run or command that is going on; false when there is none. */
  stop(): boolean;
  /** Ends the chat once what is going on has ended. */
  leave(): void;
  /** Says something to the run that works. Returns false where it has to wait for the end of the run. */
  message(text: string): boolean;
  /** Lists what was said and no model has read yet. */
  readonly messages: readonly string[];
  /** Takes these back, because the run is stopped. */
  takeMessages(): string[];
  /** Is the command of what is offered at this moment. It is undefined when nothing is. */
  readonly offered: string | undefined;
  /** Opens the last run's steps again. */
  expand(): void;
  /** Completes commands and their arguments, and files after `@`. */
  readonly complete: Complete;
}
