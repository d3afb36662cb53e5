import { isAbsolute, relative, sep } from "node:path";

/** Compares whole path segments: `/srv/data-secret` is not inside `/srv/data`. A folder is inside itself. Both must be real paths. */
export function isInside(path: string, folder: string): boolean {
  const rest = relative(folder, path);
  return rest === "" || !(rest === ".." || rest.startsWith(`..${sep}`) || isAbsolute(rest));
}
