import type { BigIntStats } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { randomHex } from "./random.ts";

/**
 * Writes a file for the user alone: readers see the old one or the new one, never a part. Makes its folder. Gives the new one's
 * state; throws what the file system throws, and what was there before is there still.
 */
export async function writePrivateFile(file: string, text: string): Promise<BigIntStats> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomHex()}.tmp`;
  try {
    const state = await fill(draft, text);
    await rename(draft, file);
    return state;
  } catch (thrown) {
    await rm(draft, { force: true }).catch(() => {});
    throw thrown;
  }
}

async function fill(file: string, text: string): Promise<BigIntStats> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    // Without it a power cut may leave an empty file under the right name.
    await handle.sync();
    return await handle.stat({ bigint: true });
  } finally {
    await handle.close();
  }
}
