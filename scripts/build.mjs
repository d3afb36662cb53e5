// Bundles the program into dist/: one entry, code split so that heavy parts load when first needed.
import { execFile } from "node:child_process";
import { cp, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { knownAbsentGroups } from "./build/absent-groups.mjs";
import { buildChatPage, buildPageParts, buildRunPage } from "./build/build-page.mjs";
import { buildZod } from "./build/build-zod.mjs";
import { collectNotices } from "./build/collect-notices.mjs";
import { escapeFiles } from "./build/escape-non-ascii.ts";
import { latePackages } from "./build/late-packages.mjs";
import { lazyBuiltins } from "./build/lazy-builtins.mjs";
import { lazySchemas } from "./build/lazy-schemas.mjs";
import { neverCalled } from "./build/never-called.mjs";
import { ownTelemetryApi } from "./build/own-telemetry-api.mjs";
import { shareStart } from "./build/share-start.mjs";
import { smallUndici } from "./build/small-undici.mjs";

await rm("dist", { recursive: true, force: true });
const program = await build({
  // The workers are found beside the file that starts them, under their own names.
  entryPoints: {
    duet: "bin/duet.ts",
    index: "src/index.ts",
    "heavy-worker": "src/tools/workers/heavy-worker.ts",
    "module-worker": "src/tools/modules/module-worker.ts",
  },
  outdir: "dist",
  bundle: true,
  splitting: true,
  minify: true,
  platform: "node",
  format: "esm",
  target: "node22.19",
  // Beside the entries, so that `./prompts/` is the same folder seen from any of them.
  chunkNames: "[name]-[hash]",
  // The ES module builds, where a package has both: their imports can be followed and cut.
  mainFields: ["module", "main"],
  alias: {
    "@modelcontextprotocol/server/_shims": "./scripts/build/sdk-shims.mjs",
    "@modelcontextprotocol/client/_shims": "./scripts/build/sdk-client-shims.mjs",
  },
  plugins: [
    lazyBuiltins,
    latePackages,
    lazySchemas,
    neverCalled,
    knownAbsentGroups,
    shareStart,
    ownTelemetryApi,
    smallUndici,
  ],
  // It is installed with Duet, so that a program which embeds it shares one copy.
  external: ["@opentelemetry/api"],
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
});
const zod = await buildZod();
const built = [program.metafile, ...zod].flatMap(({ outputs }) => Object.keys(outputs));
await escapeFiles(built.filter((file) => file.endsWith(".js")));
const [runPage, chatPage, pageParts] = await Promise.all([buildRunPage(), buildChatPage(), buildPageParts()]);
await writeFile("dist/run-page.html", runPage.text);
const served = { "chat-page.html": chatPage.text };
for (const { name, text } of pageParts) served[`page-${name}.js`] = text;
for (const [name, text] of Object.entries(served)) {
  await writeFile(`dist/${name}`, text);
  await writeFile(`dist/${name}.gz`, gzipSync(text, { level: 9, memLevel: 6 }));
  await writeFile(`dist/${name}.br`, brotliCompressSync(text));
}
await cp("src/agent/prompts", "dist/prompts", { recursive: true, filter: (path) => !path.endsWith(".ts") });
await cp("src/eval/starter", "dist/starter", { recursive: true });
const metafiles = [
  program.metafile,
  ...zod,
  ...runPage.metafiles,
  ...chatPage.metafiles,
  ...pageParts.map(({ metafile }) => metafile),
];
await writeFile("dist/THIRD-PARTY-NOTICES.txt", await collectNotices(metafiles));
// Editors read it at the address that a new configuration names.
const { stdout: schema } = await promisify(execFile)(process.execPath, ["dist/duet.js", "config", "schema"]);
await writeFile("dist/config.schema.json", schema);
const cases = await promisify(execFile)(process.execPath, ["dist/duet.js", "eval", "--schema"]);
await writeFile("dist/cases.schema.json", cases.stdout);
