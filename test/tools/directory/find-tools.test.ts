import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findTools } from "../../../src/tools/directory/find-tools.ts";
import { temporaryFiles } from "../builtin/files.ts";

test("modules and skills are found by name, and all else is left alone", async () => {
  await using files = await temporaryFiles({
    "b.mjs": "",
    "a.ts": "",
    "c.js": "",
    "d.mts": "",
    "_shared.ts": "",
    ".hidden.js": "",
    "types.d.ts": "",
    "types.d.mts": "",
    "a.test.ts": "",
    "a.spec.js": "",
    "a.md": "",
    "package.json": "",
    "pdf/SKILL.md": "",
    "excel/Skill.md": "",
    "_old/SKILL.md": "",
    "lib/more.ts": "",
  });
  expect(await findTools(files.path)).toEqual({
    modules: ["a.ts", "b.mjs", "c.js", "d.mts"],
    skills: ["excel", "pdf"],
    dropped: [],
  });
});

test("links to modules and to folders of skills are followed", async () => {
  await using elsewhere = await temporaryFiles({ "one.ts": "", "notes/SKILL.md": "" });
  await using files = await temporaryFiles();
  await symlink(join(elsewhere.path, "one.ts"), join(files.path, "linked.ts"));
  await symlink(join(elsewhere.path, "notes"), join(files.path, "notes"));
  expect(await findTools(files.path)).toEqual({ modules: ["linked.ts"], skills: ["notes"], dropped: [] });
});

test("a pipe or a link to nowhere that is named like a module is not opened, and named", async () => {
  await using files = await temporaryFiles();
  execFileSync("mkfifo", [join(files.path, "pipe.mjs")]);
  await symlink("/nowhere/at/all.js", join(files.path, "gone.js"));
  const { modules, dropped } = await findTools(files.path);
  expect(modules).toEqual([]);
  expect(dropped.map(({ name, reason, text }) => [name, reason, text.en]).sort()).toEqual([
    ["gone.js", "broken", "gone.js: is not a file"],
    ["pipe.mjs", "broken", "pipe.mjs: is not a file"],
  ]);
});

test("a directory that is not there is empty; a file in its place is named", async () => {
  await using files = await temporaryFiles({ tools: "" });
  expect(await findTools(join(files.path, "none"))).toEqual({ modules: [], skills: [], dropped: [] });
  const place = join(files.path, "tools");
  const { dropped } = await findTools(place);
  expect(dropped.map(({ text }) => text)).toEqual([
    {
      zh: `${place}: 无法读取：ENOTDIR（需要：放工具和技能的文件夹）`,
      en: `${place}: cannot be read: ENOTDIR (a folder of tools and skills is needed)`,
    },
  ]);
});
