import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { findAllowed, isAllowed, isSecretFile, resolveRoots } from "./allowed-path.ts";
import type { FileAccess } from "./file-guard.ts";
import { isStillAllowed, openAllowed } from "./walk-files.ts";

/** Limits a file that is read or written for another agent, in bytes. */
const largestFile = 5_000_000;

/** Matches hidden folders of programs that keep keys or run what they find there. Other hidden files are a part of many projects. */
const closedFolders =
  /^\.(git|ssh|gnupg|aws|azure|kube|docker|config|local|cache|password-store|mozilla|claude|codex|gemini|qwen|duet|cursor|vscode|idea|husky|terraform\.d)$/i;

/** Matches hidden files that hold secrets, or that shells and other programs run. */
const closedFiles =
  /^\.(.*(credentials?|token|passw|secret).*|.*history|envrc|my\.cnf|gitconfig|s3cfg|boto|dockercfg|htpasswd|terraformrc|(bash|zsh|ksh).*|z?profile|z?login|z?logout)$/i;

/** Matches files of data whose names say that they hold secrets. Programs about secrets are named so, too. */
const secretData =
  /(credentials?|(^|[-_.])(tokens?|passwords?))([-_.].*)?\.(json|ya?ml|toml|ini|txt|csv|xml|conf|cfg)$/i;

function isRefused(name: string): boolean {
  const isSecret = isSecretFile(name) || isSecretFile(name.replace(/^\./, "")) || secretData.test(name);
  return isSecret || closedFolders.test(name) || closedFiles.test(name);
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

  /** Writes a file that is still what it was when a person was asked: gone ahead of, a person's own change would be lost. */
  async function write(path: string, { target, before }: Target, content: string): Promise<void> {
    const bytes = Buffer.from(content);
    if (bytes.length > largestFile)
      throw new Error(`${path} would have ${bytes.length} bytes (allowed: at most ${largestFile})`);
    // The path may have got another meaning while a person was asked.
    if ((await findTarget(path)) !== target) throw notFoundError(path);
    const handle = await openForWriting(target, before === undefined);
    if (handle === undefined) throw changedError(path);
    try {
      const real = await resolveRoots(roots);
      if (!(await isStillAllowed(handle, target, { roots: real, guard, isRefused }))) throw notFoundError(path);
      if (before !== undefined && (await readWhole(handle, path)) !== before) throw changedError(path);
      await handle.truncate(0);
      // The handle has been read to its end: without positions, the text would begin there.
      for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at, bytes.length - at, at)).bytesWritten;
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
      if (handle === undefined && (await ignoreRejection(lstat(target), "a new file is not there yet")))
        throw notFoundError(path);
      const before = handle && (await readWhole(handle, path).finally(() => handle.close()));
      return { path: target, before, write: (content: string) => write(path, { target, before }, content) };
    },
  };
}

interface Target {
  target: string;
  before: string | undefined;
}

/** Opens a file that exists, or creates one; undefined where it is the other way round. */
async function openForWriting(target: string, isNew: boolean): Promise<FileHandle | undefined> {
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0, O_RDONLY } = constants;
  const flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | (isNew ? O_CREAT | O_EXCL : 0);
  // On Linux the file is opened in the folder that was opened, so that no link put in its place makes a file elsewhere.
  const folder = onLinux ? await ignoreRejection(open(dirname(target), O_RDONLY | O_DIRECTORY), missing) : undefined;
  try {
    const own = folder && `/proc/self/fd/${folder.fd}`;
    if (onLinux && (own === undefined || (await readlink(own)) !== dirname(target))) return undefined;
    return await ignoreRejection(open(own ? join(own, basename(target)) : target, flags, 0o666), missing);
  } finally {
    await folder?.close();
  }
}

const onLinux = process.platform === "linux";
const missing = "a file that is not what it was is not written";

function changedError(path: string): Error {
  return new Error(`${JSON.stringify(path.slice(0, 300))} cannot be written, or was changed meanwhile: read it again`);
}

function notFoundError(path: string): Error {
  const shown = JSON.stringify(path.slice(0, 300));
  return new Error(
    `${shown} was not found: a path must be absolute, lie within the allowed folders, and hold no secrets`,
  );
}
