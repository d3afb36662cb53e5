import { readdir, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/short-line.ts";
import { fileRefusedError } from "../directory/broken-tools.ts";
import { findFirstParagraph, readDocstring } from "../directory/docstring.ts";
import { isSkillFile } from "../directory/find-tools.ts";
import type { Skill } from "./skill.ts";
import { listFiles, readInside } from "./skill-files.ts";

/** Bytes of a `SKILL.md`, or of a script, in which its description is looked for. */
const mostBytes = 256_000;

/** One skill by the name of its folder. Throws one line that names its `SKILL.md` and what is wrong with it. */
export async function loadSkill(directory: string, name: string, signal: AbortSignal): Promise<Skill> {
  const folder = await realpath(join(directory, name));
  const file = (await readdir(folder)).find(isSkillFile) ?? "SKILL.md";
  const where = `${name}/${file}`;
  if (!/^[a-z0-9-]{1,64}$/.test(name)) throw fileRefusedError(where, badFolder);
  const { fields, body } = await readSkillFile(folder, file, where);
  if (fields.name !== undefined && fields.name !== name) throw fileRefusedError(where, otherName(fields.name, name));
  if (fields.description !== undefined && typeof fields.description !== "string")
    throw fileRefusedError(where, badDescription);
  const scripts = (await listFiles(folder, signal)).filter((path) => path.startsWith("scripts/"));
  const said = fields.description?.trim() || (await docstring(folder, name, scripts)) || findFirstParagraph(body);
  if (said === "") throw fileRefusedError(where, noDescription);
  return { name, description: said.replace(/\s+/g, " "), folder, file, scripts };
}

async function readSkillFile(folder: string, file: string, where: string) {
  const { readDocument } = await import("./frontmatter.ts");
  const read = await readInside(folder, file, mostBytes);
  if (read === undefined || read === "binary") throw fileRefusedError(where, noText);
  const document = readDocument(read.text);
  if ("problem" in document) throw fileRefusedError(where, document.problem);
  return document;
}

/** Of the script that is named like the skill, of `main`, or of the only one. */
async function docstring(folder: string, name: string, scripts: readonly string[]): Promise<string> {
  const named = (wanted: string) => scripts.find((path) => basename(path).replace(/\.[^.]*$/, "") === wanted);
  const script = named(name) ?? named("main") ?? (scripts.length === 1 ? scripts[0] : undefined);
  const read = script === undefined ? undefined : await readInside(folder, script, mostBytes);
  return read === undefined || read === "binary" || script === undefined ? "" : readDocstring(read.text, script);
}

function otherName(given: unknown, folder: string): Text {
  const shown = toShortLine(JSON.stringify(given) ?? "", 80);
  return {
    zh: `name 是 ${shown}，但文件夹是 ${folder}（两者必须相同）`,
    en: `its name is ${shown}, its folder ${folder} (they must be the same)`,
  };
}

const badFolder: Text = {
  zh: "文件夹的名称不合法（允许：1 到 64 个小写字母、数字或 -）",
  en: "the name of its folder is not allowed (1 to 64 lower-case letters, digits or -)",
};
const badDescription: Text = { zh: "description 不是文字", en: "its description is no text" };
const noText: Text = {
  zh: "无法读取（需要：文件夹之内的文本文件）",
  en: "cannot be read (a text file inside its folder is needed)",
};
const noDescription: Text = {
  zh: "没有 description（可写在开头的 YAML 中、脚本的说明中，或正文的第一段）",
  en: "has no description (in the YAML at its head, in its script's docstring, or as its first paragraph)",
};
