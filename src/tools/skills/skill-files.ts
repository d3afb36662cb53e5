import { relative, sep } from "node:path";
import { findAllowed, openAllowed } from "../builtin/allowed-path.ts";
import { decoderFor } from "../builtin/decode-text.ts";
import { walkFiles } from "../builtin/walk-files.ts";

/** What is shown of one skill's folder at most. */
const walkLimits = { entries: 2000, depth: 6 };

/** The files of a skill's folder (its real path), relative to it, without hidden and private ones and without links. */
export async function listFiles(folder: string, signal: AbortSignal): Promise<string[]> {
  const files: string[] = [];
  for await (const file of walkFiles(folder, walkLimits, signal, () => {}))
    files.push(relative(folder, file).replaceAll(sep, "/"));
  return files;
}

/** A text file inside the folder; undefined when there is none that may be read, `binary` when it is no text. */
export async function readInside(
  folder: string,
  path: string,
  mostBytes: number,
): Promise<{ text: string; missing: number } | "binary" | undefined> {
  const file = await findAllowed(path, [folder]);
  const handle = file === undefined ? undefined : await openAllowed(file, [folder]);
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, mostBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const decoder = decoderFor(bytes);
    if (decoder === undefined) return "binary";
    // A character that the cut has halved is no part of the text.
    const text = decoder.decode(bytes, { stream: size > length });
    return { text, missing: size - bytesRead };
  } finally {
    await handle.close();
  }
}
