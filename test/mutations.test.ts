import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { mutations } from "../scripts/mutations/mutations.ts";

test("every row of the mutation table fits its source: the text stands there exactly once, and its tests exist", () => {
  const stale = mutations.filter(({ file, text, becomes, tests }) => {
    const source = existsSync(file) ? readFileSync(file, "utf8") : "";
    return source.split(text).length !== 2 || text === becomes || tests.length === 0 || !tests.every(existsSync);
  });
  expect(stale.map(({ id, file }) => `${id} ${file}`)).toEqual([]);
});

test("no row of the mutation table relies on a test that starts the built program, in which no defect is planted", () => {
  const starts = /fakes\/(?:warm-program|(?:pseudo-)?terminal|page-host)\.ts"|\b(?:startProgram|runProgram)\b/;
  const blind = mutations.filter(({ tests }) => tests.some((file) => starts.test(readFileSync(file, "utf8"))));
  expect(blind.map(({ id, tests }) => `${id} ${tests.join(" ")}`)).toEqual([]);
});

test("every row of the mutation table has an id of its own", () => {
  const ids = mutations.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
