import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { basename } from "node:path";
import { acceptedImages, prepareImage } from "../../core/files/prepare-image.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, timeoutError, waitAbortable } from "../../kit/async/timeout.ts";
import { detectMediaType, isImageType } from "../../kit/images/image-type.ts";
import type { Text } from "../../kit/locale.ts";
import { findDocumentKind, isDocumentKind, longestDocument } from "../../tools/documents/document.ts";
import { describeDocumentProblem } from "../../tools/documents/read-document.ts";
import { isSecretFile } from "../../tools/files/allowed-path.ts";
import type { FileGuard } from "../../tools/files/file-guard.ts";
import { isBinary } from "../../tools/page/decode-page.ts";

export interface ReadFileOptions {
  /** Finds the files of our configuration and state, which are not attached. */
  guard: FileGuard;
  signal: AbortSignal;
}

/**
 * Holds what a file says in UTF-8, or its bytes where it is an image or a document, or why it cannot be attached; `missing` means
 * that there is no such file.
 */
export type FileReading =
  | { is: "text"; text: string; bytes: number }
  | { is: "bytes"; bytes: Uint8Array }
  | { is: "folder" }
  | { is: "missing" }
  | { is: "refused"; reason: Text };

const limitMs = 2_000;

/** Limits the size of one text, in bytes. */
const mostBytes = 200_000;

/** Reads a file of at most 200 kB of text, or 20 MB of an image or a document. Rejects only when the signal aborts. */
export async function readFileToAttach(file: string, { guard, signal }: ReadFileOptions): Promise<FileReading> {
  const limit = createTimeLimit(
    limitMs,
    () => timeoutError({ zh: "读取文件", en: "Reading the file" }, limitMs),
    signal,
  );
  try {
    return await waitAbortable(readFile(file, guard), limit.signal);
  } catch (thrown) {
    if (!limit.expired) throw thrown;
    return { is: "refused", reason: slow };
  } finally {
    limit.clear();
  }
}

/** Opens nothing but regular files, and reads none that is protected. Never rejects. */
async function readFile(file: string, guard: FileGuard): Promise<FileReading> {
  try {
    const state = await ignoreRejection(stat(file), "a path that cannot be read is no file to attach");
    if (state === undefined) return { is: "missing" };
    if (state.isDirectory()) return await readFolder(file, guard);
    if (!state.isFile()) return createRefusal("不是普通文件", "is not a regular file");
    return await readOpened(file, guard);
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
    return createRefusal(`无法读取（${code || "错误"}）`, `cannot be read (${code || "error"})`);
  }
}

async function readFolder(folder: string, guard: FileGuard): Promise<FileReading> {
  const isOurs = await guard.findProtected();
  return isOurs(await realpath(folder)) ? { is: "refused", reason: protectedFile } : { is: "folder" };
}

async function readOpened(file: string, guard: FileGuard): Promise<FileReading> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    // What stood there may have been put in its place since it was looked at.
    if (!(await handle.stat()).isFile()) return createRefusal("不是普通文件", "is not a regular file");
    if (await isProtected(handle, file, guard)) return { is: "refused", reason: protectedFile };
    // One byte more than may be attached, because a file's reported size may be wrong.
    const start = await fill(handle, Buffer.alloc(mostBytes + 1));
    if (start.length === 0) return createRefusal("是空的", "is empty");
    // A PDF may consist of characters alone, and still is none that anybody reads.
    const text = detectMediaType(start) === undefined ? decode(start) : undefined;
    if (text === undefined) return readBytes(await readRest(handle, start));
    if (start.length > mostBytes)
      return createRefusal(`太大（最多 ${mostBytes} 字节）`, `is too large (at most ${mostBytes} bytes)`);
    return { is: "text", text, bytes: start.length };
  } finally {
    await handle.close();
  }
}

/** Returns true for what file tools do not read either: our configuration and state, and files of keys, by whatever name. */
async function isProtected(handle: FileHandle, file: string, guard: FileGuard): Promise<boolean> {
  const own = await ignoreRejection(readlink(`/proc/self/fd/${handle.fd}`), "without /proc the path itself is checked");
  const real = own ?? (await realpath(file));
  const isOurs = await guard.findProtected();
  // What the kernel shows of a program holds its environment.
  if (/^\/proc\//.test(real) || isSecretFile(basename(real)) || isSecretFile(basename(file))) return true;
  return isOurs(real) || (await guard.isLinked(await handle.stat()));
}

async function readRest(handle: FileHandle, start: Buffer): Promise<Buffer> {
  if (start.length <= mostBytes) return start;
  const { size } = await handle.stat();
  return fill(handle, Buffer.alloc(Math.min(Math.max(size, start.length), longestDocument) + 1));
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

/** Reads the bytes of a file that is no text in UTF-8. */
export function readBytes(bytes: Uint8Array): FileReading {
  if (bytes.length > longestDocument) return refuseProblem("too-large");
  const type = detectMediaType(bytes);
  if (type !== undefined && isImageType(type)) return readImage(bytes);
  if (type?.startsWith("image/")) return { is: "refused", reason: describeImageType(type) };
  const kind = findDocumentKind(bytes);
  return isDocumentKind(kind) ? { is: "bytes", bytes } : refuseProblem(kind);
}

/** An image that the run could not use is refused here, before anything is asked. */
function readImage(bytes: Uint8Array): FileReading {
  const image = prepareImage(bytes);
  if (!("refusal" in image)) return { is: "bytes", bytes };
  const { zh, en } = image.refusal;
  return { is: "refused", reason: { zh: `无法使用：${zh}`, en: `cannot be used: ${en}` } };
}

function describeImageType(type: string): Text {
  return {
    zh: `是 ${type}（允许：${acceptedImages}）`,
    en: `is ${type} (allowed: ${acceptedImages})`,
  };
}

function refuseProblem(problem: Parameters<typeof describeDocumentProblem>[0]): FileReading {
  return { is: "refused", reason: describeDocumentProblem(problem) };
}

/** Returns the beginning of a text in UTF-8, of which the last character may be cut. */
function decode(bytes: Buffer): string | undefined {
  if (bytes.includes(0) || isBinary(bytes)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: bytes.length > mostBytes });
  } catch {
    return undefined;
  }
}

function createRefusal(zh: string, en: string): FileReading {
  return { is: "refused", reason: { zh, en } };
}

const protectedFile: Text = {
  zh: "受保护的文件（Duet 的配置、数据或密钥）",
  en: "is protected (Duet's configuration or data, or a file of keys)",
};
const slow: Text = { zh: "2 秒内没有读完", en: "could not be read within 2 s" };
