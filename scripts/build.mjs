// Bundles the program into dist/: one entry, code split so that heavy parts load when first needed.
import { rm } from "node:fs/promises";
import { build } from "esbuild";

await rm("dist", { recursive: true, force: true });
await build({
  entryPoints: { duet: "bin/duet.ts" },
  outdir: "dist",
  bundle: true,
  splitting: true,
  minify: true,
  platform: "node",
  format: "esm",
  target: "node22.19",
  chunkNames: "chunks/[name]-[hash]",
  alias: { "@modelcontextprotocol/server/_shims": "./scripts/sdk-shims.mjs" },
  // The ES module builds, where a package has both: their imports can be followed and cut.
  mainFields: ["module", "main"],
  legalComments: "none",
  logLevel: "warning",
  // CommonJS packages inside an ES module bundle still ask for `require`.
  banner: {
    js: 'import{createRequire as __duetRequire}from"node:module";const require=__duetRequire(import.meta.url);',
  },
});
