import { isUtf8 } from "node:buffer";
import { TextDecoder } from "node:util";

/** The decoder for a text that starts with `start`: UTF-16 if it says so, UTF-8, else GB18030 (Chinese Windows); undefined for binary data. */
export function createDecoder(start: Uint8Array): TextDecoder | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return new TextDecoder("utf-16le");
  if (start[0] === 0xfe && start[1] === 0xff) return new TextDecoder("utf-16be");
  if (start.subarray(0, 8192).includes(0)) return undefined;
  // The start may end within a character of up to four bytes.
  const isValid = [0, 1, 2, 3].some((missing) => isUtf8(start.subarray(0, Math.max(0, start.length - missing))));
  return new TextDecoder(isValid ? "utf-8" : "gb18030");
}
