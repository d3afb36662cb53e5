// What almost every run of the program loads is put into a few files: esbuild makes one of all modules that the same `import()`s
// need, and with a hundred of those a start opened eighty files, which took a tenth of its time.
import { glob, readFile } from "node:fs/promises";
import { resolve } from "node:path";

/** What every run needs, and with these whatever they import. */
const start = [
  "src/config/load-config.ts",
  "src/config/sources/choose-files.ts",
  "src/config/sources/state-folder.ts",
  "src/app/open-duet.ts",
].map((file) => resolve(file));

/** What is loaded before these (the command line, for `--version`, and the library), with what it imports at once. */
const before = ["bin/main.ts", "bin/command-line.ts", "src/index.ts"].map((file) => resolve(file));

/** What never needs them, with whatever it imports. */
const workers = ["src/tools/workers/heavy-worker.ts", "src/tools/modules/module-worker.ts"].map((file) =>
  resolve(file),
);

/** Matches what a module imports at once, and what it imports by `import()`. */
const atOnce = /^(?:import|export|\}) ?(?:[^;]*? from )?"(\.[^"]+\.ts)";$/gm;
const later = /\bimport\("(\.[^"]+)"\)/g;

/** A plugin of esbuild: each module of `src` that is imported by `import()` imports the modules of `start` first. */
export const shareStart = {
  name: "share-start",
  async setup({ onResolve, onLoad }) {
    const dynamic = await findDynamicImports();
    for (const file of await findImports(before, [atOnce])) dynamic.delete(file);
    for (const file of await findImports(workers, [atOnce, later])) dynamic.delete(file);
    onResolve({ filter: /^duet:start$/ }, () => ({ path: "start", namespace: "share-start" }));
    onLoad({ filter: /.*/, namespace: "share-start" }, () => ({
      contents: start.map((file) => `import ${JSON.stringify(file)};`).join("\n"),
      resolveDir: process.cwd(),
    }));
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      if (!dynamic.has(path)) return undefined;
      return { contents: `import "duet:start";\n${await readFile(path, "utf8")}`, loader: "ts" };
    });
  },
};

async function findDynamicImports() {
  const found = new Set();
  for await (const name of glob("{bin,src}/**/*.ts"))
    for (const imported of await readImports(resolve(name), [later])) found.add(imported);
  return found;
}

/** Returns the files and all that they import, also by way of others. */
async function findImports(files, patterns) {
  const found = new Set(files);
  for (const file of found) for (const imported of await readImports(file, patterns)) found.add(imported);
  return found;
}

async function readImports(file, patterns) {
  const text = (await readFile(file, "utf8")).replaceAll(/^(?:import|export) type [^;]*;$/gm, "");
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, path]) => resolve(file, "..", path)));
}
