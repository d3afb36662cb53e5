import * as z from "zod";
import { errorReportSchema } from "./outcome-schema.ts";

/** Describes a question that waits for the end of a conversation's runs. */
export const waitingQuestionSchema = z.object({
  queue_id: z.string(),
  conversation_id: z.string(),
  message: z.string(),
  attachments: z.array(z.object({ name: z.string(), media_type: z.string(), size: z.int() })),
  asked_at: z.iso.datetime().meta({ description: "UTC." }),
  run_id: z.string().nullable().meta({ description: "The run that answers it; null until it has begun." }),
  reserved_run_id: z.string().meta({ description: "The ID that its run will have." }),
  after_run: z.string().nullable().meta({ description: "The run whose turn it follows; null where none was named." }),
  error: errorReportSchema.nullable().meta({
    description: "Why it could not begin; it is tried again with the next question that is added.",
  }),
});

/** Describes the response of `GET /agent/conversations/{id}/queue`. */
export const queueSchema = z.object({
  conversation_id: z.string(),
  waiting: z.array(waitingQuestionSchema).meta({ description: "In the order in which they are asked." }),
});
