import { relative, sep } from "node:path";
import { createDecoder } from "../files/decode-text.ts";
import { openFound } from "../files/open-allowed.ts";
import { readStart } from "../files/read-start.ts";
import { walkFiles } from "../files/walk-files.ts";

/** What is shown of one skill's folder at most. */
const walkLimits = { entries: 2000, depth: 6, milliseconds: 5000 };

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
  const file = await openFound(path, [folder]);
  if (file === undefined) return undefined;
  try {
    const { bytes, missing } = await readStart(file.handle, mostBytes);
    const decoder = createDecoder(bytes);
    if (decoder === undefined) return "binary";
    // A character that the cut has halved is no part of the text.
    const text = decoder.decode(bytes, { stream: missing > 0 });
    return { text, missing };
  } finally {
    await file.handle.close();
  }
}
