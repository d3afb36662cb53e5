import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import { documents, findLinkProblem, readDocument, readLinks } from "./pages.ts";

/** The pages for users, by their name without language. Pages in `development` are in English only. */
const names = documents
  .flatMap((file) => /^docs\/((?:(?:frameworks|install|hosts)\/)?[\w-]+)\.md$/.exec(file)?.[1] ?? [])
  .filter((name) => !name.endsWith("README"));

test.each(documents)("every relative link and anchor of %s leads somewhere", (file) => {
  expect(readLinks(file).flatMap((link) => findLinkProblem(file, link) ?? [])).toEqual([]);
});

test("a link to a missing file, to a missing heading or out of the repository is found", () => {
  const problems = ["missing.md", "start.md#no-such-heading", "../../elsewhere/notes.md"].map((link) =>
    findLinkProblem("docs/README.md", link),
  );
  expect(problems).toEqual([
    "missing.md: there is no docs/missing.md",
    "start.md#no-such-heading: docs/start.md has no heading #no-such-heading",
    "../../elsewhere/notes.md leads out of the repository",
  ]);
  expect(readLinks("docs/README.md")).toContain("start.md");
});

test.each(["README.md", "README.zh.md"])("%s has at most 8,000 bytes", (file) => {
  expect(Buffer.byteLength(readDocument(file))).toBeLessThanOrEqual(8000);
});

// The page of the built-in tools is generated and grows with them.
test.each(names.filter((name) => name !== "tools"))("the page %s is short in both languages", (name) => {
  for (const file of [`docs/${name}.md`, `docs/${name}.zh.md`])
    expect(Buffer.byteLength(readDocument(file)), file).toBeLessThanOrEqual(8000);
});

test("every page for users is there in both languages and stands in both indexes", () => {
  const english = names.map((name) => `docs/${name}.md`);
  const chinese = names.map((name) => `docs/${name}.zh.md`);
  const indexes = ["docs/README.md", "docs/frameworks/README.md", "docs/hosts.md"];
  const chineseIndexes = indexes.map((file) => file.replace(".md", ".zh.md"));
  expect(documents.filter((file) => file.endsWith(".zh.md") && file.startsWith("docs/"))).toEqual(
    [...new Set([...chinese, ...chineseIndexes])].sort(),
  );
  expect(listTargets(indexes)).toEqual(
    expect.arrayContaining([...english, "docs/frameworks/README.md", "docs/reference/README.md"]),
  );
  expect(listTargets(chineseIndexes)).toEqual(expect.arrayContaining([...chinese, "docs/frameworks/README.zh.md"]));
});

test("every page of a framework has the same code in both languages", () => {
  const pages = names.filter((name) => name.startsWith("frameworks/"));
  expect(pages.length).toBeGreaterThan(8);
  const isSame = (name: string): boolean => readCode(`docs/${name}.md`) === readCode(`docs/${name}.zh.md`);
  expect(pages.filter((name) => !isSame(name))).toEqual([]);
});

const codeLine = /^```(?:python|js|ts|go|rust|java) run=interop$/m;

test("the code of every framework is run by a client of scripts/interop", () => {
  const run = globSync("scripts/interop/clients/*/client.json").map((file) => readFileSync(file, "utf8"));
  const ofFrameworks = names.filter((name) => name.startsWith("frameworks/")).map((name) => `docs/${name}.md`);
  const pages = ofFrameworks.filter((file) => codeLine.test(readDocument(file)));
  expect(pages.length).toBeGreaterThan(13);
  expect(pages.filter((file) => !run.some((text) => text.includes(`"${file}"`)))).toEqual([]);
});

test("every page for developers stands in an index", () => {
  const linked = ["docs/README.md", ...globSync("docs/development/*.md")].flatMap((file) =>
    readLinks(file).map((link) => link.replace(/^development\//, "").replace(/#.*/, "")),
  );
  const pages = globSync("docs/development/*.md").map((file) => file.replace(/.*[/\\]/, ""));
  expect(linked).toEqual(expect.arrayContaining(pages));
});

test.each(documents)("%s speaks of no document outside of the repository", (file) => {
  expect(readDocument(file)).not.toMatch(/\.\.\/shared|\bspecs\/|\breview\/|\bfacts\/|\/work\//);
});

test("every scenario of the requirements is the title of a test", () => {
  const titles = globSync("test/{spec,page}/**/*.ts").map((file) => readFileSync(file, "utf8"));
  const missing = ["agent-mode", "model-invocation", "web-search"].flatMap((name) =>
    [...readDocument(`docs/development/${name}.md`).matchAll(/^### (.+)$/gm)]
      .map(([, scenario = ""]) => scenario)
      .filter((scenario) => !titles.some((text) => text.includes(scenario)))
      .map((scenario) => `${name}: ${scenario}`),
  );
  expect(missing).toEqual([]);
});

test("every case of the tests of faults stands in the catalogue", () => {
  const catalogue = globSync("docs/development/faults-*.md").map((file) => readFileSync(file, "utf8"));
  const tests = globSync("test/faults/*.test.ts").map((file) => readFileSync(file, "utf8"));
  const title = /\b(?:test|describe)(?:\.each\([^)]*\))?\(\s*["'`](\d+(?:, \d+)*)[: ]/g;
  const cited = tests.flatMap((text) => [...text.matchAll(title)].flatMap(([, numbers = ""]) => numbers.split(", ")));
  expect(cited.length).toBeGreaterThan(100);
  const known = catalogue.join("");
  expect([...new Set(cited)].filter((number) => !known.includes(`<a id="case-${number}"></a>`))).toEqual([]);
});

/** The pages that these indexes link to, from the repository's root. */
function listTargets(indexes: readonly string[]): string[] {
  return indexes.flatMap((index) => readLinks(index).map((link) => posix.join(posix.dirname(index), link)));
}

function readCode(file: string): string {
  return [...readDocument(file).matchAll(/^```\w+ [^\n]*\n[\s\S]*?^```$/gm)].join("\n");
}
