import { Writable } from "node:stream";
import { finished } from "node:stream/promises";

/** Stdout as it belongs to the protocol. */
export interface ClaimedStdout {
  readonly stream: Writable;
  /** Resolves when everything that was written has been taken by the reader's pipe; never rejects. */
  written(): Promise<void>;
  /** Takes no more; resolves as `written` does, and gives stdout back then. A reader that has stopped reading keeps it waiting. */
  release(): Promise<void>;
}

/**
 * Keeps stdout for the protocol: only what is written to the stream that it gives gets there. Whatever else in the process writes to
 * stdout, such as a module of the user's, is heard on `stderr`.
 */
export function claimStdout(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): ClaimedStdout {
  const { write } = stdout;
  stdout.write = stderr.write.bind(stderr);
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write.call(stdout, chunk, encoding, done),
  });
  // Each message that waits for a slow reader listens for its turn; one that comes too late fails by itself.
  stream.setMaxListeners(0).on("error", () => {});
  return {
    stream,
    written: () =>
      new Promise((resolve) => {
        if (stream.writableEnded || stream.destroyed) resolve();
        else stream.write("", () => resolve());
      }),
    async release() {
      stream.end();
      await finished(stream).catch(() => {});
      stdout.write = write;
    },
  };
}
