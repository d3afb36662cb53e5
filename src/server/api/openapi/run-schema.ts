import * as z from "zod";
import { planStepSchema } from "../../../core/schemas/events-schema.ts";
import { outcomeSchema } from "../../../core/schemas/outcome-schema.ts";
import { callAnswer, formAnswer, planAnswer, replyInput, urlAnswer } from "../reply.ts";

const time = z.iso.datetime().meta({ description: "UTC." });

/** Describes a question of a run that waits for a person. */
export const questionSchema = z
  .object({
    question_id: z.string(),
    kind: z.enum(["call", "plan", "form", "url"]),
    message: z.string(),
    tool: z.string().optional().meta({ description: "call: what is to run." }),
    arguments: z.record(z.string(), z.unknown()).optional(),
    rule: z.string().optional().meta({ description: "call: why it asks." }),
    only_once: z.boolean().optional().meta({ description: "call: a yes is valid for this call only." }),
    from: z.string().optional().meta({ description: "form and url: the server that asks." }),
    steps: z.array(planStepSchema).readonly().optional().meta({ description: "plan." }),
    schema: z.record(z.string(), z.unknown()).optional().meta({ description: "form: the JSON Schema of its fields." }),
    url: z.string().optional().meta({ description: "url: the page to open." }),
    expires_at: time,
  })
  .meta({ description: "Answered by POST /agent/runs/{id}/reply." });

/** Describes the response of `GET /agent/runs`. */
export const runListSchema = z.object({
  runs: z
    .array(
      z.object({
        run_id: z.string(),
        conversation_id: z.string().meta({ description: "Empty until the run has one, and for runs of /v1." }),
        question: z.string(),
        status: outcomeSchema.shape.status,
        waits: z.boolean().meta({ description: "Whether a question of the run is waiting for a person." }),
        started_at: time,
      }),
    )
    .meta({ description: "The latest first." }),
  next_offset: z.int().nullable().meta({ description: "The offset of the next page; null on the last one." }),
});

export type RunListJson = z.input<typeof runListSchema>;

/** Describes the response of `GET /agent/runs/{id}`. */
export const runSchema = z.object({ ...outcomeSchema.shape, waits_for: questionSchema.nullable() });

/** Describes the body of `POST /agent/runs/{id}/reply`. */
export const replySchema = replyInput.extend({
  answer: z
    .union([callAnswer, planAnswer, formAnswer, urlAnswer])
    .meta({ description: "call: one of the words. plan: with reply. form and url: with action." }),
});
