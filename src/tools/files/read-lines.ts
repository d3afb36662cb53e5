import { isAscii } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { takeStart } from "../../kit/text/truncate.ts";
import { createDecoder } from "./decode-text.ts";

export interface LineLimits {
  /** Bytes read of the file. */
  totalBytes: number;
  milliseconds: number;
  /** Characters of a line that are kept. */
  lineLength: number;
}

/** How the reading ended. */
export interface LineReading {
  binary: boolean;
  /** A limit was reached before the end of the file. */
  partial: boolean;
}

/**
 * Hands each line of an open file to `take`, until that says `stop`, without ever holding more of it than one chunk and one line;
 * `isCut` tells that the line was longer than is kept. Obeys the signal.
 */
export async function readLines(
  handle: FileHandle,
  limits: LineLimits,
  signal: AbortSignal,
  take: (line: string, isCut: boolean) => "stop" | undefined,
): Promise<LineReading> {
  const deadline = performance.now() + limits.milliseconds;
  const chunk = Buffer.allocUnsafe(64 * 1024);
  let decoder: ReturnType<typeof createDecoder>;
  let position = 0;
  let pending = "";
  let isCut = false;
  let isPlain = true;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    const bytes = chunk.subarray(0, bytesRead);
    // What is plain ASCII so far may yet turn out to be in any charset.
    if (isPlain) decoder = createDecoder(bytes) ?? decoder;
    if (decoder === undefined) return { binary: true, partial: false };
    isPlain &&= isAscii(bytes);
    position += bytesRead;
    const lines = decoder.decode(bytes, { stream: bytesRead > 0 }).split("\n");
    for (const [index, part] of lines.entries()) {
      if (index > 0) {
        if (take(pending.replace(/\r$/, ""), isCut) === "stop") return { binary: false, partial: false };
        pending = "";
        isCut = false;
      }
      // A line as long as the file is cut while it comes in.
      if (isCut) continue;
      isCut = pending.length + part.length > limits.lineLength;
      pending = takeStart(pending + part, limits.lineLength);
    }
    const partial = position >= limits.totalBytes || performance.now() > deadline;
    if (bytesRead > 0 && !partial) continue;
    if (pending !== "") take(pending, isCut);
    return { binary: false, partial: bytesRead > 0 };
  }
}
