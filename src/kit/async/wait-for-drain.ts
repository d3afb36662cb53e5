import type { Writable } from "node:stream";

/** Resolves when the stream has room again, or is closed. It must have said that it has none. */
export function waitForDrain(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    function finish(): void {
      stream.off("drain", finish).off("close", finish);
      resolve();
    }
    stream.on("drain", finish).on("close", finish);
  });
}
