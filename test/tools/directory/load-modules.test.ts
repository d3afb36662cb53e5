import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFiles } from "../builtin/files.ts";
import { loadDirectory, loadFiles, moduleOf } from "./loading.ts";

/** For modules that are not to reach a limit on a busy machine. */
const patient = { loadMs: 20_000, callMs: 20_000 };

const names = (report: { tools: { name: string }[] }): string[] => report.tools.map(({ name }) => name);

test("modules in JavaScript and TypeScript give their tools, in the order of the files", async () => {
  const report = await loadFiles(
    {
      "a.mjs": moduleOf("plain", "({ a }) => a + 1", "annotations: { readOnly: true }"),
      "b.js": moduleOf("esm", "async () => ({ list: [1, 2] })"),
      "c.ts": `interface Arguments { city: string }\n${moduleOf("typed", "({ city }: Arguments): string => city.toUpperCase()")}`,
      "d.mts": `import { shout } from "./lib/shout.ts";\n${moduleOf("helped", "() => shout('hi')")}`,
      "lib/shout.ts": "export const shout = (text: string): string => text + '!';",
      "e.js": `module.exports = { name: "common", description: "d", inputSchema: {}, run: () => [{ type: "text", text: "block" }] };`,
      "f.mjs": `export default [{ name: "one", description: "d", inputSchema: {}, run() { return this.name; } },
        { name: "two", description: "d", inputSchema: {}, run: () => undefined }];`,
    },
    {
      calls: [
        { tool: "plain", args: { a: 1 } },
        { tool: "esm", args: {} },
        { tool: "typed", args: { city: "Kyoto" } },
        { tool: "helped", args: {} },
        { tool: "common", args: {} },
        { tool: "one", args: {} },
        { tool: "two", args: {} },
      ],
    },
  );
  expect(report.dropped).toEqual([]);
  expect(names(report)).toEqual(["plain", "esm", "typed", "helped", "common", "one", "two"]);
  expect(report.tools[0]).toMatchObject({ source: "user", annotations: { readOnly: true } });
  const nothing = "f.mjs[1]: run returned nothing (allowed: text, JSON, MCP content blocks)";
  const texts = ["2", '{"list":[1,2]}', "KYOTO", "hi!", "block", "one", nothing];
  expect(report.results).toEqual(texts.map((text) => ({ ok: true, text })));
});

test("duet-mcp and zod can be imported from anywhere, also by what a module imports and through links", async () => {
  const typed = (name: string): string => `import { defineTool } from "duet-mcp";
    import { z } from "zod";
    export default defineTool({
      name: "${name}",
      description: "Adds.",
      inputSchema: z.object({ a: z.number().describe("the first"), b: z.number().default(10) }),
      run: ({ a, b }) => a + b,
    });`;
  await using elsewhere = await temporaryFiles({ "linked.ts": typed("linked") });
  await using files = await temporaryFiles({
    "add.ts": typed("add"),
    "deep.mjs": 'export { default } from "./lib/deep.mjs";',
    "lib/deep.mjs": typed("deep"),
  });
  await symlink(join(elsewhere.path, "linked.ts"), join(files.path, "linked.ts"));
  const calls = ["add", "deep", "linked"].map((tool) => ({ tool, args: { a: 1 } }));
  const report = await loadDirectory({ directory: files.path, calls });
  expect(report.dropped).toEqual([]);
  expect(report.results).toEqual(calls.map(() => ({ ok: true, text: "11" })));
  expect(report.tools[0]?.inputSchema).toMatchObject({
    properties: { a: { type: "number", description: "the first" }, b: { type: "number", default: 10 } },
    required: ["a"],
  });
});

test("a zod of the folder's own is taken before the one that is lent", async () => {
  const report = await loadFiles(
    {
      "node_modules/zod/package.json": '{ "name": "zod", "type": "module", "exports": "./index.js" }',
      "node_modules/zod/index.js": "export const z = 'mine';",
      "a.mjs": `import { z } from "zod";\n${moduleOf("a", "() => z")}`,
    },
    { calls: [{ tool: "a", args: {} }] },
  );
  expect(report.results).toEqual([{ ok: true, text: "mine" }]);
});

test("what cannot be used is named with its file and the reason, and the others work", async () => {
  const shape = "{ name, description, inputSchema, run }";
  const files: Record<string, [text: string, en: string | RegExp, zh?: string]> = {
    "array.mjs": [
      `export default [{ name: "fine", description: "d", inputSchema: {}, run() {} }, { name: "half", inputSchema: {}, run() {} }];`,
      "array.mjs[1]: has no description (in the export, in a /** … */ comment at the head, or in a .md file of the same name)",
    ],
    "empty.mjs": ["export default [];", "empty.mjs: its default export is an empty list"],
    "circle.mjs": [
      `const a = {}; a.a = a; export default { name: a, description: "d", inputSchema: {}, run() {} };`,
      "circle.mjs: name: <ref *1> { a: [Circular *1] } is not allowed (allowed: ^[a-zA-Z0-9_-]{1,64}$)",
    ],
    "enum.ts": [
      "enum A { b }\nexport default A;",
      /^enum\.ts: does not load \(line 1\): SyntaxError.*enum is not supported/,
    ],
    "lacks.mjs": ['import "no-such-package-1";', /^lacks\.mjs: does not load: Error.*'no-such-package-1'/],
    "name.mjs": [moduleOf("a b", "() => 1"), "name.mjs: name: a b is not allowed (allowed: ^[a-zA-Z0-9_-]{1,64}$)"],
    "nothing.mjs": [
      "export const tool = 1;",
      `nothing.mjs: has no default export (export default ${shape} is needed)`,
      `nothing.mjs: 没有默认导出（需要：export default ${shape}）`,
    ],
    "number.mjs": ["export default 5;", `number.mjs: 5 is not allowed (allowed: ${shape})`],
    "run.mjs": [
      `export default { name: "r", description: "d", inputSchema: {} };`,
      "run.mjs: run: undefined is not allowed (allowed: function)",
    ],
    "schema.mjs": [
      `export default { name: "s", description: "d", inputSchema: { properties: { a: { type: "strnig" } } }, run() {} };`,
      /^schema\.mjs: The tool's input schema is not valid: /,
    ],
    "syntax.mjs": ["export default { run() {;", "syntax.mjs: does not load: SyntaxError: Unexpected end of input"],
    "throws.mjs": ['\nthrow new Error("no\\ndatabase");', "throws.mjs: does not load (line 2): Error: no database"],
    "twice.mjs": [
      moduleOf("fine", "() => 2"),
      "twice.mjs: the name fine is already used by array.mjs[0]",
      "twice.mjs: 名称 fine 已被 array.mjs[0] 使用",
    ],
    "type.ts": ["export default (a: ) => 1;", /^type\.ts: does not load \(line 1\): SyntaxError/],
    "zod3.mjs": [
      `export default { name: "z", description: "d", inputSchema: { _def: {} }, run() {} };`,
      "zod3.mjs: inputSchema: Zod 3 is not allowed (allowed: JSON Schema, Zod 4 object, Standard Schema with JSON Schema)",
    ],
  };
  const texts = Object.fromEntries(Object.entries(files).map(([name, [text]]) => [name, text]));
  const report = await loadFiles({ ...texts, "works.mjs": moduleOf("works", "() => 1") }, { limits: patient });
  expect(names(report)).toEqual(["fine", "works"]);
  expect(report.dropped.map(({ name }) => name.replace(/\[.*/, "")).sort()).toEqual(Object.keys(files).sort());
  for (const { name, source, reason, text } of report.dropped) {
    const [, en, zh = text.zh] = files[name.replace(/\[.*/, "")] ?? [];
    expect({ source, reason }).toEqual({ source: "user", reason: "broken" });
    if (en instanceof RegExp) expect(text.en).toMatch(en);
    else expect(text.en).toBe(en);
    expect(text.zh).toBe(zh);
    expect(text.en).not.toContain("\n");
  }
});

test("a module that is never done with loading is left out at the limit for that", async () => {
  const { dropped } = await loadFiles(
    { "hangs.mjs": "await new Promise(() => {});" },
    { limits: { ...patient, loadMs: 1500 } },
  );
  const text = { en: "hangs.mjs: did not load within 1.5 s", zh: "hangs.mjs: 1.5 秒内没有加载完" };
  expect(dropped).toEqual([{ name: "hangs.mjs", source: "user", reason: "broken", text }]);
});

test("a description is taken from the export, else from the docstring, else from the document", async () => {
  const tool = (name: string, description = ""): string =>
    `export default { name: "${name}", ${description} inputSchema: {}, run() {} };`;
  const { tools } = await loadFiles({
    "a.mjs": `/** The docstring. */\n${tool("a", 'description: "The export.",')}`,
    "a.md": "The document.",
    "b.mjs": `/**\n * The docstring.\n * @returns nothing\n */\n${tool("b")}`,
    "b.md": "The document.",
    "c.ts": tool("c", 'description: " ",'),
    "c.md": "# c\n\nThe document,\nits first paragraph.\n\nMore.",
  });
  expect(tools.map(({ description }) => description)).toEqual([
    "The export.",
    "The docstring.",
    "The document, its first paragraph.",
  ]);
});

test("a pipe in the place of a document does not hold up the loading", async () => {
  await using files = await temporaryFiles({ "a.mjs": `export default { name: "a", inputSchema: {}, run() {} };` });
  execFileSync("mkfifo", [join(files.path, "a.md")]);
  const { dropped } = await loadDirectory({ directory: files.path });
  expect(dropped.map(({ text }) => text.en)).toEqual([expect.stringMatching(/^a\.mjs: has no description/)]);
});

test("what a call throws is a failed result, and it ends when its caller leaves", async () => {
  const { results, progressed } = await loadFiles(
    {
      "throws.mjs": moduleOf("throws", '() => { throw new Error("the disk is full"); }'),
      "rejects.mjs": moduleOf("rejects", '() => Promise.reject("no")'),
      "long.mjs": moduleOf("long", '() => "x".repeat(3_000_000)'),
      "told.mjs": moduleOf(
        "told",
        '(_, { locale, progress, signal }) => { progress("half"); return locale + signal.aborted; }',
      ),
      "obeys.mjs": moduleOf(
        "obeys",
        '(_, { signal }) => new Promise((_, no) => signal.addEventListener("abort", () => no(signal.reason)))',
      ),
    },
    {
      limits: patient,
      calls: [
        { tool: "throws", args: {} },
        { tool: "rejects", args: {} },
        { tool: "long", args: {} },
        { tool: "told", args: {}, locale: "zh" },
        { tool: "obeys", args: {}, abortAfterMs: 20 },
      ],
    },
  );
  const failed = (code: string, text: string) => ({ ok: false, text, error: { code, message: text } });
  expect(results[0]).toEqual(failed("tool", "the disk is full"));
  expect(results[1]).toEqual(failed("tool", "no"));
  expect(JSON.stringify(results[2]).length).toBeLessThan(2_001_000);
  expect(results[3]).toEqual({ ok: true, text: "zhfalse" });
  expect(results[4]).toEqual({ thrown: "Error: the caller left" });
  expect(progressed).toEqual(["half"]);
});

test("a call that is never done fails at its limit, in the words of its language", async () => {
  const { results } = await loadFiles(
    { "deaf.mjs": moduleOf("deaf", "() => new Promise(() => {})") },
    { limits: { ...patient, callMs: 2_000 }, calls: [{ tool: "deaf", args: {}, locale: "zh" }] },
  );
  const text = "deaf 超时（2 秒）";
  expect(results).toEqual([{ ok: false, text, error: { code: "timeout", message: text } }]);
});
