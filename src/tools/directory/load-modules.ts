import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { broken, type Loaded, refuse } from "./broken.ts";
import { lendPackages } from "./lend-packages.ts";
import { type Loading, loadModule, type ModuleLimits } from "./load-module.ts";

/** The tools of the modules of a directory, in the order of the files. Close it when none is needed any more. */
export interface LoadedModules extends Loaded {
  close(): void;
}

/** Ten seconds to load, a minute to answer. */
const usualLimits: ModuleLimits = { loadMs: 10_000, callMs: 60_000 };

/** Loads all side by side. What cannot be used is left out and named, one whose name is taken too. Never rejects. */
export async function loadModules(
  directory: string,
  files: readonly string[],
  limits: ModuleLimits = usualLimits,
): Promise<LoadedModules> {
  const paths = await Promise.all(files.map((file) => realpath(join(directory, file)).catch(() => directory)));
  const folders = new Set(paths.map((path) => pathToFileURL(`${dirname(path)}/`).href));
  const close = lendPackages([...folders]);
  const loadings = await Promise.all(files.map((file) => loadModule(directory, file, limits)));
  return { ...firstOfEach(loadings.flat()), close };
}

function firstOfEach(loadings: readonly Loading[]): Loaded {
  const places = new Map<string, string>();
  const loaded: Loaded = { tools: [], dropped: [] };
  for (const loading of loadings) {
    const { where } = loading;
    if ("error" in loading) {
      loaded.dropped.push(broken(where, "user", loading.error));
      continue;
    }
    const { name } = loading.tool;
    const first = places.get(name);
    if (first === undefined) loaded.tools.push(loading.tool);
    else loaded.dropped.push(broken(where, "user", refuse(where, taken(name, first))));
    places.set(name, first ?? where);
  }
  return loaded;
}

function taken(name: string, first: string) {
  return {
    zh: `名称 ${name} 已被 ${first} 使用`,
    en: `the name ${name} is taken by ${first}`,
  };
}
