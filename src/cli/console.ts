import { printable } from "../core/printable.ts";

/** The streams of this process, as faces use them. */
export interface Console {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** What every command is given. */
export interface Context {
  console: Console;
  signal: AbortSignal;
}

/** Writes text that models, tools or servers gave: nothing in it can drive the terminal. */
export function writeSafely(stream: NodeJS.WritableStream, text: string): void {
  stream.write(printable(text));
}
