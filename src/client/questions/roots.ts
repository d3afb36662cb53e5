import { basename } from "node:path";
import { pathToFileURL } from "node:url";

/** Directories as MCP's `roots/list` gives them; the paths are absolute. */
export function listRoots(directories: readonly string[]): { roots: { uri: string; name: string }[] } {
  const roots = directories.map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) || path }));
  return { roots };
}
