import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readPrivateFile, writePrivateFile } from "../../src/kit/private-file.ts";
import { requires, unix } from "../runner/requirements.ts";

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

test("a private file is read with its state, up to its limit in bytes", async () => {
  const file = join(temporaryFolder(), "a.json");
  const state = await writePrivateFile(file, "第二");
  const read = await readPrivateFile(file, 6);
  expect(read.text).toBe("第二");
  expect(read.state.ino).toBe(state.ino);
  expect((await readPrivateFile(file, 5)).text).toBeUndefined();
});

test("one that is not there is an error, and a folder in its place has no text", async () => {
  const folder = temporaryFolder();
  await expect(readPrivateFile(join(folder, "a.json"), 100)).rejects.toMatchObject({ code: "ENOENT" });
  mkdirSync(join(folder, "b.json"));
  expect((await readPrivateFile(join(folder, "b.json"), 10_000)).text).toBeUndefined();
});

test("a pipe in its place has no text, is not waited for, and is replaced", requires(unix), async () => {
  const file = join(temporaryFolder(), "a.json");
  execFileSync("mkfifo", [file]);
  expect((await readPrivateFile(file, 100)).text).toBeUndefined();
  await writePrivateFile(file, "one");
  expect((await readPrivateFile(file, 100)).text).toBe("one");
});
