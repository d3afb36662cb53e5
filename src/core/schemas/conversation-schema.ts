import * as z from "zod";
import { longestTitle } from "../store/conversations/conversation-title.ts";
import { citationSchema, modeSchema, statusSchema } from "./outcome-schema.ts";
import { feedbackSchema } from "./trace-schema.ts";

const time = z.iso.datetime().meta({ description: "UTC." });

const titleSchema = z.string().meta({
  description: "The name a person gave it, else the first line of the first question; empty while no run has ended.",
});

const lastRunFields = {
  mode: modeSchema.optional().meta({ description: "The mode of its last run that has ended." }),
  models: z
    .object({ function_call: z.string(), answer: z.string() })
    .optional()
    .meta({ description: "The models of that run, as provider/model." }),
};

export const conversationEntrySchema = z.object({
  conversation_id: z.string(),
  title: titleSchema,
  named_by_person: z
    .boolean()
    .meta({ description: "A conversation that a person has named is never removed unasked." }),
  pinned: z.boolean().meta({ description: "Neither is one that a person has pinned." }),
  turns: z.int(),
  running: z.boolean().optional().meta({ description: "Whether a run of it goes on in this process." }),
  ...lastRunFields,
  created_at: time,
  updated_at: time,
  match: z
    .object({
      field: z.enum(["title", "question", "answer"]),
      turn: z.int().nullable().meta({ description: "The number of the turn; null for the title." }),
      excerpt: z.string(),
      start: z.int().meta({ description: "The place of a word within the excerpt, in UTF-16 units." }),
      end: z.int(),
    })
    .optional()
    .meta({ description: "A place of the words that were searched for." }),
});

export type ConversationEntryJson = z.infer<typeof conversationEntrySchema>;

/** Describes the response of `GET /agent/conversations`. */
export const conversationListSchema = z.object({
  conversations: z.array(conversationEntrySchema).meta({ description: "The latest first." }),
  next_offset: z.int().nullable().meta({ description: "The offset of the next page; null on the last one." }),
});

export type ConversationListJson = z.infer<typeof conversationListSchema>;

const attachmentSchema = z
  .object({
    id: z.string().optional().meta({ description: "Names it at /agent/conversations/{id}/files/{file_id}." }),
    name: z.string(),
    media_type: z.string(),
    size: z.int(),
  })
  .meta({ description: "An image or a document that came with the question; its size is in bytes." });

/** Describes the body of `PATCH /agent/conversations/{id}`. */
export const conversationChangesSchema = z.strictObject({
  title: z.string().max(longestTitle).optional().meta({
    description: "The name that a person gives it, which becomes one line; an empty one takes the name back.",
  }),
  pinned: z.boolean().optional(),
  branch: z.int().min(1).optional().meta({ description: "The branch that is to be the current one." }),
});

/** Describes the answer of `DELETE /agent/conversations/{id}?undo=true`. */
export const discardedConversationSchema = z.object({
  conversation_id: z.string(),
  restorable_until: time.meta({ description: "UTC. Until then /restore brings it back; after that it is gone." }),
});

export type DiscardedConversationJson = z.infer<typeof discardedConversationSchema>;

/**
 * Describes a whole conversation as every interface returns it. Its keys are in `snake_case`, like all JSON output.
 */
export const conversationSchema = z.object({
  conversation_id: z.string(),
  title: titleSchema,
  named_by_person: z.boolean().optional(),
  pinned: z.boolean().optional(),
  ...lastRunFields,
  branch: z.int().optional().meta({ description: "The branch whose turns these are." }),
  branches: z
    .array(z.object({ branch: z.int(), tip: z.int().meta({ description: "Its last turn; 0 while it has none." }) }))
    .optional()
    .meta({ description: "Every turn without a next one is the tip of a branch." }),
  tree: z
    .array(z.object({ n: z.int(), parent: z.int(), run_id: z.string().optional() }))
    .optional()
    .meta({ description: "The turns of all branches; parent is the turn before, 0 for a first one." }),
  turns: z
    .array(
      z.object({
        n: z.int().optional(),
        parent: z.int().optional(),
        run_id: z.string().optional(),
        feedback: feedbackSchema.optional(),
        question: z.string(),
        answer: z.string(),
        attachments: z.array(attachmentSchema).optional(),
        messages: z
          .array(z.string())
          .optional()
          .meta({ description: "What was said to the run before its answer, as its models read it." }),
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
