// Puts what is loaded together into few files. esbuild makes a file for each set of modules that the same `import()`s need; with two
// hundred `import()`s, a first question opened 190 of them, which took a fifth of its processor time.
import { glob, readFile } from "node:fs/promises";
import { resolve } from "node:path";

/**
 * A group is loaded as a whole when one of its modules is imported by `import()`. What two groups need, and whatever that imports,
 * belongs to the first, which is loaded before everything else; the last is also loaded before each module of no group, and `servers`
 * before those that share modules with it.
 */
const groups = {
  start: [
    "bin/main.ts",
    "src/config/load-config.ts",
    "src/config/unused.ts",
    "src/config/sources/choose-files.ts",
    "src/config/sources/state-folder.ts",
    "src/app/open-duet.ts",
    "src/app/conversations/store-settings.ts",
    "src/store/sqlite/store-version.ts",
    // Small ones that a server and a question share: each would be a file that a server opens before it answers `initialize`.
    "src/core/limits/call-window.ts",
    "src/core/run/run-inbox.ts",
    "src/core/attachment.ts",
    "src/core/store/conversations/conversation-json.ts",
    "src/app/conversations/last-choices.ts",
    "src/core/run/go-on.ts",
    "src/core/store/run-mailbox.ts",
  ],
  words: ["bin/command-line.ts"],
  servers: ["src/client/pool.ts", "src/client/prompts-resources/prompts-resources.ts"],
  ask: [
    "src/cli/ask.ts",
    "src/cli/terminal/text/hyperlink.ts",
    "src/app/questions/folder-consent.ts",
    "src/cli/instructions/folder-instructions.ts",
  ],
  serve: ["src/server/mcp/serve-stdio.ts"],
  wires: [
    "src/providers/wires/anthropic-messages/model.ts",
    "src/providers/wires/openai-chat/model.ts",
    "src/providers/wires/openai-responses/model.ts",
  ],
  question: [
    "src/agent/run-agent.ts",
    "src/agent/tools/catalog-weight.ts",
    "src/app/ask/ask-agent.ts",
    "src/app/conversations/open-store.ts",
    "src/providers/create-model.ts",
    "src/providers/known-models/known-models.ts",
    "src/providers/middleware/endpoints.ts",
    "src/store/sqlite/sqlite-store.ts",
    "src/tools/builtin/builtin-tools.ts",
    "src/tools/collect-tools.ts",
    "src/tools/data-flow-rules.ts",
    "src/tools/directory/find-tools.ts",
    "src/tools/files/allowed-path.ts",
    "src/tools/files/file-guard.ts",
    "src/tools/find/tool-index.ts",
    "src/tools/permission-rules.ts",
    "src/tools/schema/with-validation.ts",
    "src/tools/tool-limits.ts",
    "src/tools/with-redaction.ts",
    "src/tools/workers/heavy-work.ts",
  ],
};

/**
 * What only these share with modules of no group stays in them, and those modules load them first. A group that is so loaded is two
 * files, so that the others, which are small or load with nearly every question, are not.
 */
const loadedFirst = new Set(["servers", "question"]);

/** The library is loaded by programs that may never ask; the workers never need the groups. */
const separateEntries = ["src/index.ts", "src/tools/workers/heavy-worker.ts", "src/tools/modules/module-worker.ts"].map(
  (file) => resolve(file),
);

/** Matches a static import of a module. */
const staticImport = /^(?:import|export) (?:[^;]*? from )?"(\.[^"]+\.ts)";$/gm;
/** Matches an `import()`, and not its type. */
const dynamicImport = /(?<!typeof )\bimport\("(\.[^"]+)"\)/g;

/** Has an `import()` of a module of a group load the group, and the others load the groups that they share modules with first. */
export const shareStart = {
  name: "share-start",
  async setup({ onResolve, onLoad }) {
    const modules = await findDynamicImports();
    const members = await divide(modules);
    const groupOf = new Map();
    for (const [name, files] of members)
      for (const file of await findImports(files)) if (modules.has(file) && !groupOf.has(file)) groupOf.set(file, name);
    const separate = await findImports(separateEntries);
    const parts = new Map();
    for (const [name, files] of members) parts.set(name, await findImports(files));
    const grouped = new Set([...parts.values()].flatMap((part) => [...part]));
    const namesOf = (group) => [...groupOf.keys()].filter((file) => groupOf.get(file) === group);

    onResolve({ filter: /^duet:/ }, ({ path }) => ({ path: path.slice("duet:".length), namespace: "share-start" }));
    onLoad({ filter: /.*/, namespace: "share-start" }, ({ path: group }) => {
      const loaded = [...(group === "start" ? [] : ["duet:start"]), ...members.get(group)];
      const lines = loaded.map((file) => `import ${JSON.stringify(file)};`);
      const names = namesOf(group).map((file) => `export * as ${toName(file)} from ${JSON.stringify(file)};`);
      return { contents: [...lines, ...names].join("\n"), resolveDir: process.cwd() };
    });
    onLoad({ filter: /[\\/](?:src|bin)[\\/].*\.ts$/ }, async ({ path }) => {
      const text = (await readFile(path, "utf8")).replaceAll(dynamicImport, (whole, imported) => {
        const file = resolve(path, "..", imported);
        const group = groupOf.get(file);
        return group === undefined ? whole : `import("duet:${group}").then((group) => group.${toName(file)})`;
      });
      const isAlone = modules.has(path) && !grouped.has(path) && !separate.has(path);
      const before = isAlone ? findGroups(await findImports([path]), parts) : [];
      return { contents: before.map((group) => `import "duet:${group}"; `).join("") + text, loader: "ts" };
    });
  },
};

/** Returns the groups that are loaded before a module of no group which needs these files. */
function findGroups(needed, parts) {
  const started = parts.get("start");
  const isShared = (part) => [...needed].some((file) => part.has(file) && !started.has(file));
  return [...parts.keys()].filter(
    (name) => name === "start" || name === "question" || (loadedFirst.has(name) && isShared(parts.get(name))),
  );
}

/** Returns the modules of each group, what several of them need being in the first. */
async function divide(modules) {
  const [[first, files], ...rest] = Object.entries(groups).map(([name, given]) => [
    name,
    given.map((file) => resolve(file)),
  ]);
  const parts = new Map();
  for (const [name, own] of rest) parts.set(name, await findImports(own));
  const started = await findImports(files);
  const grouped = new Set([...started, ...[...parts.values()].flatMap((part) => [...part])]);
  const others = await findImports([...modules].filter((file) => !grouped.has(file)));
  const staysApart = (name) => name === "serve" || loadedFirst.has(name);
  const shared = [...grouped].filter((file) => {
    const users = [...parts.keys()].filter((name) => parts.get(name).has(file));
    return !started.has(file) && (users.length > 1 || (others.has(file) && !staysApart(users[0])));
  });
  return new Map([[first, [...files, ...shared]], ...rest]);
}

/** Gives a module a name under which its group exports it. */
function toName(file) {
  return file.slice(process.cwd().length).replaceAll(/\W/g, "_");
}

/** Returns the files that are imported by `import()` anywhere. */
async function findDynamicImports() {
  const found = new Set();
  for await (const name of glob("{bin,src}/**/*.ts"))
    for (const imported of await findImportsOf(resolve(name), dynamicImport)) found.add(imported);
  return found;
}

/** Returns the files and all that they import, also by way of others. */
async function findImports(files) {
  const found = new Set(files);
  for (const file of found) for (const imported of await findImportsOf(file, staticImport)) found.add(imported);
  return found;
}

async function findImportsOf(file, pattern) {
  const text = (await readFile(file, "utf8")).replaceAll(/^(?:import|export) type [^;]*;$/gm, "");
  return [...text.matchAll(pattern)].map(([, path]) => resolve(file, "..", path));
}
