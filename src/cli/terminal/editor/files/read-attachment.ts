import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import type { Text } from "../../../../kit/locale.ts";

/** Bytes of one file that may be attached. */
export const mostBytes = 200_000;

/** What a file that was named holds, or why it cannot be attached; `missing` where there is none. */
export type Attachment =
  | { is: "text"; text: string; bytes: number }
  | { is: "missing" }
  | { is: "refused"; reason: Text };

/** Reads a text file; opens nothing but regular files. Never rejects. */
export async function readAttachment(file: string): Promise<Attachment> {
  try {
    const state = await stat(file).catch(() => undefined);
    if (state === undefined) return { is: "missing" };
    if (state.isDirectory()) return refused("是文件夹，只能附上文件", "is a folder; only files can be attached");
    if (!state.isFile()) return refused("不是普通文件", "is no regular file");
    return toText(await readBytes(file));
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
    return refused(`无法读取（${code || "错误"}）`, `cannot be read (${code || "error"})`);
  }
}

/** At most one byte more than may be attached: what a file says of its size need not be true. */
async function readBytes(file: string): Promise<Buffer | undefined> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    // What stood there may have been put in its place since it was looked at.
    if (!(await handle.stat()).isFile()) return undefined;
    return await fill(handle, Buffer.alloc(mostBytes + 1));
  } finally {
    await handle.close();
  }
}

async function fill(handle: FileHandle, bytes: Buffer): Promise<Buffer> {
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

function toText(bytes: Buffer | undefined): Attachment {
  if (bytes === undefined) return refused("不是普通文件", "is no regular file");
  if (bytes.length > mostBytes) {
    return refused(`太大（最多 ${mostBytes} 字节）`, `is too large (at most ${mostBytes} bytes)`);
  }
  const text = decode(bytes);
  if (text === undefined) return refused("不是 UTF-8 文本", "is no UTF-8 text");
  return { is: "text", text, bytes: bytes.length };
}

function decode(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function refused(zh: string, en: string): Attachment {
  return { is: "refused", reason: { zh, en } };
}
