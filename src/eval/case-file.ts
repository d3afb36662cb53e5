import { readFile } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import * as z from "zod";
import { configError, joinConfigErrors } from "../config/config-errors.ts";
import { findFaults } from "../config/schema/check-source.ts";
import { parseOnce } from "../config/schema/file-schema.ts";
import { parseJson } from "../config/sources/parse-json.ts";
import { createFileSource } from "../config/sources/source.ts";
import { modes } from "../core/modes.ts";
import { jsonValueSchema } from "../core/schemas/outcome-schema.ts";
import { findPermitProblem } from "../core/tools/tool-pattern.ts";
import type { DuetError } from "../kit/errors.ts";
import { getMessage } from "../kit/errors.ts";

const text = z.string().min(1).max(20_000);
const patterns = z.array(z.string().min(1).max(200)).max(100);
const share = z.number().min(0).max(1);

const expectedCallSchema = z.strictObject({
  tool: text.meta({ description: "The name of the tool; * is any run of characters." }),
  arguments: z.record(z.string(), jsonValueSchema).optional().meta({
    description:
      'What the arguments must hold; others may be there. {"$matches": "regular expression"} and {"$oneOf": [...]} stand for a value.',
  }),
});

const checkSchema = z.union([
  z.strictObject({
    contains: z.union([text, z.array(text).min(1)]).meta({ description: "All of these; case is ignored." }),
  }),
  z.strictObject({
    lacks: z.union([text, z.array(text).min(1)]).meta({ description: "None of these; case is ignored." }),
  }),
  z.strictObject({
    matches: text.meta({ description: "A regular expression of JavaScript, with the flags i and u." }),
  }),
  z.strictObject({
    schema: z
      .record(z.string(), jsonValueSchema)
      .meta({ description: "A JSON Schema of an object: the answer is asked for in this form, and has to match." }),
  }),
  z.strictObject({
    citations: z.strictObject({
      atLeast: z.int().min(0).default(1),
      urls: patterns.optional().meta({ description: "Patterns of addresses, of which each has to be cited." }),
    }),
  }),
  z.strictObject({
    judge: text.meta({ description: "What a good answer has, for the model that judges." }),
    atLeast: share.default(0.7).meta({ description: "The lowest mark, from 0 to 1, that passes." }),
  }),
]);

const caseSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[\w.-]{1,100}$/)
    .meta({ description: "1 to 100 letters, digits or _ . -, unique in the file." }),
  question: text,
  group: z.string().max(100).optional().meta({ description: "What the report sums up by." }),
  mode: z.enum(modes).default("agent"),
  tools: patterns.optional().meta({ description: "Patterns of the tools on offer; all when absent." }),
  calls: z
    .array(expectedCallSchema)
    .max(50)
    .optional()
    .meta({ description: "The calls that have to be made; [] means none. Calls do not count when absent." }),
  order: z.enum(["any", "same"]).default("any").meta({ description: "same: the calls are made in this order." }),
  alsoAllowed: patterns
    .default([])
    .meta({ description: "Patterns of tools whose calls are neither needed nor wrong." }),
  answer: z.array(checkSchema).max(50).default([]).meta({ description: "Checks on the answer. All have to pass." }),
  timeout: z.number().positive().max(3600).optional().meta({ description: "Limits the run, in seconds." }),
});

const targetsSchema = z.strictObject({
  success: share.optional().meta({ description: "The least share of attempts that succeed." }),
  toolChoice: share.optional().meta({ description: "The least share of attempts with the right tools." }),
  arguments: share.optional().meta({ description: "The least share of these with the right arguments." }),
  quality: share.optional().meta({ description: "The least mean mark of the judge." }),
  callSeconds: z.number().positive().optional().meta({ description: "The longest call of a tool." }),
  firstTextSeconds: z
    .number()
    .positive()
    .optional()
    .meta({ description: "The longest median time to the first text." }),
  tokenSaving: z
    .number()
    .max(1)
    .optional()
    .meta({ description: "The least share of request tokens that the answer model saves against answering alone." }),
  drop: share.default(0).meta({ description: "How far the success rate may fall below the baseline." }),
});

export const caseFileSchema = z.strictObject({
  $schema: z.string().optional(),
  models: z
    .array(text)
    .max(50)
    .optional()
    .meta({ description: "Pairs, decider+answerer, or one model that does both, each provider/model." }),
  prompts: z
    .record(z.string().regex(/^(?!default$)[\w.-]{1,50}$/), z.strictObject({ directory: text }))
    .optional()
    .meta({ description: "Folders of prompts by name, beside the built-in ones." }),
  judge: text.optional().meta({ description: "The model that judges, provider/model." }),
  recordedTools: text.optional().meta({ description: "A file of recorded tools that stands for all real ones." }),
  repeat: z.int().min(1).max(1000).default(1),
  targets: targetsSchema.optional(),
  cases: z.array(caseSchema).min(1).max(10_000),
});

export type CaseFile = z.infer<typeof caseFileSchema>;
export type EvalCase = CaseFile["cases"][number];
export type ExpectedCall = z.infer<typeof expectedCallSchema>;
export type AnswerCheck = z.infer<typeof checkSchema>;
export type Targets = z.infer<typeof targetsSchema>;

/** Returns the JSON Schema of case files in draft 7, which editors support. */
export function createCaseFileJsonSchema(): Record<string, unknown> {
  const titled = caseFileSchema.meta({ title: "Cases of duet eval" });
  return {
    ...z.toJSONSchema(titled, { target: "draft-7", io: "input" }),
    allowComments: true,
    allowTrailingCommas: true,
  };
}

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
  const faults = findFaults(source, caseFileSchema).map(({ error }) => error);
  if (faults.length > 0) throw joinConfigErrors(faults);
  const read = caseFileSchema.parse(tree, parseOnce);
  const wrong = findWrongCases(read, shown);
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

/** Finds what the schema cannot say. */
function findWrongCases({ cases, judge }: CaseFile, shown: string): DuetError[] {
  const ids = new Set<string>();
  return cases.flatMap((one, index) => {
    const place = `${shown}: cases[${index}]`;
    const isTwice = ids.has(one.id);
    ids.add(one.id);
    const twice = { zh: `id ${JSON.stringify(one.id)} 重复`, en: `the id ${JSON.stringify(one.id)} is there twice` };
    return [
      ...(isTwice ? [configError(place, twice)] : []),
      ...[...(one.tools ?? []), ...one.alsoAllowed].flatMap((pattern) => {
        const allowed = findPermitProblem(pattern);
        const shownPattern = JSON.stringify(pattern);
        return allowed === undefined
          ? []
          : [configError(place, { zh: `${shownPattern}：${allowed.zh}`, en: `${shownPattern}: ${allowed.en}` })];
      }),
      ...one.answer.flatMap((check) => {
        if ("judge" in check && judge === undefined) return [configError(place, noJudge)];
        if (!("matches" in check)) return [];
        const why = findPatternProblem(check.matches);
        return why === undefined ? [] : [configError(place, { zh: `matches：${why}`, en: `matches: ${why}` })];
      }),
    ];
  });
}

const noJudge = {
  zh: "judge 需要文件中的 judge 指定评判模型（provider/model）",
  en: 'judge needs "judge" in the file to name the model that judges (provider/model)',
};

function findPatternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern, "iu");
    return undefined;
  } catch (thrown) {
    return getMessage(thrown);
  }
}
