import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { findAllowed, isAllowed, isSecretFile, resolveRoots } from "./allowed-path.ts";
import type { FileAccess } from "./file-guard.ts";
import { openAllowed } from "./walk-files.ts";

/** Limits a file that is read or written for another agent, in bytes. */
const largestFile = 5_000_000;

/** Matches hidden folders of programs that keep keys or run what they find there. Other hidden files are a part of many projects. */
const closedFolders =
  /^\.(git|ssh|gnupg|aws|azure|kube|docker|config|local|cache|password-store|mozilla|claude|codex|gemini|qwen|duet)$/i;

function isRefused(name: string): boolean {
  return closedFolders.test(name) || isSecretFile(name.replace(/^\./, "")) || isSecretFile(name);
}

/**
 * Reads and writes text files for another agent: under the roots, with links resolved, and none that holds secrets, is Duet's own, or
 * lies in a hidden folder of a program. Paths are absolute, as the protocol has them. All that is not allowed gets the same answer.
 */
export function createAgentFileAccess({ roots, guard }: FileAccess) {
  async function readWhole(handle: FileHandle, path: string): Promise<string> {
    const { size } = await handle.stat();
    if (size > largestFile) throw new Error(`${path} has ${size} bytes (allowed: at most ${largestFile})`);
    return handle.readFile("utf8");
  }

  async function read(path: string, { line, limit }: { line?: number | undefined; limit?: number | undefined }) {
    const target = await findTarget(path);
    const handle = await openAllowed(target, await resolveRoots(roots), guard, isRefused);
    if (handle === undefined) throw notFoundError(path);
    try {
      const text = await readWhole(handle, path);
      if (line === undefined && limit === undefined) return text;
      const from = Math.max(0, (line ?? 1) - 1);
      return text
        .split("\n")
        .slice(from, limit === undefined ? undefined : from + limit)
        .join("\n");
    } finally {
      await handle.close();
    }
  }

  /** Finds where a write would go. A file that does not exist yet is allowed where its folder exists and is allowed. */
  async function findTarget(path: string): Promise<string> {
    if (!isAbsolute(path) || path.includes("\0")) throw notFoundError(path);
    const real = await resolveRoots(roots);
    const isProtected = await guard?.findProtected();
    const there = await ignoreRejection(realpath(path), "a file that does not exist yet has no real path");
    const folder = await ignoreRejection(realpath(dirname(path)), "a folder that does not exist is in no root");
    const target = there ?? (folder && join(folder, basename(path)));
    if (target === undefined || !isAllowed(target, real, isRefused) || isProtected?.(target)) throw notFoundError(path);
    return target;
  }

  async function write(path: string, target: string, content: string): Promise<void> {
    const size = Buffer.byteLength(content);
    if (size > largestFile) throw new Error(`${path} would have ${size} bytes (allowed: at most ${largestFile})`);
    // The path may have got another meaning while a person was asked.
    if ((await findTarget(path)) !== target) throw notFoundError(path);
    const flags = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const handle = await open(target, flags, 0o666);
    try {
      const opened = await handle.stat();
      const where = await ignoreRejection(realpath(target), "what is gone meanwhile is no file");
      if (!opened.isFile() || where !== target || (await guard?.isLinked(opened))) throw notFoundError(path);
      await handle.truncate(0);
      await handle.writeFile(content, "utf8");
    } finally {
      await handle.close();
    }
  }

  return {
    read,
    findFolder: async (path: string) => findAllowed(path, await resolveRoots(roots), guard),
    async open(path: string) {
      const target = await findTarget(path);
      const handle = await openAllowed(target, await resolveRoots(roots), guard, isRefused);
      const before = handle && (await readWhole(handle, path).finally(() => handle.close()));
      return { path: target, before, write: (content: string) => write(path, target, content) };
    },
  };
}

function notFoundError(path: string): Error {
  const shown = JSON.stringify(path.slice(0, 300));
  return new Error(
    `${shown} was not found: a path must be absolute, lie within the allowed folders, and hold no secrets`,
  );
}
