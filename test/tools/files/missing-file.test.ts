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

test("a private file, and one outside, are answered as before", async () => {
  await using files = await temporaryFiles({ ".env": "", "a.txt": "" });
  const roots = await resolveRoots([files.path]);
  for (const path of [".env", "secrets.json", "../other.txt", "/etc/no-such-file", "no/such/folder.txt"])
    expect((await toMissingFileResult(path, roots, "en")).text).toContain("was not found: a path must exist");
});
