import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Matches a page of the repository in a comment or a text, with the anchor of a heading or of an `<a id>`. */
const link = /\bdocs\/[\w./-]+\.md(?:#[\p{L}\p{N}_-]+)?/gu;

/** Matches what names a document without saying where it is. */
const pathless = [
  /(?<![\w/-])(?:model-invocation|agent-mode|web-search|agent-architecture|tool-calling|faults)\.md/,
  /(?<![\w/])(?:facts|specs|review)\/[\w-]+/,
  /\bcontract's\b|\b(?:of|by|in) the contract\b|\bspec's\b|\b(?:of|by|in) the spec\b/,
  /\bfault catalogue\b|\bcatalogue of faults\b/,
];

test("every page that a comment or a title names is in the repository, with the heading that it names", () => {
  expect(Object.entries(readSources()).flatMap(([file, code]) => findBrokenLinks(file, code))).toEqual([]);
});

test("no comment and no title names a document without a link into the repository", () => {
  expect(Object.entries(readSources()).flatMap(([file, code]) => findPathless(file, code))).toEqual([]);
});

test("a missing page, a missing heading and a document without a path are found, with file and line", () => {
  const code = `
/** Is defined in docs/development/nowhere.md#errors. */
// See docs/development/contract.md#no-such-heading and docs/development/contract.md#errors.
test("the fields of the contract", () => {});
/** Uses the words of agent-mode.md, "UI". */
const path = "specs";`;
  expect(findBrokenLinks("src/a.ts", code)).toEqual([
    "src/a.ts:2: docs/development/nowhere.md#errors",
    "src/a.ts:3: docs/development/contract.md#no-such-heading",
  ]);
  expect(findPathless("src/a.ts", code)).toEqual([
    'src/a.ts:4: test("the fields of the contract", () => {});',
    'src/a.ts:5: /** Uses the words of agent-mode.md, "UI". */',
  ]);
});

function readSources(): Record<string, string> {
  const files = globSync("{src,bin,test,bench,scripts}/**/*.{ts,mjs}").map((file) => file.replaceAll("\\", "/"));
  const others = files.filter((file) => file !== "test/references.test.ts" && !file.includes("node_modules")).sort();
  return Object.fromEntries(others.map((file) => [file, readFileSync(file, "utf8")]));
}

/** A link in other code, such as a path that a test reads, is not a reference. */
function isCited(line: string): boolean {
  return /^\s*(?:\/\/|\/?\*|(?:test|describe|inChromium)\b)/.test(line);
}

function findBrokenLinks(file: string, code: string): string[] {
  return code.split("\n").flatMap((line, index) => {
    if (!isCited(line)) return [];
    return [...line.matchAll(link)].flatMap(([target]) =>
      leadsSomewhere(target) ? [] : `${file}:${index + 1}: ${target}`,
    );
  });
}

function findPathless(file: string, code: string): string[] {
  return code.split("\n").flatMap((line, index) => {
    if (!isCited(line)) return [];
    const isPathless = pathless.some((pattern) => pattern.test(line));
    return isPathless ? `${file}:${index + 1}: ${line.trim()}` : [];
  });
}

function leadsSomewhere(target: string): boolean {
  const [page = "", anchor] = target.split("#");
  if (!existsSync(page)) return false;
  return anchor === undefined || readAnchors(readFileSync(page, "utf8")).has(anchor);
}

/** Returns the anchors that GitHub makes of the headings, and those written as `<a id>`. */
function readAnchors(page: string): Set<string> {
  const headings = [...page.matchAll(/^#{1,6}\s+(.+?)\s*$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set([...headings, ...[...page.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id)]);
}
