// Puts what almost every run loads into a few files. esbuild makes one file for each set of modules that the same `import()`s need;
// with a hundred `import()`s, `duet serve` opened 82 files before its first answer.
import { glob, readFile } from "node:fs/promises";
import { resolve } from "node:path";

/** Almost every run needs these modules and whatever they import. */
const startModules = [
  "src/config/load-config.ts",
  "src/config/sources/choose-files.ts",
  "src/config/sources/state-folder.ts",
  "src/app/open-duet.ts",
].map((file) => resolve(file));

/** These are loaded before the start modules, with their static imports: by the command line, for `--version`, and by the library. */
const entries = ["bin/main.ts", "bin/command-line.ts", "src/index.ts"].map((file) => resolve(file));

/** The workers, with whatever they import, never need the start modules. */
const workerEntries = ["src/tools/workers/heavy-worker.ts", "src/tools/modules/module-worker.ts"].map((file) =>
  resolve(file),
);

/** Matches a static import of a module. */
const staticImport = /^(?:import|export) (?:[^;]*? from )?"(\.[^"]+\.ts)";$/gm;
/** Matches an `import()`. */
const dynamicImport = /\bimport\("(\.[^"]+)"\)/g;

/**
 * Makes each module of `src` that is imported by `import()` import the start modules first. Start modules import one another this
 * way: none of them may use another's constant while it loads.
 */
export const shareStart = {
  name: "share-start",
  async setup({ onResolve, onLoad }) {
    const dynamicModules = await findDynamicImports();
    for (const file of await findImports(entries, [staticImport])) dynamicModules.delete(file);
    for (const file of await findImports(workerEntries, [staticImport, dynamicImport])) dynamicModules.delete(file);
    onResolve({ filter: /^duet:start$/ }, () => ({ path: "start", namespace: "share-start" }));
    onLoad({ filter: /.*/, namespace: "share-start" }, () => ({
      contents: startModules.map((file) => `import ${JSON.stringify(file)};`).join("\n"),
      resolveDir: process.cwd(),
    }));
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      if (!dynamicModules.has(path)) return undefined;
      return { contents: `import "duet:start"; ${await readFile(path, "utf8")}`, loader: "ts" };
    });
  },
};

/** Returns the files that are imported by `import()` anywhere. */
async function findDynamicImports() {
  const found = new Set();
  for await (const name of glob("{bin,src}/**/*.ts"))
    for (const imported of await findImportsOf(resolve(name), [dynamicImport])) found.add(imported);
  return found;
}

/** Returns the files and all that they import, also by way of others. */
async function findImports(files, patterns) {
  const found = new Set(files);
  for (const file of found) for (const imported of await findImportsOf(file, patterns)) found.add(imported);
  return found;
}

async function findImportsOf(file, patterns) {
  const text = (await readFile(file, "utf8")).replaceAll(/^(?:import|export) type [^;]*;$/gm, "");
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, path]) => resolve(file, "..", path)));
}
