import type { FileHandle } from "node:fs/promises";

/** Reads the first bytes of an open file, at most `most`, and returns how many are left. */
export async function readStart(handle: FileHandle, most: number): Promise<{ bytes: Buffer; missing: number }> {
  const { size } = await handle.stat();
  const length = Math.min(size, most);
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, 0);
  return { bytes: buffer.subarray(0, bytesRead), missing: size - bytesRead };
}
