import { registerHooks } from "node:module";

/** Is the URL of the library's entry point: beside the bundle's other files, or in the sources. */
const library = new URL(import.meta.url.endsWith(".ts") ? "../../index.ts" : "./index.js", import.meta.url).href;

/** Points to a single-file build of Zod, which takes less memory than the package. The sources have none. */
const zod = import.meta.url.endsWith(".ts") ? undefined : new URL("./zod.js", import.meta.url).href;

/**
 * Lets modules in these folders (real paths, as URLs that end in `/`) import `duet-mcp`, wherever they lie: it is always
 * the Duet that runs them. `zod` is lent where their own place has none. Ends when the function that it gives is called.
 */
export function sharePackages(folders: readonly string[]): () => void {
  const borrows = (parent: string | undefined): boolean =>
    parent !== undefined && folders.some((folder) => parent.startsWith(folder));
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === "duet-mcp" && borrows(context.parentURL)) return { url: library, shortCircuit: true };
      if (!/^zod(\/|$)/.test(specifier) || !borrows(context.parentURL)) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        if (zod !== undefined && /^zod(\/v4)?$/.test(specifier)) return { url: zod, shortCircuit: true };
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
  return () => hooks.deregister();
}
