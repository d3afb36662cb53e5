import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { showValue } from "../../core/feedback.ts";
import { type Locale, say } from "../../core/locale.ts";
import { failure, type ToolResult } from "../../core/tool.ts";

/** The configured roots as they are on disk now: links resolved, missing ones and those inside another left out. */
export async function realRoots(roots: readonly string[]): Promise<string[]> {
  const found = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  const real = [...new Set(found.filter((root) => root !== undefined))];
  return real.filter((root) => !real.some((other) => other !== root && isInside(root, other)));
}

/**
 * The real path behind what somebody asked for (relative to a root, or absolute), if it exists under a root and no part of it is
 * private. Undefined for everything else alike, so that the answer tells nothing about what lies outside.
 */
export async function findAllowed(path: string, roots: readonly string[]): Promise<string | undefined> {
  if (path.includes("\0")) return undefined;
  for (const root of roots) {
    const real = await realpath(resolve(root, path)).catch(() => undefined);
    if (real !== undefined && isAllowed(real, roots)) return real;
  }
  return undefined;
}

/**
 * Opens a regular file for reading; the caller closes it. Undefined when it is not one, or is not where `file` said: a link put in
 * its place while we look is not followed. Never waits for a pipe or a device.
 */
export async function openAllowed(file: string, roots: readonly string[]): Promise<FileHandle | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(file, flags).catch(() => undefined);
  if (handle === undefined) return undefined;
  if (await isStillAllowed(handle, file, roots)) return handle;
  await handle.close();
  return undefined;
}

/** Whether what was opened lies under a root. Its path may lead elsewhere from one moment to the next, so Linux is asked for the file's own. */
async function isStillAllowed(handle: FileHandle, file: string, roots: readonly string[]): Promise<boolean> {
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) return false;
    const own = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if (own !== undefined) return isAllowed(own, roots);
    const real = await realpath(file);
    const there = await stat(real);
    return isAllowed(real, roots) && there.dev === opened.dev && there.ino === opened.ino;
  } catch {
    return false;
  }
}

function isAllowed(real: string, roots: readonly string[]): boolean {
  // What the kernel shows of itself and of us is no file, whatever the roots.
  if (/^\/(proc|sys|dev)(\/|$)/.test(real)) return false;
  return roots.some((root) => isInside(real, root) && !relative(root, real).split(sep).some(isPrivate));
}

/** Compares whole path segments: `/srv/data-secret` is not inside `/srv/data`. Both must be real paths. */
function isInside(path: string, root: string): boolean {
  const rest = relative(root, path);
  return rest === "" || !(rest === ".." || rest.startsWith(`..${sep}`) || isAbsolute(rest));
}

const secrets =
  /^(\..+|.*\.(env|pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)|id_(rsa|dsa|ecdsa|ed25519).*|(credentials?|secrets?)(\.(json|ya?ml|toml|ini|txt|csv|xml|conf|cfg))?|service[-_]account.*\.json|duet\.config\.json)$/i;

/** Hidden files and those that usually hold keys or passwords; no tool reads them, whatever the case of their letters. */
export function isPrivate(name: string): boolean {
  return secrets.test(name);
}

/** How a file is called towards the model, which can hand it back: relative when there is one root, else absolute. */
export function shownPath(file: string, roots: readonly string[]): string {
  const [only] = roots;
  return roots.length === 1 && only !== undefined ? relative(only, file) || "." : join(file);
}

/** The one answer to every path that is not to be read. */
export function pathRefused(path: string, locale: Locale): ToolResult {
  const text = {
    zh: `找不到 ${showValue(path)}：路径必须存在于允许的目录之内，且不是隐藏文件或密钥文件。`,
    en: `${showValue(path)} was not found: a path must exist within the allowed directories, and not be hidden or hold secrets.`,
  };
  return failure("tool", say(locale, text));
}
