import { readFile } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { configError, joinConfigErrors } from "../config/config-errors.ts";
import { findFaults } from "../config/schema/check-source.ts";
import { parseOnce } from "../config/schema/object-schema.ts";
import { parseJson } from "../config/sources/parse-json.ts";
import { createFileSource } from "../config/sources/source.ts";
import { describeMissing } from "../core/schemas/describe-issue.ts";
import { getMessage } from "../kit/errors.ts";
import { isEmptyRecord } from "../kit/json.ts";
import { type CaseFile, caseFileSchema } from "./case-file.ts";
import { findWrongCases } from "./find-wrong-cases.ts";

const someCases = { zh: "1 到 10000 个用例的列表", en: "a list of 1 to 10000 cases" };
const noCheck = {
  zh: "不是检查项（允许：一个对象，含 contains、lacks、matches、judge（文本；judge 可带 atLeast）、schema、citations（对象）之一）",
  en: "is no check (allowed: an object with one of contains, lacks, matches, judge (texts; judge also with atLeast), schema, citations (objects))",
};

/** Limits a case file, in bytes. */
const mostBytes = 20_000_000;

/**
 * Reads a file of cases: JSON with comments, or in a file `*.jsonl` a case on each line. Paths in it become absolute. Throws a
 * `config` error that has a line for each fault.
 */
export async function readCaseFile(file: string): Promise<CaseFile> {
  const shown = basename(file);
  const tree = await parseFile(file, shown);
  const source = createFileSource(file, shown, tree, tree, []);
  if (isEmptyRecord(tree)) throw configError(`${shown}: cases`, describeMissing(someCases));
  const faults = findFaults(source, caseFileSchema).map(({ path, error }) => {
    const [list, index, field, check, ...within] = path;
    const isCheck = list === "cases" && field === "answer" && check !== undefined && within.length === 0;
    // What a schema says of a choice of objects names none of their keys.
    return isCheck ? configError(`${shown}: cases[${index}].answer[${check}]`, noCheck) : error;
  });
  if (faults.length > 0) throw joinConfigErrors(faults);
  const read = caseFileSchema.parse(tree, parseOnce);
  const wrong = await findWrongCases(read, shown);
  if (wrong.length > 0) throw joinConfigErrors(wrong);
  const folder = dirname(resolve(file));
  const prompts = Object.entries(read.prompts ?? {}).map(([name, { directory }]) => [
    name,
    { directory: resolve(folder, directory) },
  ]);
  return {
    ...read,
    ...(read.prompts && { prompts: Object.fromEntries(prompts) }),
    ...(read.recordedTools && { recordedTools: resolve(folder, read.recordedTools) }),
  };
}

async function parseFile(file: string, shown: string): Promise<unknown> {
  let written: string;
  try {
    written = await readFile(file, "utf8");
  } catch (thrown) {
    const why = getMessage(thrown);
    throw configError(file, { zh: `无法读取：${why}`, en: `cannot be read: ${why}` }, thrown);
  }
  if (written.length > mostBytes)
    throw configError(file, {
      zh: `过大（允许：${mostBytes} 字节）`,
      en: `is too large (allowed: ${mostBytes} bytes)`,
    });
  if (extname(file) !== ".jsonl") return parseJson(written, shown);
  const lines = written.split("\n").map((line, index) => ({ line, number: index + 1 }));
  const cases = lines.filter(({ line }) => line.trim() !== "");
  return { cases: await Promise.all(cases.map(({ line, number }) => parseJson(line, shown, false, number))) };
}
