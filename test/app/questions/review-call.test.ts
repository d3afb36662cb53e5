import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createReadCurrent } from "../../../src/app/questions/current-file.ts";
import { reviewCall } from "../../../src/app/questions/review-call.ts";
import type { JsonObject } from "../../../src/kit/json.ts";
import { createFileGuard } from "../../../src/tools/files/file-guard.ts";
import { temporaryFolder } from "../../fakes/program.ts";

/** A root with a file of three lines, and what a call of a file server looks like there. */
async function openRoot() {
  const [root, outside] = [await temporaryFolder(), await temporaryFolder()];
  await writeFile(join(root, "a.txt"), "one\ntwo\nthree\n");
  await writeFile(join(outside, "b.txt"), "private\n");
  const guard = createFileGuard({ files: [join(root, "own.json")], folders: [join(root, "state")] });
  const readCurrent = createReadCurrent({ roots: [root], guard });
  const review = (tool: string, args: JsonObject) => reviewCall({ tool: `fs__${tool}`, arguments: args }, readCurrent);
  return { root, outside, review };
}

test("an overwrite is shown as the change of the file, and the path stays as it was given", async () => {
  const { root, review } = await openRoot();
  const path = join(root, "a.txt");
  expect(await review("write_file", { path, content: "one\n2\nthree\n" })).toEqual({
    values: { path },
    parts: [{ kind: "change", name: "content", file: path, before: "one\ntwo\nthree\n", after: "one\n2\nthree\n" }],
  });
  const fresh = join(root, "new.txt");
  expect((await review("write_file", { path: fresh, content: "x" })).parts).toEqual([
    { kind: "change", name: "content", file: fresh, before: undefined, after: "x" },
  ]);
});

test.each(["append_file", "insert_text", "read_file"])("%s replaces no file, so its text is shown", async (tool) => {
  const { root, review } = await openRoot();
  expect((await review(tool, { path: join(root, "a.txt"), content: "x\ny" })).parts).toEqual([
    { kind: "text", name: "content", text: "x\ny" },
  ]);
});

test("edits are shown in the file, and by themselves where it does not hold each of them once", async () => {
  const { root, review } = await openRoot();
  const path = join(root, "a.txt");
  const edits = (oldText: string) => [{ oldText, newText: "2" }];
  expect((await review("edit_file", { path, edits: edits("two"), dryRun: false })).parts).toEqual([
    { kind: "change", name: "edits", file: path, before: "one\ntwo\nthree\n", after: "one\n2\nthree\n" },
  ]);
  for (const [oldText, problem] of [
    ["four", "missing"],
    ["e", "repeated"],
  ] as const)
    expect((await review("edit_file", { path, edits: edits(oldText) })).parts).toEqual([
      { kind: "change", name: "edits[0]", file: path, before: oldText, after: "2", problem },
    ]);
  expect((await review("edit", { path, old_string: "e", new_string: "E", replace_all: true })).parts).toEqual([
    { kind: "change", name: "old_string", file: path, before: "one\ntwo\nthree\n", after: "onE\ntwo\nthrEE\n" },
  ]);
});

test("no file is read outside the roots, by a link, of our own, of keys, or of a path that another folder may be meant by", async () => {
  const { root, outside, review } = await openRoot();
  await mkdir(join(root, "state"));
  for (const name of ["own.json", "state/x.txt", ".env", "id_rsa"]) await writeFile(join(root, name), "private\n");
  await symlink(join(outside, "b.txt"), join(root, "link.txt"));
  const names = ["own.json", "state/x.txt", "state/new.txt", ".env", "id_rsa", "link.txt"].map((name) =>
    join(root, name),
  );
  for (const path of [...names, join(outside, "b.txt"), join(outside, "new.txt"), "a.txt", `${root}/a.txt\0`])
    expect(await review("write_file", { path, content: "x\ny\n" }), path).toEqual({
      values: { path },
      parts: [{ kind: "text", name: "content", text: "x\ny\n" }],
    });
});

test("a large or binary file is not compared", async () => {
  const { root, review } = await openRoot();
  await writeFile(join(root, "large.txt"), "x".repeat(200_001));
  await writeFile(join(root, "binary.txt"), Buffer.from([120, 0, 121]));
  for (const name of ["large.txt", "binary.txt"])
    expect((await review("write_file", { path: join(root, name), content: "short" })).parts).toEqual([]);
});

test("a command is shown as it would run, and texts of several lines at any depth as lines", async () => {
  const { review } = await openRoot();
  expect(await review("shell", { command: "rm -rf x\nls", cwd: "/" })).toEqual({
    values: { cwd: "/" },
    parts: [{ kind: "command", name: "command", line: "rm -rf x\nls" }],
  });
  expect((await review("run", { command: "ls", args: ["-l", "a b", "it's"] })).parts).toEqual([
    { kind: "command", name: "command", line: `ls -l 'a b' 'it'\\''s'` },
  ]);
  expect(await review("post", { blocks: [{ text: "a\nb", n: 1 }], note: "c\nd" })).toEqual({
    values: { blocks: [{ text: "↓", n: 1 }] },
    parts: [
      { kind: "text", name: "blocks[0].text", text: "a\nb" },
      { kind: "text", name: "note", text: "c\nd" },
    ],
  });
});
