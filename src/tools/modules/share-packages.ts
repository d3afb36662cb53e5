import { registerHooks } from "node:module";

const isBundled = !import.meta.url.endsWith(".ts");

/** Is the URL of the library's entry point: beside the bundle's other files, or in the sources. */
const library = new URL(isBundled ? "./index.js" : "../../index.ts", import.meta.url).href;

/** Names the files of the bundle that contain Zod (`scripts/build/build-zod.mjs`). They take less memory than the package. */
const zodFiles: Readonly<Record<string, string>> = {
  zod: "zod.js",
  "zod/v4": "zod.js",
  "zod/mini": "zod-mini.js",
  "zod/v4-mini": "zod-mini.js",
  "zod/v4/mini": "zod-mini.js",
  "zod/v4/core": "zod-core.js",
  "zod/compile": "zod-compile.js",
  "zod/locales": "zod-locales.js",
  "zod/v4/locales": "zod-locales.js",
};

/**
 * Lets modules in these folders (real paths, as URLs that end in `/`) import `duet-mcp`, wherever they lie: it is always
 * the Duet that runs them. They get `zod` where their own place has none. The function that it returns ends that.
 */
export function sharePackages(folders: readonly string[]): () => void {
  const canBorrow = (parent: string | undefined): boolean =>
    parent !== undefined && folders.some((folder) => parent.startsWith(folder));
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === "duet-mcp" && canBorrow(context.parentURL)) return { url: library, shortCircuit: true };
      if (!/^zod(\/|$)/.test(specifier) || !canBorrow(context.parentURL)) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch (thrown) {
        // The sources run in a clone, which has the package.
        if (!isBundled) return next(specifier, { ...context, parentURL: import.meta.url });
        const file = zodFiles[specifier];
        if (file === undefined) throw thrown;
        return { url: new URL(file, import.meta.url).href, shortCircuit: true };
      }
    },
  });
  return () => hooks.deregister();
}
