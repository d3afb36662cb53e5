import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type WalkLimits, walkFiles } from "../../../src/tools/files/walk-files.ts";

const generous: WalkLimits = { entries: 1000, depth: 10, milliseconds: 60_000 };
const never = new AbortController().signal;

async function folder(files: readonly string[]): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "duet-walk-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const file of files) {
    await mkdir(join(root, file, ".."), { recursive: true });
    await writeFile(join(root, file), "x");
  }
  return root;
}

async function walk(root: string, limits: Partial<WalkLimits> = {}) {
  let hits = 0;
  const found = await Array.fromAsync(walkFiles(root, { ...generous, ...limits }, never, () => void hits++));
  return { files: found.map((file) => relative(root, file)), hits };
}

test("hidden and private files and folders are not walked, nor those of packages", async () => {
  const root = await folder([
    "a.txt",
    "sub/b.txt",
    ".git/config",
    ".env",
    "id_rsa",
    "sub/server.pem",
    "secrets.yaml",
    "node_modules/x/index.js",
  ]);
  expect(await walk(root)).toEqual({ files: ["a.txt", "sub/b.txt"], hits: 0 });
});

test("links to files and folders are never followed", async () => {
  const outside = await folder(["secret.txt"]);
  const root = await folder(["a.txt"]);
  await symlink(outside, join(root, "folder"));
  await symlink(join(outside, "secret.txt"), join(root, "file.txt"));
  expect((await walk(root)).files).toEqual(["a.txt"]);
});

test("no more entries are looked at than the limit, and that is told", async () => {
  const root = await folder(Array.from({ length: 20 }, (_, index) => `${String(index).padStart(2, "0")}.txt`));
  const { files, hits } = await walk(root, { entries: 5 });
  expect([files.length, hits]).toEqual([5, 1]);
  expect(await walk(root, { entries: 20 })).toMatchObject({ hits: 0 });
});

test("folders below the deepest level are left out, and that is told", async () => {
  const root = await folder(["a.txt", "1/b.txt", "1/2/c.txt"]);
  expect(await walk(root, { depth: 1 })).toEqual({ files: ["a.txt", "1/b.txt"], hits: 1 });
});

test("nothing is walked once the time is over, and that is told", async () => {
  const root = await folder(["a.txt"]);
  expect(await walk(root, { milliseconds: -1 })).toEqual({ files: [], hits: 1 });
});
