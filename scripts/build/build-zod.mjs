// Makes what `zod` is to the user's modules that have none of their own: the package is not installed with Duet.
import { readFile } from "node:fs/promises";
import { build } from "esbuild";

/** The files of `dist`, by what they contain. `src/tools/modules/lent-packages.ts` says which import gets which. */
const entryPoints = { zod: "zod", "zod-mini": "zod/mini", "zod-core": "zod/v4/core", "zod-compile": "zod/compile" };

const options = {
  outdir: "dist",
  bundle: true,
  splitting: true,
  minify: true,
  platform: "node",
  format: "esm",
  target: "node22.19",
  chunkNames: "[name]-[hash]",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
};

/**
 * Each module runs in a thread of its own, and half of the package are languages: they are a file of their own, which is read when
 * one of them is asked for.
 */
const lazyLocales = {
  name: "lazy-locales",
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, async ({ path }) => {
      const exported = (await readFile(path, "utf8")).matchAll(/default as (\w+) } from/g);
      const lines = [...exported].map(
        ([, name]) => `export const ${name} = () => require("./zod-locales.js").${name}();`,
      );
      const head = 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);';
      return { contents: [head, ...lines].join("\n") };
    });
  },
};

/** Returns what esbuild says of the files that it has written. */
export async function buildZod() {
  const built = await Promise.all([
    build({ ...options, entryPoints, plugins: [lazyLocales] }),
    build({ ...options, entryPoints: { "zod-locales": "zod/v4/locales" } }),
  ]);
  return built.map(({ metafile }) => metafile);
}
