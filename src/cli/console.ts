import type { ExitDeadline } from "../kit/process/exit-deadline.ts";
import { sanitize } from "../kit/text/sanitize.ts";

/** The streams of this process, as faces use them. */
export interface Console {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Takes the program's own lines, in place of stderr. */
  tell?(line: string): void;
}

/** Where text is written: `process.stdout`, or what stands for it. */
export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
}

/** What every command is given. */
export interface Context {
  console: Console;
  signal: AbortSignal;
  /** Aborts at the second signal, a second before the process ends, for whoever listens; it ends at once where nobody does. */
  hurry?: AbortSignal | undefined;
  /** When the process ends whatever goes on; absent where nobody sets one. */
  deadline?: ExitDeadline | undefined;
}

/** Writes text that models, tools or servers gave: nothing in it can drive the terminal. */
export function writeSafely(stream: NodeJS.WritableStream, text: string): void {
  stream.write(sanitize(text));
}
