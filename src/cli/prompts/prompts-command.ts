import { writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import {
  type CustomPrompt,
  choosePrompt,
  type FileName,
  isFileName,
  listPlaceholders,
  partNames,
  promptNames,
} from "../../agent/prompts/choose-prompt.ts";
import { createBuiltInPrompts } from "../../agent/prompts/prompts.ts";
import { promptUses } from "../../app/agent/prompt-uses.ts";
import { readUserPrompts } from "../../app/agent/user-prompts.ts";
import { chooseModels } from "../../app/models/model-registry.ts";
import type { Config } from "../../config/config.ts";
import { findNearest, notAllowedError, unwritableFileError } from "../../config/config-errors.ts";
import { isRecord } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { createFolder } from "../../kit/private-file.ts";
import { sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";
import { toJsonText, toTable } from "../config-command.ts";

export interface PromptsCommand {
  config: Config;
  output: "text" | "json";
  /** Takes whole lines, for stdout. */
  write(text: string): void;
}

const names: readonly FileName[] = [...promptNames, ...partNames];

/** Lists the prompts with what each is for and the files that replace it. Throws a `config` error for an invalid file. */
export async function listPrompts({ config, output, write }: PromptsCommand): Promise<void> {
  const { locale, prompts } = config;
  const own = await readOwn(config);
  const rows = names.map((name) => ({ name, files: own.filter((prompt) => prompt.name === name) }));
  if (output === "json") {
    const listed = rows.map(({ name, files }) => ({
      name,
      used_for: say(locale, promptUses[name]),
      variables: listPlaceholders(name),
      files: files.map(toFileJson),
    }));
    return write(toJsonText({ directory: prompts.directory ?? null, prompts: listed }));
  }
  const builtIn = say(locale, { zh: "内置", en: "built in" });
  const header = [
    { zh: "名称", en: "name" },
    { zh: "用途", en: "used for" },
    { zh: "来源", en: "source" },
  ].map((text) => say(locale, text));
  const cells = rows.map(({ name, files }) => {
    const isReplaced = files.some(({ family, locale: one }) => family === undefined && one === undefined);
    const sources = [...(isReplaced ? [] : [builtIn]), ...files.map(({ file = "" }) => sanitizeLine(file))];
    return [name, say(locale, promptUses[name]), sources.join(", ")];
  });
  write(toTable([header, ...cells]));
}

function toFileJson({ file, locale, family }: CustomPrompt) {
  return { file, language: locale ?? null, family: family ?? null };
}

/**
 * Shows a prompt as the models in force get it in the language of the configuration, before its variables are filled in. Throws
 * a `config` error for an unknown name or an invalid file.
 */
export async function showPrompt({ config, output, write }: PromptsCommand, wanted: string): Promise<void> {
  const name = readName(wanted);
  const { locale } = config;
  const { functionCall, answer = functionCall } = await chooseModels(config);
  const choice = name === "answer" || name === "chat" ? answer : functionCall;
  const model = { provider: choice.provider, model: choice.model };
  const chosen = choosePrompt(await readOwn(config), name, { model, locale });
  const text = chosen?.text ?? createBuiltInPrompts()(name, locale);
  if (output === "json") return write(toJsonText({ name, language: locale, file: chosen?.file ?? null, text }));
  write(`${sanitize(text)}\n`);
}

/**
 * Writes the built-in prompts, or those that are named, in both languages into a folder that `prompts.directory` can name. Files
 * that exist stay as they are. Throws a `config` error for an unknown name, and where a file cannot be written.
 */
export async function exportPrompts(
  { config, output, write }: PromptsCommand,
  { folder, wanted }: { folder: string; wanted: readonly string[] },
): Promise<void> {
  const chosen = wanted.length === 0 ? names : [...new Set(wanted.map(readName))];
  const read = createBuiltInPrompts();
  const written: string[] = [];
  const kept: string[] = [];
  for (const locale of ["en", "zh"] as const) {
    openFolder(join(folder, locale));
    for (const name of chosen) {
      const file = join(folder, locale, `${name}.md`);
      const list = (await writeNew(file, `${read(name, locale)}\n`)) ? written : kept;
      list.push(file);
    }
  }
  if (output === "json") return write(toJsonText({ folder, written, kept }));
  write(describeExport({ setting: toSetting(folder, config), written, kept }, config.locale));
}

/** Returns the folder as the configuration names it: relative to the file. */
function toSetting(folder: string, { file }: Config): string {
  const path = file === undefined ? resolve(folder) : relative(dirname(file), resolve(folder));
  return path === "" || /^\w/.test(path) ? `./${path}` : path;
}

interface Export {
  /** Is what the configuration says to use the files. */
  setting: string;
  written: readonly string[];
  kept: readonly string[];
}

function describeExport({ setting, written, kept }: Export, locale: Locale): string {
  const place = sanitizeLine(setting);
  const lines = [
    ...written.map((file) => ({ zh: `已写入 ${sanitizeLine(file)}`, en: `Wrote ${sanitizeLine(file)}` })),
    ...kept.map((file) => ({
      zh: `已存在，保持不变：${sanitizeLine(file)}`,
      en: `Exists and stays as it is: ${sanitizeLine(file)}`,
    })),
    {
      zh: `在配置中写 "prompts": { "directory": ${JSON.stringify(place)} } 即可使用。只留下要修改的文件：其余的会随新版本改进。`,
      en: `To use them: "prompts": { "directory": ${JSON.stringify(place)} } in the configuration. Keep only the files that you change: the others improve with new versions.`,
    },
  ];
  return lines.map((line) => `${say(locale, line)}\n`).join("");
}

/** Returns false when the file exists. */
async function writeNew(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: "wx" });
    return true;
  } catch (thrown) {
    if (isRecord(thrown) && thrown.code === "EEXIST") return false;
    return refuseFile(file)(thrown);
  }
}

function openFolder(folder: string): void {
  try {
    createFolder(resolve(folder), 0o777);
  } catch (thrown) {
    refuseFile(folder)(thrown);
  }
}

function refuseFile(file: string): (thrown: unknown) => never {
  return (thrown) => {
    throw unwritableFileError(file, thrown);
  };
}

async function readOwn({ prompts: { directory } }: Config): Promise<CustomPrompt[]> {
  return directory === undefined ? [] : readUserPrompts(directory);
}

function readName(wanted: string): FileName {
  const name = wanted.replace(/\.md$/, "");
  if (isFileName(name)) return name;
  const near = findNearest(name, names);
  const list = names.join(", ");
  throw notAllowedError("prompts", JSON.stringify(sanitizeLine(wanted)), {
    zh: near === undefined ? list : `${list}；是否想写 ${near}？`,
    en: near === undefined ? list : `${list}; did you mean ${near}?`,
  });
}
