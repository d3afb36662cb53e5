import * as z from "zod";
import type { StopReason } from "../../../core/run/outcome.ts";
import { citationSchema, modeSchema, statusSchema } from "../../../core/schemas/outcome-schema.ts";

/**
 * Holds a run as hosts get it in `structuredContent`. Several hosts hand all of it to their model, so it says what an answer needs;
 * the whole results of the calls are in `duet://runs/{run_id}`. What is unknown is absent, because some hosts know no types with
 * `null`.
 */
export const hostOutcomeSchema = z.looseObject({
  /** Holds the text of the result's `content`, whatever the status. It is absent for hosts that hand both to their model. */
  response: z.string().optional(),
  status: statusSchema,
  /** Is one of the reasons in outcomes, and any text for hosts, so that a later version may add one. */
  stop_reason: z.string<StopReason>(),
  conversation_id: z.string(),
  run_id: z.string(),
  trace_id: z.string(),
  citations: z.array(citationSchema),
  /** Holds the last calls. `meta.tool_calls_count` counts all. A call that is still going has no `ok`. */
  tool_calls: z.array(z.looseObject({ tool: z.string(), ok: z.boolean().optional() })),
  meta: z.looseObject({
    total_tokens: z.int(),
    tool_calls_count: z.int(),
    latency_ms: z.int(),
    iterations: z.int(),
    mode: modeSchema,
    cost_usd: z.number().optional(),
  }),
  /** Holds the answer as an object, where an `output_schema` was given. */
  output: z.looseObject({}).optional(),
  error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
  notices: z.array(z.looseObject({ code: z.string(), message: z.string() })).optional(),
  confirmation: z.looseObject({ token: z.string(), expires_at: z.string() }).optional(),
});
