import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

/** The configured roots as they are on disk now: links resolved, missing ones and those inside another left out. */
export async function resolveRoots(roots: readonly string[]): Promise<string[]> {
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

/** Whether a real path lies under a root (a real path too), and no part of it is private. */
export function isAllowed(real: string, roots: readonly string[]): boolean {
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
