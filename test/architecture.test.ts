import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { wires } from "../src/core/model/model-settings.ts";
import { vendors } from "../src/providers/vendors.ts";
import { builtinTools } from "../src/tools/builtin/builtin-tools.ts";

/** File name to text. */
type Files = Record<string, string>;

/** What each layer may import besides itself: every import points to the right of bin -> server | cli -> ... -> kit. */
const layers: Record<string, readonly string[]> = (() => {
  const shared = ["config", "render", "core", "kit"];
  const parts = ["agent", "providers", "tools", "client", "store"];
  const interfaces = ["runs", "app", ...parts, ...shared];
  return {
    bin: ["server", "cli", "eval", ...interfaces],
    index: ["app", ...parts, ...shared],
    server: interfaces,
    cli: ["eval", ...interfaces],
    eval: ["app", ...parts, ...shared],
    runs: ["app", ...parts, ...shared],
    app: [...parts, ...shared],
    agent: shared,
    providers: shared,
    tools: shared,
    client: shared,
    store: shared,
    config: ["core", "kit"],
    render: ["core", "kit"],
    core: ["kit"],
    kit: [],
  };
})();

/** These tables load nothing when they are imported, so that the configuration may read them. */
const tables = ["src/providers/vendors.ts", "src/tools/search/search-backends.ts"];

/** The only file that reads the environment. */
const environmentReader = "src/config/load-config.ts";

test("every import points to a layer on the right", () => {
  expect(upwardImports(program())).toEqual([]);
});

test("the page, which runs in browsers, imports core, render and kit alone, and nothing of the program imports the page", () => {
  const files = program();
  const isPage = (file: string): boolean => file.startsWith("src/server/web/");
  const isForPages = (file: string): boolean => /^src\/(core|render|kit)\//.test(file);
  const strays = Object.keys(files).flatMap((file) =>
    importsOf(files, file)
      .filter((imported) => (isPage(file) ? !isPage(imported) && !isForPages(imported) : isPage(imported)))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(Object.keys(files).filter(isPage)).not.toEqual([]);
  expect(strays).toEqual([]);
});

test("no file imports itself by way of others", () => {
  expect(cycles(program())).toEqual([]);
});

test("only the configuration reads the environment", () => {
  expect(environmentReaders(program())).toEqual([]);
});

test("every file is used by another one, or starts something", () => {
  expect(unusedFiles(program())).toEqual([]);
});

test("the check of unused files ignores files that start something", () => {
  const files = {
    "bin/duet.ts": `import "../src/cli/a.ts";`,
    "src/cli/a.ts": "",
    "src/cli/a-worker.ts": "",
    "src/cli/forgotten.ts": `import "./a.ts";`,
  };
  expect(unusedFiles(files)).toEqual(["src/cli/forgotten.ts"]);
});

test("only the providers compare the names of wires and vendors", () => {
  expect(vendorBranches(program())).toEqual([]);
});

test("every file and folder of the built-in tools has a row in their table", () => {
  const folder = "src/tools/builtin/";
  const names = Object.keys(program())
    .filter((file) => file.startsWith(folder) && file !== `${folder}builtin-tools.ts`)
    .map((file) => /^[^/.]+/.exec(file.slice(folder.length))?.[0].replaceAll("-", "_") ?? file);
  expect(names).not.toEqual([]);
  expect([...new Set(names)].filter((name) => !Object.hasOwn(builtinTools, name))).toEqual([]);
});

test("the MCP client names a service only in the file that describes its refusals", () => {
  expect(namedServices(program())).toEqual([]);
  const files = Object.keys(program());
  expect(files).toContain(`${servicesFolder}amap.ts`);
});

test("the check of vendors sees every way to compare", () => {
  const files = {
    "src/app/a.ts": `if (model.provider === "gemini") {}`,
    "src/app/b.ts": `const bound = wire !== 'own-wire' ? 1 : 2;`,
    "src/app/c.ts": `switch (name) { case "deepseek": }`,
    "src/app/d.ts": `if ("openai-chat" === settings.kind) {}`,
    "src/app/e.ts": `if (["qwen-us", "x"].includes(name)) {}`,
    "src/app/f.ts": `// wire === "openai-chat"\nif (provider !== "" && wire === undefined && provider === offline) {}`,
    "src/app/g.ts": `const hint = "openai";`,
    "src/cli/i.ts": "if (/^deepseek-(chat|v\\d)$/i.test(typed)) return typed;",
    "src/cli/j.ts": "const isOne = name.match(/(^|\\/)gemini-/);",
    "src/config/k.ts": `const description = "openai, anthropic or one of your own";`,
    "src/config/l.ts": `const all = ["qwen", "ollama"];`,
    "src/config/m.ts": `const url = "https://example.com/openai/v1"; const text = "Anthropic allows less.";`,
    "src/providers/h.ts": `if (wire === "openai-chat") {}`,
  };
  expect(vendorBranches(files)).toEqual([
    "src/app/a.ts",
    "src/app/b.ts",
    "src/app/c.ts",
    "src/app/d.ts",
    "src/app/e.ts",
    "src/cli/i.ts",
    "src/cli/j.ts",
    "src/config/k.ts",
    "src/config/l.ts",
  ]);
});

test("the check of services ignores comments and the services' own files", () => {
  const files = {
    "src/client/a.ts": "if (isAmap) return;",
    "src/client/b.ts": "// Amap allows three calls a second.",
    "src/client/refusals/services/amap.ts": `const name = "amap";`,
    "src/client/refusals/explain.ts": `import { amap } from "./services/amap.ts";\nconst services = [amap];`,
    "src/client/refusals/retry-after.ts": `const say = "Ask Tavily.";`,
  };
  expect(namedServices(files)).toEqual(["src/client/a.ts", "src/client/refusals/retry-after.ts"]);
});

test("the vendors' packages describe what is sent, and their code is loaded for clouds alone", () => {
  const loading =
    /\bimport (?!type\b)[^;"']*["'](?:openai|@anthropic-ai\/sdk)\b|\bimport\(\s*["'](?:openai|@anthropic-ai\/sdk)\b/;
  const files = program();
  const loaders = Object.keys(files).filter((file) => loading.test(withoutComments(files[file] ?? "")));
  expect(loaders).toEqual(["src/providers/clouds/vendor-clients.ts"]);
  expect(files[loaders[0] ?? ""]).not.toMatch(/^import [^;]*"(?:openai|@anthropic-ai)/m);
  expect(loading.test(`import { OpenAI } from "openai/client";`)).toBe(true);
  expect(loading.test(`const { Anthropic } = await import("@anthropic-ai/sdk");`)).toBe(true);
});

test("the check finds the program's files and their imports", () => {
  const files = program();
  expect(Object.keys(files)).toContain(environmentReader);
  expect(importsOf(files, environmentReader)).toContain("src/config/config.ts");
});

test("the check of layers names the file and its import, however it is written", () => {
  const files = {
    "src/kit/json.ts": `import { x } from "../core/model.ts";`,
    "src/core/model.ts": `import { x } from "../agent/run.ts";\nimport { y } from "../kit/json.ts";`,
    "src/render/lines.ts": `import { x } from "../config/config.ts";`,
    "src/agent/run.ts": `import type { Vendor } from "../providers/vendors.ts";\nimport { say } from "../kit/locale.ts";`,
    "src/providers/vendors.ts": `export * from "../tools/collect-tools.ts";`,
    "src/tools/collect-tools.ts": `const pool = await import("../client/pool.ts");`,
    "src/client/pool.ts": `type Store = import("../store/store.ts").Store;`,
    "src/config/load-config.ts": `import "../app/duet.ts";`,
    "src/config/models.ts": `import { vendors } from "../providers/vendors.ts";\nimport "../providers/create-model.ts";`,
    "src/app/open-duet.ts": `import {\n  begin,\n} from "../runs/begin-run.ts";`,
    "src/runs/begin-run.ts": `import { serve } from "../server/mcp/serve-stdio.ts";`,
    "src/server/mcp/serve-stdio.ts": `import { chat } from "../../cli/chat.ts";`,
    "src/cli/chat.ts": `import { start } from "../../bin/duet.ts";\nimport { openDuet } from "../app/open-duet.ts";`,
    "bin/duet.ts": `import { runAgent } from "../src/agent/run.ts";\nimport { chat } from "../src/cli/chat.ts";`,
  };
  expect(upwardImports(files)).toEqual([
    "src/kit/json.ts imports src/core/model.ts",
    "src/core/model.ts imports src/agent/run.ts",
    "src/render/lines.ts imports src/config/config.ts",
    "src/agent/run.ts imports src/providers/vendors.ts",
    "src/providers/vendors.ts imports src/tools/collect-tools.ts",
    "src/tools/collect-tools.ts imports src/client/pool.ts",
    "src/client/pool.ts imports src/store/store.ts",
    "src/config/load-config.ts imports src/app/duet.ts",
    "src/config/models.ts imports src/providers/create-model.ts",
    "src/app/open-duet.ts imports src/runs/begin-run.ts",
    "src/runs/begin-run.ts imports src/server/mcp/serve-stdio.ts",
    "src/server/mcp/serve-stdio.ts imports src/cli/chat.ts",
    "src/cli/chat.ts imports bin/duet.ts",
  ]);
});

test("an import in a comment is ignored", () => {
  const files = {
    "src/core/a.ts": `// import "../agent/b.ts";\n/* import "../agent/c.ts"; */\n/** from "../agent/d.ts" */`,
  };
  expect(upwardImports(files)).toEqual([]);
});

test("a text that looks like the start of a comment hides no import", () => {
  const files = { "src/core/a.ts": `const all = "src/*";\nimport "../agent/b.ts"; /* end */` };
  expect(upwardImports(files)).toEqual(["src/core/a.ts imports src/agent/b.ts"]);
});

test("a file in no layer is reported", () => {
  expect(upwardImports({ "src/extra/a.ts": `import "../core/b.ts";` })).toEqual([
    "src/extra/a.ts imports src/core/b.ts",
  ]);
});

test("the cycle check shows the cycle, type-only imports included", () => {
  const files = {
    "src/core/a.ts": `import { b } from "./b.ts";`,
    "src/core/b.ts": `import type { C } from "./c.ts";\nimport "./d.ts";`,
    "src/core/c.ts": `export type C = typeof import("./a.ts");`,
    "src/core/d.ts": "",
    "src/core/self.ts": `import "./self.ts";`,
  };
  expect(cycles(files)).toEqual([
    "src/core/a.ts -> src/core/b.ts -> src/core/c.ts -> src/core/a.ts",
    "src/core/self.ts -> src/core/self.ts",
  ]);
});

test("two paths to one file are no cycle", () => {
  const files = {
    "src/core/a.ts": `import "./b.ts";\nimport "./c.ts";`,
    "src/core/b.ts": `import "./d.ts";`,
    "src/core/c.ts": `import "./d.ts";`,
    "src/core/d.ts": "",
  };
  expect(cycles(files)).toEqual([]);
});

test("the environment's check sees every way to read it", () => {
  const files = {
    "src/a.ts": "process.env.HOME",
    "src/b.ts": `process["env"]`,
    "src/c.ts": "const { env } = process;",
    "src/d.ts": `import { env } from "node:process";`,
    "src/e.ts": "// process.env is read elsewhere",
    "src/f.ts": "process.environment; process.argv",
    "src/config/load-config.ts": "process.env",
  };
  expect(environmentReaders(files)).toEqual(["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"]);
});

function program(): Files {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const names = globSync(["src/**/*.{ts,tsx}", "bin/**/*.ts"], { cwd: root }).map((name) => name.replaceAll("\\", "/"));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(`${root}/${name}`, "utf8")]));
}

function upwardImports(files: Files): string[] {
  return Object.keys(files).flatMap((file) =>
    importsOf(files, file)
      .filter((imported) => !mayImport(file, imported))
      .map((imported) => `${file} imports ${imported}`),
  );
}

function mayImport(file: string, imported: string): boolean {
  if (imported === "package.json") return true;
  const [from, to] = [layerOf(file), layerOf(imported)];
  if (from === undefined || to === undefined) return false;
  if (from === "config" && tables.includes(imported)) return true;
  return from === to || (layers[from] ?? []).includes(to);
}

function layerOf(file: string): string | undefined {
  const layer = /^(?:src\/)?([^/.]+)/.exec(file)?.[1];
  return layer !== undefined && Object.hasOwn(layers, layer) ? layer : undefined;
}

/** Every relative import, static, of types, or dynamic, as a file name. */
function importsOf(files: Files, file: string): string[] {
  const code = withoutComments(files[file] ?? "");
  const imports = code.matchAll(/\b(?:from|import)\s*\(?\s*["'`](\.[^"'`]*)["'`]/g);
  return [...imports].map(([, path = ""]) => posix.join(posix.dirname(file), path));
}

/** Texts are stepped over, so that `"src/*"` in one does not open a comment. */
function withoutComments(code: string): string {
  const textOrComment = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/.*$/gm;
  return code.replace(textOrComment, (_, text: string | undefined) => text ?? "");
}

function cycles(files: Files): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  function visit(file: string, trail: readonly string[]): void {
    const start = trail.indexOf(file);
    if (start >= 0) found.push([...trail.slice(start), file].join(" -> "));
    if (start >= 0 || done.has(file)) return;
    for (const imported of importsOf(files, file)) visit(imported, [...trail, file]);
    done.add(file);
  }
  for (const file of Object.keys(files)) visit(file, []);
  return found;
}

/** The command line, the library, the pages and the workers are where something starts. */
const starts =
  /web\/parts\/\w+-part\.tsx?$|\.d\.ts$|^(?:bin\/[^/]+|src\/index|src\/server\/web\/[^/]+\/main|src\/.+-worker)\.ts$/;

function unusedFiles(files: Files): string[] {
  const used = new Set(Object.keys(files).flatMap((file) => importsOf(files, file)));
  return Object.keys(files).filter((file) => !used.has(file) && !starts.test(file));
}

/** A difference between vendors is a value of a row. Code that asks for a name knows one vendor more than it should. */
function vendorBranches(files: Files): string[] {
  const ids = Object.keys(vendors).join("|");
  const names = `${ids}|${wires.join("|")}`;
  const name = `["'\`](?:${names})["'\`]`;
  const branch = new RegExp(
    [
      `(?<!typeof )\\b(?:wire|provider)\\s*[!=]==?\\s*["'\`]\\w`,
      `["'\`]\\s*[!=]==?\\s*(?:\\w+\\.)*(?:wire|provider)\\b`,
      `(?:[!=]==?|\\bcase)\\s*${name}`,
      `${name}\\s*(?:[!=]==?|[^;]{0,60}\\]\\.includes\\()`,
      // A regular expression that matches a name, and a list of names by hand.
      `[(=:,!&|]\\s*/(?![/*])(?:\\\\.|[^/\\n\\\\])*\\b(?:${names})\\b(?:\\\\.|[^/\\n\\\\])*/[a-z]*\\s*(?:\\.(?:test|exec)\\b|\\))`,
      `\\b(?:${ids})["'\`]?, ["'\`]?(?:${ids})(?![\\w-])`,
    ].join("|"),
  );
  return Object.keys(files).filter(
    (file) => layerOf(file) !== "providers" && branch.test(withoutComments(files[file] ?? "")),
  );
}

/** The table in this file lists the services. */
const serviceList = "src/client/refusals/explain.ts";
const servicesFolder = "src/client/refusals/services/";

function namedServices(files: Files): string[] {
  const names = Object.keys(program()).flatMap((file) =>
    file.startsWith(servicesFolder) && !file.endsWith("known-service.ts") ? [posix.basename(file, ".ts")] : [],
  );
  const named = new RegExp(names.join("|"), "i");
  return Object.keys(files).filter((file) => {
    if (layerOf(file) !== "client" || file.startsWith(servicesFolder)) return false;
    const code = withoutComments(files[file] ?? "");
    const table = /^import .*$|^const services\b.*$/gm;
    return named.test(file === serviceList ? code.replace(table, "") : code);
  });
}

function environmentReaders(files: Files): string[] {
  const reading =
    /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[\s*["'`]env|\benv\b[^;]*\}\s*(?:=\s*process\b|from\s*["']node:process)/;
  return Object.keys(files).filter(
    (file) => file !== "src/config/load-config.ts" && reading.test(withoutComments(files[file] ?? "")),
  );
}
