import * as z from "zod";
import { titleSchema } from "../../../core/schemas/conversation-schema.ts";

const time = z.iso.datetime().meta({ description: "UTC." });

/** Describes the response of `GET /agent/conversations`. */
export const conversationListSchema = z.object({
  conversations: z
    .array(
      z.object({
        conversation_id: z.string(),
        title: titleSchema,
        turns: z.int(),
        created_at: time,
        updated_at: time,
      }),
    )
    .meta({ description: "The latest first." }),
  next_offset: z.int().nullable().meta({ description: "The offset of the next page; null on the last one." }),
});

export type ConversationListJson = z.infer<typeof conversationListSchema>;
