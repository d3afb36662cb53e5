import * as z from "zod";

const status = z.enum(["complete", "partial", "failed", "cancelled", "running", "needs_confirmation"]);

const time = z.iso.datetime().meta({ description: "UTC." });

const title = z.string().meta({ description: "The first line of the first question; empty while no run has ended." });

/** Describes the response of `GET /agent/conversations`. */
export const conversationListSchema = z.object({
  conversations: z
    .array(
      z.object({
        conversation_id: z.string(),
        title,
        turns: z.int(),
        created_at: time,
        updated_at: time,
      }),
    )
    .meta({ description: "The last asked first." }),
  next_offset: z.int().nullable().meta({ description: "Where the next page begins; null on the last one." }),
});

export type ConversationListJson = z.infer<typeof conversationListSchema>;

/** Describes the response of `GET /agent/conversations/{id}`: `ConversationJson`. */
export const conversationSchema = z.object({
  conversation_id: z.string(),
  title,
  turns: z.array(z.object({ question: z.string(), answer: z.string() })).meta({ description: "The oldest first." }),
  summary: z
    .object({ text: z.string(), turns: z.int() })
    .nullable()
    .meta({ description: "What models read in place of the oldest turns." }),
  sources: z.array(z.object({ n: z.int(), title: z.string(), url: z.string() })),
  runs: z
    .array(z.object({ run_id: z.string(), question: z.string(), status, started_at: time }))
    .meta({ description: "Also those that failed, the oldest first; those that go on stand last." }),
});
