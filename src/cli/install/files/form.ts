import type { Text } from "../../../kit/locale.ts";
import type { Entry } from "../entry.ts";

/** Reads one kind of file and changes one entry of it, leaving the rest as it is written. */
export interface FileFormat {
  /** Throws a `FormatError` where the text is not of this form. */
  parse(text: string): unknown;
  /** Sets the fields that differ, or removes the entry. May throw, or miss, where it is written in a rare way. */
  edit(text: string, change: Change): string;
  /** Explains what in the text prevents the change, or returns undefined when that is unknown. May throw, as `edit` may. */
  hindrance(text: string, change: Change): Text | undefined;
}

/** Reports the first position at which a text violates its format. */
export class FormatError extends Error {
  /** Counts from 1. */
  readonly line: number;
  /** Counts from 1. */
  readonly column: number;

  constructor({ line, column }: { line: number; column: number }, options: ErrorOptions) {
    super(`at ${line}:${column}`, options);
    this.line = line;
    this.column = column;
  }
}

export interface Change {
  /** Names the key that holds the servers. */
  key: string;
  name: string;
  /** Holds the current value. */
  there: unknown;
  /** Holds the new value; undefined removes the entry. */
  entry: Entry | undefined;
}

/** Returns the line ending of the text's first line. */
export function detectLineEnd(text: string): "\r\n" | "\n" {
  return /^[^\n]*\r\n/.test(text) ? "\r\n" : "\n";
}
