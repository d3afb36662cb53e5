import * as z from "zod";
import { questionSchemas } from "../questions/user-question.ts";
import { modeSchema, outcomeSchema, statusSchema } from "./outcome-schema.ts";

const time = z.iso.datetime().meta({ description: "UTC." });

/** Holds the fields of all kinds of questions. Each is present only for the kinds that have it. */
const { message: _, ...fieldSchemas }: Record<string, z.ZodType> = Object.fromEntries(
  Object.values(questionSchemas).flatMap(({ fields }) =>
    Object.entries<z.ZodType>(fields.shape).map(([name, field]) => [toFieldName(name), field.optional()]),
  ),
);

/** Describes a question of a run that waits for a person. Its message contains the whole question as text. */
export const questionSchema = z
  .object({
    question_id: z.string(),
    kind: z.enum(Object.keys(questionSchemas)),
    message: z.string(),
    ...fieldSchemas,
    expires_at: time,
  })
  .meta({ description: "Answered by POST /agent/runs/{id}/reply." });

export type QuestionJson = z.infer<typeof questionSchema>;

/** Describes the body of `POST /agent/runs/{id}/reply`. */
export const replySchema = z.strictObject({
  question_id: z.string().min(1).max(200),
  answer: z
    .union(Object.values(questionSchemas).map(({ reply }) => reply))
    .meta({ description: "call: one of the words. plan: with reply. form and url: with action." }),
});

/** Describes the response of `GET /agent/runs/{id}`. */
export const runSchema = z.object({ ...outcomeSchema.shape, waits_for: questionSchema.nullable() });

export type RunJson = z.infer<typeof runSchema>;

export const runEntrySchema = z.object({
  run_id: z.string(),
  conversation_id: z.string().meta({ description: "Empty until the run has one, and for runs of /v1." }),
  question: z.string(),
  mode: modeSchema,
  parent: z.int().nullable().meta({ description: "The turn that the question follows, where it names one." }),
  queue_id: z.string().nullable().meta({ description: "The waiting question that it answers." }),
  status: statusSchema,
  waits: z.boolean().meta({ description: "Whether a question of the run is waiting for a person." }),
  started_at: time,
});

export type RunEntryJson = z.infer<typeof runEntrySchema>;

/** Describes the response of `GET /agent/runs/{id}/steps/{step}`. */
export const stepResultSchema = z.object({
  run_id: z.string(),
  step: z.int().meta({ description: "As in the trace: calls in the order in which they began, from 1." }),
  tool: z.string(),
  ok: z.boolean(),
  text: z.string().meta({ description: "A part of the tool's own output." }),
  offset: z.int().meta({ description: "In UTF-16 units, as all places here." }),
  total: z.int(),
  next_offset: z.int().nullable().meta({ description: "The offset of the next part; null on the last one." }),
  left_out: z.int().meta({ description: "How much of the output was not stored." }),
});

export type StepResultJson = z.infer<typeof stepResultSchema>;

/** Describes the response of `GET /agent/runs`. */
export const runListSchema = z.object({
  runs: z.array(runEntrySchema).meta({ description: "The latest first." }),
  next_offset: z.int().nullable().meta({ description: "The offset of the next page; null on the last one." }),
});

export type RunListJson = z.infer<typeof runListSchema>;

/** Writes the name of a field as the API has it: `only_once`. */
export function toFieldName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
