import { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { sleep } from "../core/waiting.ts";

/** Stdout as it belongs to the protocol. */
export interface ClaimedStdout {
  readonly stream: Writable;
  /** Gives it back once what was sent has been read; what nobody reads within a second is dropped, and stdout with it. */
  release(): Promise<void>;
}

/** How long a reader who has stopped reading is waited for at the end, in milliseconds. */
const patienceMs = 1000;

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
    async release() {
      stream.end();
      await Promise.race([finished(stream).catch(() => {}), sleep(patienceMs)]);
      stdout.write = write;
      if (!stream.writableFinished) stdout.destroy();
    },
  };
}
