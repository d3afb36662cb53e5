import { readdir, realpath } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { showValue } from "../../core/tools/argument-feedback.ts";
import type { Tool, ToolResult } from "../../core/tools/tool.ts";
import { createTimeLimit } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { Environment } from "../../kit/process/child-environment.ts";
import { createLifeline } from "../../kit/process/lifeline.ts";
import { hasProcessGroups } from "../../kit/process/process-tree.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { sanitizeLine, toShortLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { createSuccess, createTool } from "../create-tool.ts";
import {
  fileRefusedError,
  type LoadedTools,
  toDroppedTool,
  toFileError,
  withFailure,
} from "../directory/broken-tools.ts";
import { findFirstParagraph, readDocstring } from "../directory/docstring.ts";
import { isSkillFile } from "../directory/find-tools.ts";
import { toNotTextResult, toPathRefusedResult } from "../files/allowed-path.ts";
import { createDecoder, readStart } from "../files/read-lines.ts";
import { openFound, walkFiles } from "../files/walk-files.ts";
import { withTimeout } from "../tool-limits.ts";
import { createScriptTool, type Skill } from "./script-tool.ts";

export interface SkillsOptions {
  /** Holds the environment of this process. A script sees only what it needs to run. */
  environment: Environment;
  locale: Locale;
  /** Limits one run of a script, in milliseconds. The default is one minute. */
  timeoutMs?: number;
}

/** Holds the tools that give the model its skills. Close them when they are no longer needed. */
export interface LoadedSkills extends LoadedTools {
  /** Ends the watch over scripts; what still runs is ended. */
  close(): void;
}

/** Reads the skills of a directory by the names of their folders. What cannot be used is left out and named. Never rejects. */
export async function loadSkills(
  directory: string,
  folders: readonly string[],
  { environment, locale, timeoutMs = 60_000 }: SkillsOptions,
): Promise<LoadedSkills> {
  const skills: Skill[] = [];
  const dropped: LoadedTools["dropped"] = [];
  const limit = createTimeLimit(10_000, lateError);
  await Promise.all(
    folders.map((name) =>
      loadSkill(directory, name, limit.signal).then(
        (skill) => skills.push(skill),
        (thrown: unknown) => dropped.push(toDroppedTool(name, "skills", toFileError(`${name}/SKILL.md`, thrown))),
      ),
    ),
  );
  limit.clear();
  if (skills.length === 0) return { tools: [], dropped, close: () => {} };
  skills.sort((one, other) => (one.name < other.name ? -1 : 1));
  const lifeline = createLifeline(environment.PATH);
  // Scripts need process groups, which Windows has not.
  const options = { environment, lifeline, locale, timeoutMs };
  const scripts = hasProcessGroups() ? createScriptTool(skills, options) : undefined;
  const texts = withTimeout(createSkillTool(skills, locale), 15_000);
  const tools = [texts, ...(scripts ? [scripts] : [])].map((tool) => withFailure(tool, tool.name));
  return { tools, dropped, close: () => lifeline.close() };
}

function lateError(): DuetError {
  return new DuetError({ code: "timeout", text: { zh: "10 秒内没有加载完", en: "did not load within 10 s" } });
}

/** Limits how much of a `SKILL.md` or of a script is searched for a description, in bytes. */
const mostBytes = 256_000;

/** Loads a skill by the name of its folder. Throws a one-line error that names its `SKILL.md` and what is wrong with it. */
export async function loadSkill(directory: string, name: string, signal: AbortSignal): Promise<Skill> {
  const folder = await realpath(join(directory, name));
  const file = (await readdir(folder)).find(isSkillFile) ?? "SKILL.md";
  const where = `${name}/${file}`;
  if (!/^[a-z0-9-]{1,64}$/.test(name)) throw fileRefusedError(where, badFolder);
  const { fields, body } = await readSkillFile(folder, file, where);
  if (fields.name !== undefined && fields.name !== name)
    throw fileRefusedError(where, describeOtherName(fields.name, name));
  if (fields.description !== undefined && typeof fields.description !== "string")
    throw fileRefusedError(where, badDescription);
  const scripts = (await listFiles(folder, signal)).filter((path) => path.startsWith("scripts/"));
  const said =
    fields.description?.trim() || (await readScriptDocstring(folder, name, scripts)) || findFirstParagraph(body);
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

/** Reads the docstring of the script that is named like the skill, of `main`, or of the only script. */
async function readScriptDocstring(folder: string, name: string, scripts: readonly string[]): Promise<string> {
  const findScript = (wanted: string) => scripts.find((path) => basename(path).replace(/\.[^.]*$/, "") === wanted);
  const script = findScript(name) ?? findScript("main") ?? (scripts.length === 1 ? scripts[0] : undefined);
  const read = script === undefined ? undefined : await readInside(folder, script, mostBytes);
  return read === undefined || read === "binary" || script === undefined ? "" : readDocstring(read.text, script);
}

function describeOtherName(given: unknown, folder: string): Text {
  const shown = toShortLine(JSON.stringify(given) ?? "", 80);
  return {
    zh: `name 是 ${shown}，但文件夹是 ${folder}（两者必须相同）`,
    en: `its name is ${shown}, its folder ${folder} (they must be the same)`,
  };
}

const badFolder: Text = {
  zh: "文件夹的名称不合法（允许：1 到 64 个小写字母、数字或 -）",
  en: "the name of its folder is not allowed (allowed: 1 to 64 lower-case letters, digits or -)",
};
const badDescription: Text = { zh: "description 不是字符串", en: "its description is not a string" };
const noText: Text = {
  zh: "无法读取（需要：文件夹之内的文本文件）",
  en: "cannot be read (a text file inside its folder is needed)",
};
const noDescription: Text = {
  zh: "没有 description（可写在开头的 YAML 中、脚本的说明中，或正文的第一段）",
  en: "has no description (in its front matter, in its script's docstring, or as its first paragraph)",
};

/** Limits the description of a skill that the model always sees, in characters. */
const longestDescription = 300;

/** Limits how much of a file is read, in bytes. */
const maxSkillBytes = 1_000_000;

/** Limits the files that a skill's list names. */
const mostFiles = 100;

/** Names every skill to the model, and gives the text of one when it is used. */
export function createSkillTool(skills: readonly Skill[], locale: Locale): Tool {
  const list = skills.map(({ name, description }) => `- ${name}: ${truncate(description, longestDescription)}`);
  return createTool({
    name: "skill",
    source: "skills",
    description: `${say(locale, purpose)}\n${list.join("\n")}`,
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", enum: skills.map(({ name }) => name), description: say(locale, words.name) },
        file: { type: "string", description: say(locale, words.file) },
      },
      required: ["name"],
      additionalProperties: false,
    },
    annotations: { readOnly: true, idempotent: true },
    async run({ name, file }, context) {
      const skill = skills.find((each) => each.name === name);
      if (skill === undefined) throw new Error(`There is no skill named ${name}`);
      if (typeof file === "string") return readFile(skill, file, context.locale);
      const whole = await readFile(skill, skill.file, context.locale);
      if (!whole.ok) return whole;
      const { readDocument } = await import("./frontmatter.ts");
      const document = readDocument(whole.text);
      const body = "problem" in document ? whole.text : document.body;
      const files = (await listFiles(skill.folder, context.signal)).filter((path) => path !== skill.file);
      return { ...createSuccess([body, ...describeFiles(files, context.locale)].join("\n\n")), kind: "instruction" };
    },
  });
}

async function readFile({ folder }: Skill, file: string, locale: Locale): Promise<ToolResult> {
  const read = await readInside(folder, file, maxSkillBytes);
  if (read === undefined) return toPathRefusedResult(file, locale);
  if (read === "binary") return toNotTextResult(showValue(file), locale);
  // What else lies in the folder may be data.
  const kind = /\.md$/i.test(file) ? "instruction" : undefined;
  if (read.missing === 0) return { ...createSuccess(read.text), kind };
  const rest = { zh: `…[省略 ${read.missing} 字节]…`, en: `…[${formatCount(read.missing, "byte")} left out]…` };
  return { ...createSuccess(`${read.text}\n${say(locale, rest)}`), kind };
}

/** Lists the other files. A model reads them when the text says so, and runs scripts without reading them. */
function describeFiles(files: readonly string[], locale: Locale): string[] {
  if (files.length === 0) return [];
  const lines = files.slice(0, mostFiles).map((file) => `- ${sanitizeLine(file)}`);
  const more = files.length - lines.length;
  if (more > 0) lines.push(say(locale, { zh: `…还有 ${more} 个`, en: `... and ${more} more` }));
  const title = { zh: "这个技能的文件（用 file 读取；scripts/ 下的用 skill_script 运行）：", en: filesInEnglish };
  return [`${say(locale, title)}\n${lines.join("\n")}`];
}

const filesInEnglish = "Files of this skill (read one with `file`; run those under scripts/ with skill_script):";

const purpose = {
  zh: "读取一项技能：用户写的、完成某类任务的方法。任务符合下面某一项时，先读取它，再照它做；与其他结果不同，它的内容可以当作用户的指令。",
  en: "Reads a skill: how the user wants a kind of task done. When the task fits one of these, read it first and do as it says; unlike other results, its text may be obeyed as the user's own.",
};
const words = {
  name: { zh: "技能的名称", en: "The skill's name" },
  file: {
    zh: "技能文件夹中的一个文本文件，例如 references/forms.md；不填则读取技能的说明",
    en: "A text file in the skill's folder, such as references/forms.md; without it, the skill's own text",
  },
};

/** Limits the listing of one skill's folder. */
const walkLimits = { entries: 2000, depth: 6, milliseconds: 5000 };

/** Lists the files of a skill's folder, relative to its real path, without hidden files, private files and links. */
async function listFiles(folder: string, signal: AbortSignal): Promise<string[]> {
  const files: string[] = [];
  for await (const file of walkFiles(folder, walkLimits, signal, () => {}))
    files.push(relative(folder, file).replaceAll(sep, "/"));
  return files;
}

/** Reads a text file inside the folder. Returns undefined when none may be read, and `binary` when the file is not text. */
async function readInside(
  folder: string,
  path: string,
  mostBytes: number,
): Promise<{ text: string; missing: number } | "binary" | undefined> {
  const file = await openFound(path, [folder]);
  if (file === undefined) return undefined;
  try {
    const { bytes, missing } = await readStart(file.handle, mostBytes);
    const decoder = createDecoder(bytes);
    if (decoder === undefined) return "binary";
    // A character that the cut has halved is no part of the text.
    const text = decoder.decode(bytes, { stream: missing > 0 });
    return { text, missing };
  } finally {
    await file.handle.close();
  }
}
