import { expect, test } from "vitest";
import { drawArchitecture } from "../../scripts/draw-architecture.ts";
import { fillTables, generatedPages } from "../../scripts/setting-tables.ts";
import { readDocument } from "./pages.ts";

const pages = generatedPages.flatMap((name) => [
  [`docs/${name}.md`, "en"] as const,
  [`docs/${name}.zh.md`, "zh"] as const,
]);

test.each(pages)("the tables of %s are what the tables of the program say (else: npm run docs)", (file, locale) => {
  const page = readDocument(file);
  expect(page).toContain("<!-- table: ");
  expect(fillTables(page, locale)).toBe(page);
});

test.each([
  ["docs/architecture.svg", "en"],
  ["docs/architecture.zh.svg", "zh"],
] as const)("the picture %s is what its table draws (else: npm run docs)", (file, locale) => {
  expect(readDocument(file)).toBe(drawArchitecture(locale));
});

test("a table that nobody knows is refused with the known ones", () => {
  expect(() => fillTables("<!-- table: colours -->\n\n| x |\n", "en")).toThrow(
    "there is no table colours (known: settings, variables, vendor-variables, tool-variables, limits, known-hosts, hosts, known-agents, errors)",
  );
});
