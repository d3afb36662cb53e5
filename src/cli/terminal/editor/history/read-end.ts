import { readSync } from "node:fs";

/** The end of a history file: what stands before it is old. */
export interface FileEnd {
  /** Whole lines, the last one perhaps broken off. */
  readonly text: string;
  /** Whether it is all of the file. */
  readonly isWhole: boolean;
}

/** Reads the last two megabytes of an open file of that size. */
export function readEnd(handle: number, size: number): FileEnd {
  const start = Math.max(0, size - mostBytes);
  const text = readFrom(handle, start, size);
  const isWhole = start === 0;
  return { text: isWhole ? text : text.slice(text.indexOf("\n") + 1), isWhole };
}

export function readFrom(handle: number, start: number, end: number): string {
  const bytes = Buffer.alloc(Math.max(0, end - start));
  return bytes.toString("utf8", 0, readSync(handle, bytes, 0, bytes.length, start));
}

const mostBytes = 2_000_000;
