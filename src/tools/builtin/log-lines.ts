import type { FileHandle } from "node:fs/promises";
import { headOf } from "../../core/cut-text.ts";
import { decoderFor } from "./decode-text.ts";

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
 * Hands each line of an open file to `take`, until that says `stop`, without ever holding more of it than one chunk and one line.
 * Obeys the signal.
 */
export async function readLines(
  handle: FileHandle,
  limits: LineLimits,
  signal: AbortSignal,
  take: (line: string) => "stop" | undefined,
): Promise<LineReading> {
  const deadline = performance.now() + limits.milliseconds;
  const chunk = Buffer.allocUnsafe(64 * 1024);
  let decoder: ReturnType<typeof decoderFor>;
  let position = 0;
  let pending = "";
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    const bytes = chunk.subarray(0, bytesRead);
    if (position === 0) decoder = decoderFor(bytes);
    if (decoder === undefined) return { binary: true, partial: false };
    position += bytesRead;
    const lines = decoder.decode(bytes, { stream: bytesRead > 0 }).split("\n");
    for (const [index, part] of lines.entries()) {
      if (index > 0) {
        if (take(pending.replace(/\r$/, "")) === "stop") return { binary: false, partial: false };
        pending = "";
      }
      // A line as long as the file is cut while it comes in.
      if (pending.length < limits.lineLength) pending = headOf(pending + part, limits.lineLength);
    }
    const partial = position >= limits.totalBytes || performance.now() > deadline;
    if (bytesRead > 0 && !partial) continue;
    if (pending !== "") take(pending);
    return { binary: false, partial: bytesRead > 0 };
  }
}
