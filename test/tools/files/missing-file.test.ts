import { expect, test } from "vitest";
import { resolveRoots } from "../../../src/tools/files/allowed-path.ts";
import { toMissingFileResult } from "../../../src/tools/files/missing-file.ts";
import { temporaryFiles } from "../builtin/files.ts";

test("a missing file is answered with its directory and the files there, with their sizes, similar names first and private ones never", async () => {
  await using files = await temporaryFiles({
    "app.log": "",
    "report-q2.md": "x".repeat(466_000),
    "notes.md": "",
    ".env": "",
    "key.pem": "",
  });
  const roots = await resolveRoots([files.path]);
  const { ok, text } = await toMissingFileResult("report-q3.md", roots, "en");
  expect(ok).toBe(false);
  const there = "report-q2.md 466 kB, notes.md 0 B, app.log 0 B.";
  expect(text).toBe(`There is no "report-q3.md" in ${roots[0]}. Files there (3): ${there}`);
});

test("at most ten files beside a missing one are named, with the number of all", async () => {
  const many = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`part-${index}.txt`, ""]));
  await using files = await temporaryFiles(many);
  const roots = await resolveRoots([files.path]);
  const { text } = await toMissingFileResult("part.txt", roots, "zh");
  expect(text.match(/part-\d+\.txt/g)).toHaveLength(10);
  expect(text).toContain("（共 14 个）");
});

test("folders beside a missing file are named, and one that is asked for as a file says what is in it", async () => {
  await using files = await temporaryFiles({ "data/a.csv": "1,2", "data/deep/b.txt": "", ".git/config": "" });
  const roots = await resolveRoots([files.path]);
  const ask = async (path: string, locale: "zh" | "en" = "en") => (await toMissingFileResult(path, roots, locale)).text;
  expect(await ask("dat")).toBe(
    `There is no "dat" in ${roots[0]}. There are no files to read there. Folders there (1): data.`,
  );
  const there = "Files there (1): a.csv 3 B. Folders there (1): deep.";
  for (const path of ["data", "data/", "./data"])
    expect(await ask(path)).toBe(`${JSON.stringify(path)} is a folder, not a file. ${there}`);
  expect(await ask("data", "zh")).toBe(
    '"data" 是目录，不是文件。那里的文件（共 1 个）：a.csv 3 B。那里的目录（共 1 个）：deep。',
  );
  for (const path of [".git", "..", "/etc"]) expect(await ask(path)).toContain("was not found: a path must exist");
});

test("a private file, and one outside, are answered as before", async () => {
  await using files = await temporaryFiles({ ".env": "", "a.txt": "" });
  const roots = await resolveRoots([files.path]);
  for (const path of [".env", "secrets.json", "../other.txt", "/etc/no-such-file", "no/such/folder.txt"])
    expect((await toMissingFileResult(path, roots, "en")).text).toContain("was not found: a path must exist");
});
