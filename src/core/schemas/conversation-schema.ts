import * as z from "zod";
import { citationSchema, modeSchema, statusSchema } from "./outcome-schema.ts";

const time = z.iso.datetime().meta({ description: "UTC." });

const titleSchema = z.string().meta({
  description: "The name a person gave it, else the first line of the first question; empty while no run has ended.",
});

export const conversationEntrySchema = z.object({
  conversation_id: z.string(),
  title: titleSchema,
  named_by_person: z
    .boolean()
    .meta({ description: "A conversation that a person has named is never removed unasked." }),
  pinned: z.boolean().meta({ description: "Neither is one that a person has pinned." }),
  turns: z.int(),
  created_at: time,
  updated_at: time,
});

export type ConversationEntryJson = z.infer<typeof conversationEntrySchema>;

/** Describes the response of `GET /agent/conversations`. */
export const conversationListSchema = z.object({
  conversations: z.array(conversationEntrySchema).meta({ description: "The latest first." }),
  next_offset: z.int().nullable().meta({ description: "The offset of the next page; null on the last one." }),
});

export type ConversationListJson = z.infer<typeof conversationListSchema>;

const attachmentSchema = z
  .object({ name: z.string(), media_type: z.string(), size: z.int() })
  .meta({ description: "An image or a document that came with the question; its size is in bytes." });

/**
 * Describes a whole conversation as every interface returns it. Its keys are in `snake_case`, like all JSON output.
 */
export const conversationSchema = z.object({
  conversation_id: z.string(),
  title: titleSchema,
  mode: modeSchema.optional().meta({ description: "The mode of its last run that has ended." }),
  models: z
    .object({ function_call: z.string(), answer: z.string() })
    .optional()
    .meta({ description: "The models of that run, as provider/model." }),
  turns: z
    .array(
      z.object({
        question: z.string(),
        answer: z.string(),
        attachments: z.array(attachmentSchema).optional(),
        status: z.enum(["partial", "failed", "cancelled", "interrupted"]).optional().meta({
          description: "How a run ended that did not answer in full; the answer then ends with a line that says so.",
        }),
      }),
    )
    .meta({ description: "The oldest first." }),
  summary: z
    .object({ text: z.string(), turns: z.int() })
    .nullable()
    .meta({ description: "The summary that models read instead of the oldest turns." }),
  sources: z.array(citationSchema),
  runs: z
    .array(z.object({ run_id: z.string(), question: z.string(), status: statusSchema, started_at: time }))
    .meta({ description: "Including failed ones, the oldest first; those in progress last." }),
});
