import type { Text } from "../../../kit/errors.ts";
import type { Entry } from "../entry.ts";

/** How a kind of file is read, and one entry of it changed with all else left as it is written. */
export interface FileFormat {
  /** Throws a `FormatError` where the text is not of this form. */
  parse(text: string): unknown;
  /** Sets the fields that differ, or removes the entry. May throw, or miss, where it is written in a rare way. */
  edit(text: string, change: Change): string;
  /** What in the writing of a text hinders the change; undefined where that is not known. May throw, as `edit` may. */
  hindrance(text: string, change: Change): Text | undefined;
}

/** A text is not of its form from this place on. */
export class FormatError extends Error {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;

  constructor({ line, column }: { line: number; column: number }, options: ErrorOptions) {
    super(`at ${line}:${column}`, options);
    this.line = line;
    this.column = column;
  }
}

export interface Change {
  /** What the servers stand under. */
  key: string;
  /** The server's name. */
  name: string;
  /** What stands there now. */
  there: unknown;
  /** What is to stand there; undefined for nothing. */
  entry: Entry | undefined;
}

/** The line ends of a text, as its first line has them. */
export function detectLineEnd(text: string): "\r\n" | "\n" {
  return /^[^\n]*\r\n/.test(text) ? "\r\n" : "\n";
}
