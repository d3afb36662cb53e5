import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findWorkTree, listFoldersAbove } from "../../src/kit/work-tree.ts";
import { temporaryFolder } from "../fakes/program.ts";

test("the work tree of a folder is the nearest with a .git, a folder or a file, and none above the last place to look", async () => {
  const top = await temporaryFolder();
  const inner = join(top, "modules", "inner");
  const deep = join(inner, "src", "deep");
  await mkdir(deep, { recursive: true });
  await mkdir(join(top, ".git"));
  expect(await findWorkTree(deep)).toBe(top);
  expect(await findWorkTree(top)).toBe(top);
  expect(await findWorkTree(deep, join(top, "modules"))).toBeUndefined();
  await writeFile(join(inner, ".git"), "gitdir: ../../.git/modules/inner\n");
  expect(await findWorkTree(deep)).toBe(inner);
  expect(listFoldersAbove(deep, top)).toEqual([deep, join(inner, "src"), inner, join(top, "modules"), top]);
  expect(listFoldersAbove("/a/b").at(-1)).toBe("/");
});
