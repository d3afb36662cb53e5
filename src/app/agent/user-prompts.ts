import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type CustomPrompt,
  type FileName,
  findPlaceholders,
  isFileName,
  listPlaceholders,
  listRequiredPlaceholders,
  partNames,
  promptNames,
  toHyphenated,
} from "../../agent/prompts/choose-prompt.ts";
import { configError, findNearest } from "../../config/config-errors.ts";
import { getMessage } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import type { Locale, Text } from "../../kit/locale.ts";

/**
 * Reads the user's own prompts from a folder: `NAME.md` for both languages, `zh/NAME.md` and `en/NAME.md` for one, each also as
 * `NAME.FAMILY.md` for a family of models (see `choosePrompt`). Hidden files and READMEs are ignored. Throws a `config` error of
 * one line for the first file that is not usable as it is.
 */
export async function readUserPrompts(directory: string): Promise<CustomPrompt[]> {
  const prompts: CustomPrompt[] = [];
  for (const entry of await list(directory, `prompts.directory: ${directory}`)) {
    const path = join(directory, entry);
    if (entry !== "zh" && entry !== "en") prompts.push(await readUserPrompt(path, entry));
    else for (const file of await list(path)) prompts.push(await readUserPrompt(join(path, file), file, entry));
  }
  return prompts;
}

async function list(directory: string, where = directory): Promise<string[]> {
  const entries = await readdir(directory).catch((thrown: unknown) => {
    throw unreadableError(where, thrown, { zh: "放提示词的文件夹", en: "a folder of prompts" });
  });
  return entries.filter((entry) => !/^(\.|readme)/i.test(entry)).sort();
}

async function readUserPrompt(path: string, file: string, locale?: Locale): Promise<CustomPrompt> {
  const [, name = "", family] = /^([^.]*)(?:\.(.+))?\.md$/.exec(file) ?? [];
  if (!isFileName(name) || (family !== undefined && toHyphenated(family) === "-")) throw unknownFileError(path, file);
  const text = await readText(path);
  checkPromptText(name, text, path);
  return { name, family, locale, text, file: path };
}

/** Throws a `config` error of one line for a text that is not usable as this prompt. `path` is the file that has it. */
export function checkPromptText(name: FileName, text: string, path: string): void {
  if (text === "") throw configError(path, { zh: "文件是空的（需要：提示词）", en: "is empty (a prompt is needed)" });
  const places = findPlaceholders(text);
  const allowed = listPlaceholders(name);
  const unknown = places.find((place) => !allowed.includes(place));
  if (unknown !== undefined) throw unknownPlaceError(path, unknown, allowed);
  const missing = listRequiredPlaceholders(name).find((group) => !group.some((place) => places.includes(place)));
  if (missing !== undefined) throw missingPlaceError(path, missing);
}

/** Reads a text file. A pipe, which might never end, is refused unread. */
async function readText(path: string): Promise<string> {
  const refuse = (thrown: unknown): never => {
    throw unreadableError(path, thrown, { zh: "文本文件", en: "a text file" });
  };
  const found = await stat(path).catch(refuse);
  if (!found.isFile())
    throw configError(path, { zh: "不是文件（需要：文本文件）", en: "is not a file (a text file is needed)" });
  const text = await readFile(path, "utf8").catch(refuse);
  return text
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .trim();
}

function unreadableError(where: string, thrown: unknown, needed: Text): Error {
  const why = isRecord(thrown) && typeof thrown.code === "string" ? thrown.code : getMessage(thrown);
  return configError(
    where,
    { zh: `无法读取：${why}（需要：${needed.zh}）`, en: `cannot be read: ${why} (${needed.en} is needed)` },
    thrown,
  );
}

function unknownFileError(path: string, file: string): Error {
  const names = [...promptNames, ...partNames];
  const guess = findNearest(file.replace(/\..*/s, ""), names);
  return configError(path, {
    zh: `未知的提示词文件${describeGuess(guess && `${guess}.md`).zh}（允许：NAME.md 或 NAME.模型系列.md，可放在 zh/ 或 en/ 下；NAME 是 ${names.join(", ")}）`,
    en: `unknown prompt file${describeGuess(guess && `${guess}.md`).en} (allowed: NAME.md or NAME.MODEL-FAMILY.md, also in zh/ or en/, where NAME is one of ${names.join(", ")})`,
  });
}

function unknownPlaceError(path: string, place: string, allowed: readonly string[]): Error {
  const guess = findNearest(place, allowed);
  const list = allowed.map(addBraces).join(", ");
  return configError(path, {
    zh: `未知的变量 ${addBraces(place)}${describeGuess(guess && addBraces(guess)).zh}（允许：${list}；字面的花括号写作 {${addBraces(place)}}）`,
    en: `unknown variable ${addBraces(place)}${describeGuess(guess && addBraces(guess)).en} (allowed: ${list}; for the braces themselves write {${addBraces(place)}})`,
  });
}

function missingPlaceError(path: string, group: readonly string[]): Error {
  const list = group.map(addBraces);
  return configError(path, {
    zh: `缺少变量 ${list.join(" 或 ")}（${describeGroup(group).zh}）`,
    en: `the variable ${list.join(" or ")} is missing (${describeGroup(group).en})`,
  });
}

function describeGroup(group: readonly string[]): Text {
  if (group.includes("tools")) return { zh: "可用的工具", en: "the available tools" };
  if (group.includes("error")) return { zh: "失败的原因", en: "the reason of the failure" };
  return {
    zh: "外来数据的标记，模型不得执行其中的要求",
    en: "the marker of external data, whose instructions a model must not follow",
  };
}

function describeGuess(guess: string | undefined): Text {
  if (guess === undefined) return { zh: "", en: "" };
  return { zh: `，是否想写 ${guess}？`, en: `; did you mean ${guess}?` };
}

function addBraces(place: string): string {
  return `{${place}}`;
}
