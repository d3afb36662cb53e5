// Bundles the program into dist/: one entry, code split so that heavy parts load when first needed.
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { buildChatPage, buildRunPage } from "./build-page.mjs";
import { shareStart } from "./share-start.mjs";

// An `import` of a module of Node's own reads each of its exports at once, lazy ones too (whole streams, sockets);
// taken this way they stay lazy, which start-up feels. Each refers to the list of all, so that all are in one file: what several
// parts of the program need would be a file of its own otherwise, and a start would open a dozen more of them.
const lazyBuiltins = {
  name: "lazy-builtins",
  setup({ onResolve, onLoad }) {
    const names = new Set(builtinModules.filter((name) => /^[a-z0-9]/.test(name) && !name.startsWith("node:")));
    const list = "all";
    onResolve({ filter: /^(node:)?[a-z0-9_/]+$/ }, ({ path, kind }) => {
      const name = path.replace(/^node:/, "");
      if ((name !== list && !names.has(name)) || kind === "entry-point") return undefined;
      return { path: name, namespace: "builtin", sideEffects: false };
    });
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => {
      const load = (name) => `require(${JSON.stringify(name)})`;
      if (path === list) return { contents: `module.exports = () => [${[...names].map(load)}];` };
      return {
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)}); module.list = () => ${load(list)};`,
      };
    });
  },
};

// The types stay: npm writes them with `prepack` before it runs `prepare`, and with that this.
for (const name of await readdir("dist").catch(() => []))
  if (name !== "types") await rm(join("dist", name), { recursive: true, force: true });
await build({
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
    "@modelcontextprotocol/server/_shims": "./scripts/sdk-shims.mjs",
    "prom-client": "./scripts/prom-client.mjs",
  },
  plugins: [lazyBuiltins, shareStart],
  // The user installs those that send spans; all share one copy of the API.
  external: ["@opentelemetry/*"],
  legalComments: "none",
  logLevel: "warning",
});
// What `zod` is to the user's modules that have none of their own: one file, for each of them runs in a thread of its own and
// would hold the package's hundred files, half of which are languages. A language is read from the package when it is asked for.
const lazyLocales = {
  name: "lazy-locales",
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, async ({ path }) => {
      const exported = (await readFile(path, "utf8")).matchAll(/default as (\w+) } from "\.\/([\w-]+)\.js"/g);
      const lines = [...exported].map(
        ([, name, file]) => `export const ${name} = () => require("zod/v4/locales/${file}.js").default();`,
      );
      const head = 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);';
      return { contents: [head, ...lines].join("\n") };
    });
  },
};
await build({
  entryPoints: { zod: "zod" },
  outdir: "dist",
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  target: "node22.19",
  plugins: [lazyLocales],
  legalComments: "none",
  logLevel: "warning",
});
await writeFile("dist/run-page.html", await buildRunPage());
const chatPage = await buildChatPage();
await writeFile("dist/chat-page.html", chatPage);
await writeFile("dist/chat-page.html.gz", gzipSync(chatPage, { level: 9, memLevel: 6 }));
await cp("src/agent/prompts", "dist/prompts", { recursive: true, filter: (path) => !path.endsWith(".ts") });
