import { Writable } from "node:stream";

/**
 * Keeps stdout for the protocol: only what is written to the stream that it gives gets there. Whatever else in the process writes to
 * stdout, such as a module of the user's, is heard on `stderr`.
 */
export function claimStdout(stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream): Writable {
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write(chunk, encoding, done),
  });
}
