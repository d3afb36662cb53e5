import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { documents, findLinkProblem, readDocument, readLinks } from "./pages.ts";

/** The pages for users, by their name without language. Pages in a folder are for developers, and in English only. */
const names = documents
  .flatMap((file) => /^docs\/([\w-]+)\.md$/.exec(file)?.[1] ?? [])
  .filter((name) => name !== "README");

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
  const english = names.map((name) => `${name}.md`);
  const chinese = names.map((name) => `${name}.zh.md`);
  expect(documents).toEqual(expect.arrayContaining(chinese.map((file) => `docs/${file}`)));
  expect(documents.filter((file) => file.endsWith(".zh.md") && file.startsWith("docs/")).sort()).toEqual(
    [...chinese, "README.zh.md"].map((file) => `docs/${file}`).sort(),
  );
  expect(readLinks("docs/README.md")).toEqual(expect.arrayContaining(english));
  expect(readLinks("docs/README.zh.md")).toEqual(expect.arrayContaining(chinese));
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
