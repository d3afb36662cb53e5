import * as z from "zod";
import { modes } from "../core/run/modes.ts";
import { jsonValueSchema } from "../core/schemas/json-value-schema.ts";

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

const idPattern = /^[\w.-]{1,100}$/;

const caseSchema = z.strictObject({
  id: z
    .string()
    .refine((id) => idPattern.test(id), {
      params: {
        allowed: { zh: "1 到 100 个英文字母、数字或 _ . -", en: "1 to 100 of the characters a-z A-Z 0-9 _ . -" },
      },
    })
    .meta({ pattern: idPattern.source, description: "1 to 100 letters, digits or _ . -, unique in the file." }),
  question: text.refine((question) => question.trim() !== "", {
    params: { allowed: { zh: "不全是空白的文本", en: "a text that is not all blanks" } },
  }),
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

/** Lets a judge be no pair. */
const judgePattern = /^(?=.*\S)[^+]+$/;

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
  judge: text
    .refine((judge) => judgePattern.test(judge), {
      params: {
        allowed: { zh: "单个模型，写作 provider/model", en: "one model, as provider/model" },
      },
    })
    .optional()
    .meta({ pattern: judgePattern.source, description: "The model that judges, provider/model." }),
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
