import { realpath } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { createSemaphore } from "../../kit/async/semaphore.ts";
import type { Text } from "../../kit/locale.ts";
import type { ModuleLimits } from "../modules/module-host.ts";
import { fileRefusedError, type LoadedTools, toDroppedTool } from "./broken-tools.ts";
import { type Loading, openModule } from "./load-module.ts";

/** The modules of a directory. */
export interface OpenedModules {
  /** Their tools, in the order of the files. What cannot be used is left out and named, one whose name is taken too. Never rejects. */
  loaded: Promise<LoadedTools>;
  /** Ends their threads, also of those that still load. */
  close(): Promise<void>;
}

export interface ModulesOptions {
  limits?: ModuleLimits | undefined;
  /** Is told of a module that ends while nobody waits for it, and of output that is left out. */
  warn: (line: Text) => void;
}

/** Ten seconds to load, a minute to answer. */
const usualLimits: ModuleLimits = { loadMs: 10_000, callMs: 60_000 };

/** Starts a thread for each of them, side by side. */
export async function openModules(
  directory: string,
  files: readonly string[],
  { limits = usualLimits, warn }: ModulesOptions,
): Promise<OpenedModules> {
  const paths = await Promise.all(files.map((file) => realpath(join(directory, file)).catch(() => directory)));
  const lendTo = [...new Set(paths.map((path) => pathToFileURL(`${dirname(path)}/`).href))];
  const starts = createSemaphore(availableParallelism());
  const modules = files.map((file) => openModule(directory, file, { limits, lendTo, warn, starts }));
  return {
    loaded: Promise.all(modules.map(({ loadings }) => loadings)).then((loadings) => firstOfEach(loadings.flat())),
    async close() {
      await Promise.all(modules.map((module) => module.close()));
    },
  };
}

function firstOfEach(loadings: readonly Loading[]): LoadedTools {
  const places = new Map<string, string>();
  const loaded: LoadedTools = { tools: [], dropped: [] };
  for (const loading of loadings) {
    const { where } = loading;
    if ("error" in loading) {
      loaded.dropped.push(toDroppedTool(where, "user", loading.error));
      continue;
    }
    const { name } = loading.tool;
    const first = places.get(name);
    if (first === undefined) loaded.tools.push(loading.tool);
    else loaded.dropped.push(toDroppedTool(where, "user", fileRefusedError(where, taken(name, first))));
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
