import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ignoreRejection } from "../../../src/kit/async/ignore-rejection.ts";

test("work that succeeds gives its result, and work that fails or is missing gives undefined", async () => {
  expect(await ignoreRejection(Promise.resolve(1), "nobody fails")).toBe(1);
  expect(await ignoreRejection(Promise.reject(new Error("gone")), "nobody needs it")).toBeUndefined();
  expect(await ignoreRejection(undefined, "nothing was begun")).toBeUndefined();
});

test("every rejection that the program swallows names who handles it", () => {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const names = globSync(["src/**/*.ts", "bin/**/*.ts"], { cwd: root });
  expect(names.length).toBeGreaterThan(100);
  expect(names.flatMap((name) => findBareCatches(name, readFileSync(`${root}/${name}`, "utf8")))).toEqual([]);
});

test("the check finds a bare catch, with its file and line", () => {
  const code = "one.catch(() => {});\ntwo\n  .catch(() => undefined);\nthree.catch(() => []);\nfour.catch(() => { });";
  expect(findBareCatches("a.ts", code)).toEqual(["a.ts:1", "a.ts:3", "a.ts:5"]);
});

function findBareCatches(name: string, code: string): string[] {
  const bare = /\.catch\(\s*\(\w*\)\s*=>\s*(?:\{\s*\}|undefined|null|void 0)\s*,?\s*\)/g;
  return [...code.matchAll(bare)].map(({ index }) => `${name}:${code.slice(0, index).split("\n").length}`);
}
