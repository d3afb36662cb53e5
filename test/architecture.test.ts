import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** File name to text. */
type Files = Record<string, string>;

/** Which rooms a room may import from, besides itself: every arrow points to the right. */
const arrows: Record<string, readonly string[]> = {
  index: ["app", "agent", "tools", "core"],
  bin: ["server", "cli", "app", "config", "core"],
  server: ["app", "config", "core"],
  cli: ["app", "config", "core"],
  app: ["config", "agent", "providers", "tools", "client", "core"],
  config: ["core"],
  agent: ["core"],
  providers: ["core"],
  tools: ["core"],
  client: ["core"],
  core: [],
};

/** What else the configuration reads: tables and types of the rooms, which load nothing. */
const light = [
  "src/client/settings.ts",
  "src/providers/resolve.ts",
  "src/providers/settings.ts",
  "src/providers/vendors.ts",
];

test("every import points to the right", () => {
  expect(importsAgainstTheArrows(program())).toEqual([]);
});

test("the page, which runs in browsers, imports core alone, and nothing of the program imports the page", () => {
  const files = program();
  const isPage = (file: string): boolean => file.startsWith("src/server/page/");
  const strays = Object.keys(files).flatMap((file) =>
    importsOf(files, file)
      .filter((imported) => (isPage(file) ? !isPage(imported) && !imported.startsWith("src/core/") : isPage(imported)))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(Object.keys(files).filter(isPage)).not.toEqual([]);
  expect(strays).toEqual([]);
});

test("no file imports itself by way of others", () => {
  expect(circles(program())).toEqual([]);
});

test("only the configuration reads the environment", () => {
  expect(readersOfTheEnvironment(program())).toEqual([]);
});

test("the program is there to be checked", () => {
  const files = program();
  expect(Object.keys(files)).toContain("src/config.ts");
  expect(importsOf(files, "src/config.ts")).toContain("src/config/schema.ts");
});

test("the arrows' check names the file and its import, however it is written", () => {
  const files = {
    "src/core/model.ts": `import { x } from "../agent/run.ts";`,
    "src/agent/run.ts": `import type { Vendor } from "../providers/vendors.ts";\nimport { say } from "../core/locale.ts";`,
    "src/providers/vendors.ts": `export * from "../tools/collect.ts";`,
    "src/tools/collect.ts": `const pool = await import("../client/pool.ts");`,
    "src/client/pool.ts": `type Config = import("../config.ts").Config;`,
    "src/config.ts": `import "./app.ts";`,
    "src/config/models.ts": `import { resolveModel } from "../providers/resolve.ts";\nimport "../providers/create.ts";`,
    "src/app.ts": `import {\n  serve,\n} from "./server/stdio.ts";`,
    "src/server/stdio.ts": `import { chat } from "../cli/chat.ts";`,
    "src/cli/chat.ts": `import { start } from "../../bin/duet.ts";\nimport { openDuet } from "../app.ts";`,
    "bin/duet.ts": `import { runAgent } from "../src/agent/run.ts";\nimport { chat } from "../src/cli/chat.ts";`,
  };
  expect(importsAgainstTheArrows(files)).toEqual([
    "src/core/model.ts imports src/agent/run.ts",
    "src/agent/run.ts imports src/providers/vendors.ts",
    "src/providers/vendors.ts imports src/tools/collect.ts",
    "src/tools/collect.ts imports src/client/pool.ts",
    "src/client/pool.ts imports src/config.ts",
    "src/config.ts imports src/app.ts",
    "src/config/models.ts imports src/providers/create.ts",
    "src/app.ts imports src/server/stdio.ts",
    "src/server/stdio.ts imports src/cli/chat.ts",
    "src/cli/chat.ts imports bin/duet.ts",
    "bin/duet.ts imports src/agent/run.ts",
  ]);
});

test("what stands in a comment is no import", () => {
  const files = {
    "src/core/a.ts": `// import "../agent/b.ts";\n/* import "../agent/c.ts"; */\n/** from "../agent/d.ts" */`,
  };
  expect(importsAgainstTheArrows(files)).toEqual([]);
});

test("a text that looks like the start of a comment hides no import", () => {
  const files = { "src/core/a.ts": `const all = "src/*";\nimport "../agent/b.ts"; /* end */` };
  expect(importsAgainstTheArrows(files)).toEqual(["src/core/a.ts imports src/agent/b.ts"]);
});

test("a file in no room is refused", () => {
  expect(importsAgainstTheArrows({ "src/extra/a.ts": `import "../core/b.ts";` })).toEqual([
    "src/extra/a.ts imports src/core/b.ts",
  ]);
});

test("the circle check shows the circle, type-only imports included", () => {
  const files = {
    "src/core/a.ts": `import { b } from "./b.ts";`,
    "src/core/b.ts": `import type { C } from "./c.ts";\nimport "./d.ts";`,
    "src/core/c.ts": `export type C = typeof import("./a.ts");`,
    "src/core/d.ts": "",
    "src/core/self.ts": `import "./self.ts";`,
  };
  expect(circles(files)).toEqual([
    "src/core/a.ts -> src/core/b.ts -> src/core/c.ts -> src/core/a.ts",
    "src/core/self.ts -> src/core/self.ts",
  ]);
});

test("two ways to one file are no circle", () => {
  const files = {
    "src/core/a.ts": `import "./b.ts";\nimport "./c.ts";`,
    "src/core/b.ts": `import "./d.ts";`,
    "src/core/c.ts": `import "./d.ts";`,
    "src/core/d.ts": "",
  };
  expect(circles(files)).toEqual([]);
});

test("the environment's check sees every way to read it", () => {
  const files = {
    "src/a.ts": "process.env.HOME",
    "src/b.ts": `process["env"]`,
    "src/c.ts": "const { env } = process;",
    "src/d.ts": `import { env } from "node:process";`,
    "src/e.ts": "// process.env is read elsewhere",
    "src/f.ts": "process.environment; process.argv",
    "src/config.ts": "process.env",
  };
  expect(readersOfTheEnvironment(files)).toEqual(["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"]);
});

function program(): Files {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const names = globSync(["src/**/*.ts", "bin/**/*.ts"], { cwd: root }).map((name) => name.replaceAll("\\", "/"));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(`${root}/${name}`, "utf8")]));
}

function importsAgainstTheArrows(files: Files): string[] {
  return Object.keys(files).flatMap((file) =>
    importsOf(files, file)
      .filter((imported) => !mayImport(file, imported))
      .map((imported) => `${file} imports ${imported}`),
  );
}

function mayImport(file: string, imported: string): boolean {
  if (imported === "package.json") return true;
  const [from, to] = [roomOf(file), roomOf(imported)];
  if (from === undefined || to === undefined) return false;
  if (from === "config" && light.includes(imported)) return true;
  return from === to || (arrows[from] ?? []).includes(to);
}

function roomOf(file: string): string | undefined {
  const room = /^(?:src\/)?([^/.]+)/.exec(file)?.[1];
  return room !== undefined && Object.hasOwn(arrows, room) ? room : undefined;
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

function circles(files: Files): string[] {
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

function readersOfTheEnvironment(files: Files): string[] {
  const reading =
    /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[\s*["'`]env|\benv\b[^;]*\}\s*(?:=\s*process\b|from\s*["']node:process)/;
  return Object.keys(files).filter(
    (file) => file !== "src/config.ts" && reading.test(withoutComments(files[file] ?? "")),
  );
}
