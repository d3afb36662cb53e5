import * as z from "zod";
import { planStepSchema } from "./events-schema.ts";
import { jsonValueSchema, outcomeSchema, statusSchema } from "./outcome-schema.ts";

const time = z.iso.datetime().meta({ description: "UTC." });

/** Describes a question of a run that waits for a person. */
export const questionSchema = z
  .object({
    question_id: z.string(),
    kind: z.enum(["call", "plan", "form", "url"]),
    /** Contains the whole question as text. */
    message: z.string(),
    tool: z.string().optional().meta({ description: "call: what is to run." }),
    arguments: z.record(z.string(), jsonValueSchema).optional(),
    rule: z.string().optional().meta({ description: "call: why it asks." }),
    only_once: z.boolean().optional().meta({ description: "call: a yes is valid for this call only." }),
    from: z.string().optional().meta({ description: "form and url: the server that asks." }),
    steps: z.array(planStepSchema).readonly().optional().meta({ description: "plan." }),
    schema: z.record(z.string(), z.unknown()).optional().meta({ description: "form: the JSON Schema of its fields." }),
    url: z.string().optional().meta({ description: "url: the page to open." }),
    expires_at: time,
  })
  .meta({ description: "Answered by POST /agent/runs/{id}/reply." });

export type QuestionJson = z.infer<typeof questionSchema>;

/** Accepts the answers about a call. An answer applies once or permanently, as the question itself says. */
export const callAnswerSchema = z.enum(["once", "conversation", "no", "never"]);

/** Accepts the answers about a call that must be approved each time. */
export const onceAnswerSchema = callAnswerSchema.extract(["once", "no"]);

export const planAnswerSchema = z.discriminatedUnion("reply", [
  z.strictObject({ reply: z.literal("yes") }),
  z.strictObject({ reply: z.literal("no") }),
  z.strictObject({ reply: z.literal("edit"), words: z.string().trim().min(1).max(10_000) }),
]);

export const formAnswerSchema = z.discriminatedUnion("action", [
  z.strictObject({
    action: z.literal("accept"),
    content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
  }),
  z.strictObject({ action: z.literal("decline") }),
  z.strictObject({ action: z.literal("cancel") }),
]);

export const urlAnswerSchema = z.strictObject({ action: z.enum(["accept", "decline", "cancel"]) });

/** Describes the body of `POST /agent/runs/{id}/reply`. */
export const replySchema = z.strictObject({
  question_id: z.string().min(1).max(200),
  answer: z
    .union([callAnswerSchema, planAnswerSchema, formAnswerSchema, urlAnswerSchema])
    .meta({ description: "call: one of the words. plan: with reply. form and url: with action." }),
});

export type ReplyJson = z.infer<typeof replySchema>;

/** Describes the response of `GET /agent/runs/{id}`. */
export const runSchema = z.object({ ...outcomeSchema.shape, waits_for: questionSchema.nullable() });

export type RunJson = z.infer<typeof runSchema>;

export const runEntrySchema = z.object({
  run_id: z.string(),
  conversation_id: z.string().meta({ description: "Empty until the run has one, and for runs of /v1." }),
  question: z.string(),
  status: statusSchema,
  waits: z.boolean().meta({ description: "Whether a question of the run is waiting for a person." }),
  started_at: time,
});

export type RunEntryJson = z.infer<typeof runEntrySchema>;

/** Describes the response of `GET /agent/runs`. */
export const runListSchema = z.object({
  runs: z.array(runEntrySchema).meta({ description: "The latest first." }),
  next_offset: z.int().nullable().meta({ description: "The offset of the next page; null on the last one." }),
});

export type RunListJson = z.infer<typeof runListSchema>;
