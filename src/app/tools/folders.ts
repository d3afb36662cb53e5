import type { Folders } from "../../agent/run.ts";
import type { Config } from "../../config/config.ts";

/** Is how long what was found on disk is believed, in milliseconds. */
const freshMs = 1000;

/** Returns the folders that a prompt names, as they are on disk now. Under load that is looked up once a second. */
export type FindFolders = (config: Pick<Config, "tools" | "directory">) => Promise<Folders>;

export function createFolders(): FindFolders {
  const found = new WeakMap<readonly string[], { at: number; readable: Promise<string[]> }>();
  return async ({ tools: { roots }, directory }) => {
    const now = performance.now();
    const known = found.get(roots);
    const isFresh = known !== undefined && now - known.at < freshMs;
    const { readable } = isFresh ? known : { readable: resolve(roots) };
    if (!isFresh) found.set(roots, { at: now, readable });
    return { working: directory, readable: await readable };
  };
}

async function resolve(roots: readonly string[]): Promise<string[]> {
  const { resolveRoots } = await import("../../tools/files/allowed-path.ts");
  return resolveRoots(roots);
}
