import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeHostFile } from "../../../../src/cli/install/files/host-file.ts";
import { temporaryFolder } from "../../../fakes/program.ts";

test("a file that cannot be written stays as it was, and no backup of it is left behind", async () => {
  const folder = await temporaryFolder();
  // The name of the backup is as long as names may be, and that of the draft is longer.
  const name = "x".repeat(255 - ".duet-backup-20261122-090503".length);
  const path = join(folder, name);
  await writeFile(path, "before");
  const write = { path, text: "after", now: new Date(2026, 10, 22, 9, 5, 3), isPrivate: false };
  await expect(writeHostFile(write)).rejects.toThrow("cannot be written (ENAMETOOLONG)");
  expect(await readdir(folder)).toEqual([name]);
  expect(await readFile(path, "utf8")).toBe("before");
});
