import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writePrivateFile } from "../../src/core/private-file.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "duet-private-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("a private file and the folder that is made for it are the user's alone, and its state is given", async () => {
  const folder = join(temporaryFolder(), "kept");
  const file = join(folder, "a.json");
  await writePrivateFile(file, "one");
  const { ino, size } = await writePrivateFile(file, "第二");
  expect(readFileSync(file, "utf8")).toBe("第二");
  expect([statSync(file).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
  expect([BigInt(statSync(file).ino), 6n]).toEqual([ino, size]);
  expect(readdirSync(folder)).toEqual(["a.json"]);
});

test("one that cannot be put in its place leaves nothing behind", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "a.json"));
  await expect(writePrivateFile(join(folder, "a.json"), "one")).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(["a.json"]);
});

test("writing at the same time leaves one whole text", async () => {
  const file = join(temporaryFolder(), "a.json");
  const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
  await Promise.all(texts.map((text) => writePrivateFile(file, text)));
  expect(texts).toContain(readFileSync(file, "utf8"));
});
