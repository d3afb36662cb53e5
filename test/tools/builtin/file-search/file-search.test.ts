import { execFileSync } from "node:child_process";
import { symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/kit/json.ts";
import { createFileSearch } from "../../../../src/tools/builtin/file-search/file-search.ts";
import type { FileSearchLimits } from "../../../../src/tools/builtin/file-search/search-files.ts";
import { testContext } from "../../context.ts";
import { temporaryFiles } from "../files.ts";

const search = (root: string, args: JsonObject, limits?: Partial<FileSearchLimits>, locale: "zh" | "en" = "en") =>
  createFileSearch({ roots: [root] }, locale, limits).run(args, testContext({ locale }));

/** The listed matches. */
async function matches(root: string, args: JsonObject, limits?: Partial<FileSearchLimits>): Promise<string[]> {
  const result = await search(root, args, limits);
  expect(result.ok).toBe(true);
  return result.text.split("\n").slice(1);
}

test("finds lines and names, whatever the case, in a fixed order", async () => {
  await using files = await temporaryFiles({
    "b.txt": "nothing\nThe Calculator adds.\n",
    "a/calculator.md": "# Manual\r\nUse the CALCULATOR.\r\n",
    "a/z.txt": "calc",
  });
  expect((await search(files.path, { query: "calculator" })).text).toBe(
    [
      '3 matches for "calculator" (3 files looked at)',
      "b.txt:2: The Calculator adds.",
      "a/calculator.md",
      "a/calculator.md:2: Use the CALCULATOR.",
    ].join("\n"),
  );
});

test("finds Chinese text, in UTF-8 and in GB18030", async () => {
  const gb = Buffer.from("b5dad2bbd0d00abceccbe3c6f70a", "hex");
  await using files = await temporaryFiles({ "utf8.txt": "第一行\n计算器在这里\n", "gb.txt": gb });
  expect(await matches(files.path, { query: "计算器" })).toEqual(["utf8.txt:2: 计算器在这里"]);
  expect(await matches(files.path, { query: "第一行" })).toEqual(["gb.txt:1: 第一行", "utf8.txt:1: 第一行"]);
});

test("says in Chinese that nothing was found, which is not an error", async () => {
  await using files = await temporaryFiles({ "a.txt": "x" });
  const result = await search(files.path, { query: "不存在的内容" }, {}, "zh");
  expect(result).toEqual({ ok: true, text: '没有找到匹配 "不存在的内容" 的内容或文件名 (已查看 1 个文件)' });
});

test("looks only where and for what it was asked", async () => {
  await using files = await temporaryFiles({ "docs/needle.md": "needle", "src/a.ts": "needle" });
  expect(await matches(files.path, { query: "needle", match: "name" })).toEqual(["docs/needle.md"]);
  expect(await matches(files.path, { query: "needle", match: "content" })).toEqual([
    "docs/needle.md:1: needle",
    "src/a.ts:1: needle",
  ]);
  expect(await matches(files.path, { query: "needle", root_dir: "./src" })).toEqual(["src/a.ts:1: needle"]);
  expect(await matches(files.path, { query: "needle", root_dir: "src/a.ts" })).toEqual(["src/a.ts:1: needle"]);
  expect(await matches(files.path, { query: "docs/need", match: "name" })).toEqual(["docs/needle.md"]);
});

test("searches ./data where there is one and no directory is named, says so, and stays within the allowed directories", async () => {
  await using files = await temporaryFiles({
    "data/logs/app.log": "needle",
    "src/a.ts": "needle",
    "plain/data": "needle",
  });
  const note = 'Only the default directory ./data was searched; root_dir "." searches all of the allowed directory.';
  expect(await matches(files.path, { query: "needle" })).toEqual(["data/logs/app.log:1: needle", note]);
  expect(await matches(files.path, { query: "missing" })).toEqual([note]);
  expect(await matches(files.path, { query: "needle", match: "content", root_dir: "." })).toEqual([
    "data/logs/app.log:1: needle",
    "plain/data:1: needle",
    "src/a.ts:1: needle",
  ]);
  // A file of that name is no directory, and what lies above a root is not allowed.
  expect(await matches(join(files.path, "plain"), { query: "needle" })).toEqual(["data:1: needle"]);
  expect(await matches(join(files.path, "src"), { query: "needle" })).toEqual(["a.ts:1: needle"]);
});

test("a link ./data that leads out of the allowed directories is no default", async () => {
  await using files = await temporaryFiles({ "root/a.txt": "needle", "outside/b.txt": "needle" });
  await symlink(join(files.path, "outside"), join(files.path, "root/data"));
  expect(await matches(join(files.path, "root"), { query: "needle" })).toEqual(["a.txt:1: needle"]);
});

test("a query is plain text, not a pattern", async () => {
  await using files = await temporaryFiles({ "a.txt": "a.c\nabc\n(x+)+$\n" });
  expect(await matches(files.path, { query: "a.c" })).toEqual(["a.txt:1: a.c"]);
  expect(await matches(files.path, { query: "(x+)+$" })).toEqual(["a.txt:3: (x+)+$"]);
});

test("looks only at the files that fit", async () => {
  await using files = await temporaryFiles({ "docs/a.md": "needle", "src/b.TS": "needle", "src/c.js": "needle" });
  const found = async (include: string) =>
    (await matches(files.path, { query: "needle", include })).map((line) => line.split(":")[0]);
  expect(await found("*.md")).toEqual(["docs/a.md"]);
  expect(await found("*.{ts,js}")).toEqual(["src/b.TS", "src/c.js"]);
  expect(await found("**/*.ts")).toEqual(["src/b.TS"]);
  expect(await found("./src/*")).toEqual(["src/b.TS", "src/c.js"]);
  expect(await found("src/**/*.js")).toEqual(["src/c.js"]);
  expect(await found("c.js")).toEqual(["src/c.js"]);
  expect(await matches(files.path, { query: "*.md" })).toEqual(["docs/a.md"]);
  expect(await matches(files.path, { query: "*", match: "name", include: "src/*" })).toEqual(["src/b.TS", "src/c.js"]);
});

test("a query that looks like a pattern or a list of words and finds nothing is told how it was read", async () => {
  await using files = await temporaryFiles({ "a.txt": "hello world" });
  for (const query of ["hello|world", "world hello", "hel+o"])
    expect((await search(files.path, { query })).text).toMatch(
      /^Nothing matches .*\nNote: query is one piece of plain text/,
    );
  expect((await search(files.path, { query: "nothing" })).text).not.toContain("Note");
});

test("finds text in UTF-16, as Windows writes it", async () => {
  await using files = await temporaryFiles({ "a.txt": Buffer.from("\ufeff一\r\n计算器\r\n", "utf16le") });
  expect(await matches(files.path, { query: "计算器" })).toEqual(["a.txt:2: 计算器"]);
});

test("lists as many as asked and says that there are more", async () => {
  await using files = await temporaryFiles({ "a.txt": "hit\n".repeat(30) });
  const lines = await matches(files.path, { query: "hit", limit: 5 });
  expect(lines).toEqual([1, 2, 3, 4, 5].map((line) => `a.txt:${line}: hit`));
  const { text } = await search(files.path, { query: "hit", limit: 5 });
  expect(text).toMatch(/^First 5 matches for "hit"; there are more \(1 file looked at\)\n/);
  expect(await matches(files.path, { query: "hit", limit: 30 })).toHaveLength(30);
});

test("shows the part of a long line round the hit, printable", async () => {
  await using files = await temporaryFiles({ "a.txt": `${"😀".repeat(500)}needle\u001b[2J${"x".repeat(5000)}` });
  const [line = ""] = await matches(files.path, { query: "needle" });
  expect(line).toMatch(/^a\.txt:1: ….*needle\\u\{1b\}\[2J.*…$/);
  expect(line.length).toBeLessThan(260);
  expect(line.isWellFormed()).toBe(true);
});

describe("what it does not read", () => {
  test("hidden files, secrets, dependencies, binaries and links out", async () => {
    await using files = await temporaryFiles({
      "root/ok.txt": "needle",
      "root/.env": "needle",
      "root/.git/config": "needle",
      "root/.hidden/x": "needle",
      "root/node_modules/m/index.js": "needle",
      "root/server.pem": "needle",
      "root/binary.bin": Buffer.from("needle\0needle"),
      "outside/x.txt": "needle",
    });
    const root = join(files.path, "root");
    await symlink("../outside", join(root, "out"));
    await symlink("../outside/x.txt", join(root, "out.txt"));
    await symlink(".", join(root, "loop"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(await matches(root, { query: "needle" })).toEqual(["ok.txt:1: needle"]);
  });

  test("paths outside: one answer for those that exist and those that do not", async () => {
    await using files = await temporaryFiles({ "root/a.txt": "x", "outside/x.txt": "x" });
    const root = join(files.path, "root");
    await symlink("../outside", join(root, "out"));
    const texts = new Set<string>();
    for (const path of ["../outside", "../missing", "/etc", "/missing", "~", "out", "a\0b", "missing"]) {
      const result = await search(root, { query: "x", root_dir: path });
      expect(result).toMatchObject({ ok: false, error: { code: "tool" } });
      texts.add(result.text.replace(JSON.stringify(path), "PATH"));
    }
    expect([...texts]).toEqual([
      "PATH was not found: a path must exist within the allowed directories, and not be hidden or hold secrets.",
    ]);
  });

  test("large files, which it counts; their names are still found", async () => {
    await using files = await temporaryFiles({ "small.txt": "needle" });
    await writeFile(join(files.path, "needle.log"), "needle");
    await truncate(join(files.path, "needle.log"), 50_000_000_000);
    expect(await matches(files.path, { query: "needle" })).toEqual([
      "needle.log",
      "small.txt:1: needle",
      "The contents of 1 file over 2 MB were skipped.",
    ]);
  });
});

describe("limits", () => {
  test.each<[string, Partial<FileSearchLimits>]>([
    ["entries", { entries: 3 }],
    ["depth", { depth: 1 }],
    ["bytes", { totalBytes: 1 }],
    ["time", { milliseconds: -1 }],
  ])("on %s make the result partial, and it says so", async (_, limits) => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`d/e/f${n}/x.txt`, "text"]));
    await using files = await temporaryFiles(many);
    const result = await search(files.path, { query: "nothing" }, limits);
    expect(result.text).toMatch(/^Nothing matches.*\n.*Partial: a limit/);
  });

  test("on time make it partial also where no file fits", async () => {
    await using files = await temporaryFiles({ "d/a.txt": "x" });
    const result = await search(files.path, { query: "x", include: "*.none" }, { milliseconds: -1 });
    expect(result.text).toMatch(/^Nothing matches.*\n.*Partial: a limit/);
  });

  test("a cancel stops the search", async () => {
    await using files = await temporaryFiles({ "a.txt": "x" });
    const context = testContext({ signal: AbortSignal.abort(new Error("stop")) });
    await expect(createFileSearch({ roots: [files.path] }, "en").run({ query: "x" }, context)).rejects.toThrow("stop");
  });

  test("files of one line, or of nothing but lines, do not block the event loop for long", async () => {
    const large = { "one-line.txt": "x".repeat(1_900_000), "lines.txt": `${"\n".repeat(1_900_000)}needle` };
    await using files = await temporaryFiles(large);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    expect(await matches(files.path, { query: "needle" })).toEqual(["lines.txt:1900001: needle"]);
    delay.disable();
    expect(delay.max / 1e6).toBeLessThan(600);
  });
});
