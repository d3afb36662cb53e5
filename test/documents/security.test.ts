import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { createFileJsonSchema } from "../../src/config/schema/file-schema.ts";
import { readDocument } from "./pages.ts";

const pages = ["docs/security.md", "docs/security.zh.md"];

test.each(pages)("each line of %s names a test that exists", (page) => {
  const rows = readRows(page);
  expect(rows.length).toBeGreaterThan(15);
  const missing = rows.flatMap(({ tests }) => (tests.length > 0 && tests.every(isTest) ? [] : [tests]));
  expect(missing).toEqual([]);
});

test.each(pages)("each setting on %s is one of the configuration file", (page) => {
  const known = JSON.stringify(createFileJsonSchema());
  const names = readRows(page).flatMap(({ settings }) => settings.map((name) => name.split(".").at(-1) ?? ""));
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => name !== "*" && !known.includes(`"${name}":`))).toEqual([]);
});

test("both languages name the same settings and tests", () => {
  const [english, chinese] = pages.map(readRows);
  expect(chinese).toEqual(english);
});

const isTest = (name: string): boolean => existsSync(`test/${name}`);

/** Returns the settings and tests of the table of threats. */
function readRows(page: string): { settings: string[]; tests: string[] }[] {
  const rows = [...readDocument(page).matchAll(/^\| [^|]+ \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm)];
  return rows.flatMap(([, settings = "", tests = ""]) =>
    tests.includes("`") ? [{ settings: readCode(settings), tests: readCode(tests) }] : [],
  );
}

function readCode(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}
