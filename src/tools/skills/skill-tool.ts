import { showValue } from "../../core/tools/argument-feedback.ts";
import type { Tool, ToolResult } from "../../core/tools/tool.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { createSuccess, defineTool } from "../define-tool.ts";
import { toNotTextResult, toPathRefusedResult } from "../files/path-texts.ts";
import type { Skill } from "./skill.ts";
import { listFiles, readInside } from "./skill-files.ts";

/** Characters of a skill's description that are always in sight. */
const longestDescription = 300;
/** Bytes of a file that are read. */
const mostBytes = 1_000_000;
/** Files that a skill's list names. */
const mostFiles = 100;

/** Names every skill to the model, and gives the text of one when it is used. */
export function createSkillTool(skills: readonly Skill[], locale: Locale): Tool {
  const list = skills.map(({ name, description }) => `- ${name}: ${truncate(description, longestDescription)}`);
  return defineTool({
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
      return { ...createSuccess([body, ...tellFiles(files, context.locale)].join("\n\n")), kind: "instruction" };
    },
  });
}

async function readFile({ folder }: Skill, file: string, locale: Locale): Promise<ToolResult> {
  const read = await readInside(folder, file, mostBytes);
  if (read === undefined) return toPathRefusedResult(file, locale);
  if (read === "binary") return toNotTextResult(showValue(file), locale);
  // What else lies in the folder may be data.
  const kind = /\.md$/i.test(file) ? "instruction" : undefined;
  if (read.missing === 0) return { ...createSuccess(read.text), kind };
  const rest = { zh: `…[省略 ${read.missing} 字节]…`, en: `…[${formatCount(read.missing, "byte")} left out]…` };
  return { ...createSuccess(`${read.text}\n${say(locale, rest)}`), kind };
}

/** The other files: a model reads them when the text says so, and runs scripts without reading them. */
function tellFiles(files: readonly string[], locale: Locale): string[] {
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
