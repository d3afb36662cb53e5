import { realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { createFailure, type Source, type ToolResult } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import type { FileGuard } from "./file-guard.ts";
import { isInside } from "./is-inside.ts";

/**
 * Returns the configured roots as they are on disk now, with links resolved. Missing roots and those inside another are left
 * out.
 */
export async function resolveRoots(roots: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    roots.map((root) => ignoreRejection(realpath(root), "a root that does not exist allows nothing")),
  );
  const real = [...new Set(found.filter((root) => root !== undefined))];
  return real.filter((root) => !real.some((other) => other !== root && isInside(root, other)));
}

/**
 * Returns the real path of a requested path (relative to a root, or absolute) if it exists under a root and no part of it is
 * private. Returns undefined for everything else, so that the answer reveals nothing about what lies outside.
 */
export async function findAllowed(
  path: string,
  roots: readonly string[],
  guard?: FileGuard,
): Promise<string | undefined> {
  if (path.includes("\0")) return undefined;
  const isProtected = await guard?.findProtected();
  // A root inside another one is not in the list, but paths of the folder where we run are still meant.
  for (const base of [...roots, process.cwd()]) {
    const real = await ignoreRejection(realpath(resolve(base, path)), "a path that does not exist is in no root");
    if (real !== undefined && isAllowed(real, roots) && !isProtected?.(real)) return real;
  }
  return undefined;
}

/**
 * Returns true when a real path lies under a root, which is also a real path, and no part of it is private: hidden or secret, unless
 * `isRefused` says which names are.
 */
export function isAllowed(real: string, roots: readonly string[], isRefused = isPrivate): boolean {
  // What the kernel shows of itself and of us is no file, whatever the roots.
  if (/^\/(proc|sys|dev)(\/|$)/.test(real)) return false;
  return roots.some((root) => isInside(real, root) && !relative(root, real).split(sep).some(isRefused));
}

const secrets =
  /^(\.env(\..*)?|\.(netrc|npmrc|pypirc|pgpass)|.*\.(env|pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)|id_(rsa|dsa|ecdsa|ed25519).*|(credentials?|secrets?)(\.(json|ya?ml|toml|ini|txt|csv|xml|conf|cfg))?|service[-_]account.*\.json|.*duet\.config\.json.*|mcp\.json|claude_desktop_config\.json)$/i;

/** Returns true for hidden files and those that usually hold keys or passwords, ignoring case. No tool reads them. */
export function isPrivate(name: string): boolean {
  return /^\../.test(name) || isSecretFile(name);
}

/** Returns true for a name of files that usually hold keys or passwords, ignoring case. */
export function isSecretFile(name: string): boolean {
  return secrets.test(name);
}

/** Returns the path of a file as the model sees it and can pass it back. It is relative when there is one root, else absolute. */
export function toDisplayedPath(file: string, roots: readonly string[]): string {
  const [only] = roots;
  return roots.length === 1 && only !== undefined ? relative(only, file) || "." : file;
}

/** Returns a file as a source that answers can cite. */
export function toFileSource(file: string, roots: readonly string[]): Source {
  return { title: sanitizeLine(toDisplayedPath(file, roots)), url: pathToFileURL(file).href, snippet: "" };
}

/** All paths that may not be read get this same answer, except missing files among those that may be. */
export function toPathRefusedResult(path: string, locale: Locale): ToolResult {
  const text = {
    zh: `找不到 ${showValue(path)}：路径必须存在于允许的目录之内，且不是隐藏文件或密钥文件。`,
    en: `${showValue(path)} was not found: a path must exist within the allowed directories, and not be hidden or hold secrets.`,
  };
  return createFailure("tool", say(locale, text));
}

/** Every binary file gets this same answer. `name` comes from `toDisplayedPath` or from the caller. */
export function toNotTextResult(name: string, locale: Locale): ToolResult {
  const shown = sanitizeLine(name);
  return createFailure("tool", say(locale, { zh: `${shown} 不是文本文件。`, en: `${shown} is not a text file.` }));
}
