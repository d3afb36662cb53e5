import { isAscii, isUtf8 } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { TextDecoder } from "node:util";
import { takeStart } from "../../kit/text/truncate.ts";

export interface LineLimits {
  /** Limits the bytes read from the file. */
  totalBytes: number;
  milliseconds: number;
  /** Limits the characters of a line that are kept. */
  lineLength: number;
  /** Is how many characters at the beginning of each line are left out; none by default. */
  skipped?: number;
}

export interface LineReading {
  binary: boolean;
  /** Is true when a limit was reached before the end of the file. */
  partial: boolean;
}

/**
 * Hands each line of an open file to `onLine`, until that says `stop`, without ever holding more of it than one chunk and one line;
 * `isCut` tells that the line was longer than is kept. Obeys the signal.
 */
export async function readLines(
  handle: FileHandle,
  limits: LineLimits,
  signal: AbortSignal,
  onLine: (line: string, isCut: boolean) => "stop" | undefined,
): Promise<LineReading> {
  const { skipped = 0 } = limits;
  const deadline = performance.now() + limits.milliseconds;
  const chunk = Buffer.allocUnsafe(64 * 1024);
  let decoder: ReturnType<typeof createDecoder>;
  let toSkip = skipped;
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
        if (onLine(pending.replace(/\r$/, ""), isCut) === "stop") return { binary: false, partial: false };
        pending = "";
        isCut = false;
        toSkip = skipped;
      }
      // A line as long as the file is cut while it comes in.
      if (isCut) continue;
      const rest = part.slice(toSkip);
      toSkip = Math.max(0, toSkip - part.length);
      isCut = pending.length + rest.length > limits.lineLength;
      pending = takeStart(pending + rest, limits.lineLength);
    }
    const partial = position >= limits.totalBytes || performance.now() > deadline;
    if (bytesRead > 0 && !partial) continue;
    if (pending !== "" || toSkip < skipped) onLine(pending, isCut);
    return { binary: false, partial: bytesRead > 0 };
  }
}

/**
 * Counts the lines of an open file without holding more of it than one chunk. `partial` tells that a limit on size or time was
 * reached before its end.
 */
export async function countLines(
  handle: FileHandle,
  limits: Pick<LineLimits, "totalBytes" | "milliseconds">,
  signal: AbortSignal,
): Promise<{ lines: number; partial: boolean }> {
  const deadline = performance.now() + limits.milliseconds;
  const chunk = Buffer.allocUnsafe(256 * 1024);
  let position = 0;
  let lines = 0;
  let last = newline;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return { lines: last === newline ? lines : lines + 1, partial: false };
    const bytes = chunk.subarray(0, bytesRead);
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) lines++;
    last = bytes[bytesRead - 1] ?? newline;
    position += bytesRead;
    if (position >= limits.totalBytes || performance.now() > deadline) return { lines, partial: true };
  }
}

/** In UTF-16 the byte also begins or ends a few other characters, so the count of such a file is near, not exact. */
const newline = 10;

/**
 * Creates the decoder for a text that begins with `start`: UTF-16 if a byte order mark says so, UTF-8, else GB18030 (Chinese
 * Windows). Returns undefined for binary data.
 */
export function createDecoder(start: Uint8Array): TextDecoder | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return new TextDecoder("utf-16le");
  if (start[0] === 0xfe && start[1] === 0xff) return new TextDecoder("utf-16be");
  if (start.subarray(0, 8192).includes(0)) return undefined;
  // The start may end within a character of up to four bytes.
  const isValid = [0, 1, 2, 3].some((missing) => isUtf8(start.subarray(0, Math.max(0, start.length - missing))));
  return new TextDecoder(isValid ? "utf-8" : "gb18030");
}

/** Reads the first bytes of an open file, at most `most`, and returns how many are left. */
export async function readStart(handle: FileHandle, most: number): Promise<{ bytes: Buffer; missing: number }> {
  const { size } = await handle.stat();
  const length = Math.min(size, most);
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, 0);
  return { bytes: buffer.subarray(0, bytesRead), missing: size - bytesRead };
}
