import * as z from "zod";
import type { ErrorCode, ErrorReport } from "../../kit/errors.ts";
import { stoppingLimits } from "../limits/limits.ts";
import { modes } from "../run/modes.ts";
import { jsonValueSchema } from "./json-value-schema.ts";

// Files that need only the types import them from `outcome.ts`, which does not load Zod.

export const modeSchema = z.enum(modes);

export const statusSchema = z.enum(["complete", "partial", "failed", "cancelled", "running", "needs_confirmation"]);

export const stopReasonSchema = z.enum([
  "answered",
  ...stoppingLimits.map(({ stop }) => stop.stopReason),
  "repetition",
  "length",
  "refused",
  "error",
  "confirmation",
  "running",
  "cancelled",
]);

/** Holds the usage of one model. */
export const modelUsageSchema = z.object({
  provider: z.string(),
  model: z.string(),
  calls: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  reasoning_tokens: z.int(),
  /** Is what the output limits of the calls allowed for hidden reasoning beside `max_tokens`; absent where there was none. */
  reasoning_allowance: z.int().optional(),
  cached_tokens: z.int(),
  elapsed_ms: z.int(),
  cost_usd: z.number().nullable(),
});

/** Holds the usage of one of the two roles, under the name of its own model. */
export const modelBillSchema = modelUsageSchema.extend({
  by_model: z
    .array(modelUsageSchema)
    .optional()
    .meta({ description: "What each model has used of it, where a fallback took over." }),
});

export const toolCallRecordSchema = z.object({
  tool: z.string(),
  arguments: jsonValueSchema,
  result: z.string(),
  ok: z.boolean(),
  cached: z.boolean(),
  elapsed_ms: z.int(),
});

export const citationSchema = z.object({ n: z.int(), title: z.string(), url: z.string() });

/** Holds the usage that the agents called by a run report, including the agents that those called. */
export const agentsBillSchema = z.object({
  /** Counts the runs of the agents that this one called. */
  runs: z.int(),
  total_tokens: z.int(),
  /** Holds US dollars, and is null when one of the agents does not know its price. */
  cost_usd: z.number().nullable(),
  /** Holds the US dollars that are known of a cost which is null as a whole, and is absent where there are none. */
  known_cost_usd: z.number().optional(),
});

export const outcomeMetaSchema = z.object({
  /** Counts the tokens of this run's own models, as in `models`. The usage of called agents is in `agents`. */
  total_tokens: z.int(),
  /** Counts the entries of `tool_calls`, with the calls that were refused and reached no tool. */
  tool_calls_count: z.int(),
  /** Excludes the time that people took to answer questions of the run. */
  latency_ms: z.int(),
  iterations: z.int(),
  mode: modeSchema,
  /** Holds the US dollars of this run's own models. It is null, never 0, when a price is unknown. */
  cost_usd: z.number().nullable(),
  /** Holds the usage of called agents, and is absent when none was called. It counts against the run's budgets. */
  agents: agentsBillSchema.optional(),
  models: z.object({
    function_call: modelBillSchema,
    answer: modelBillSchema,
    compact: modelBillSchema
      .optional()
      .meta({ description: "What summarising the earlier conversation took; absent where that was not needed." }),
  }),
});

/** Describes `ErrorReport` to hosts. The code is any text for them, so that a later version may add one. */
export const errorReportSchema = z.object({
  code: z.string<ErrorCode>(),
  message: z.string(),
  hint: z.string().nullable(),
  retry_after_s: z.int().optional().describe("Seconds after which a retry may succeed, where known."),
}) satisfies z.ZodType<ErrorReport>;

export const confirmationSchema = z.object({
  /** The caller returns the token once with the person's decision. It is valid for this confirmation only. */
  token: z.string(),
  kind: z.enum(["call", "plan"]),
  /** Names the tool of a call that waits for confirmation. */
  tool: z.string().optional(),
  arguments: z.record(z.string(), jsonValueSchema).optional(),
  /** Names the rule that requires the confirmation of a call. */
  rule: z.string().optional(),
  /** Explains the rule, where its name alone does not say what is at stake. */
  reason: z.string().optional(),
  /** The token expires at this time (ISO 8601, UTC). */
  expires_at: z.string(),
});

/** Tells the reader of a result something about it besides the answer: that it is not saved, that its conversation is a new one. */
export const outcomeNoticeSchema = z.object({
  level: z.enum(["info", "warning"]),
  code: z.string(),
  message: z.string(),
});

/** Holds the result of a run in the form that every interface returns (docs/development/contract.md#result, hence `snake_case`). */
export const outcomeSchema = z.object({
  success: z.boolean(),
  status: statusSchema,
  stop_reason: stopReasonSchema,
  response: z.string(),
  conversation_id: z.string(),
  run_id: z.string(),
  trace_id: z.string(),
  tool_calls: z.array(toolCallRecordSchema),
  citations: z.array(citationSchema),
  meta: outcomeMetaSchema,
  error: errorReportSchema.nullable(),
  /** Is set with the status `needs_confirmation`, on interfaces that return confirmations. */
  confirmation: confirmationSchema.optional(),
  /**
   * Names the limit that ended the work early, and its value in the setting's unit; `argument` where the request has set it. Is absent
   * where no setting raises it.
   */
  limit: z.object({ setting: z.string(), value: z.number(), argument: z.string().optional() }).optional().meta({
    description:
      "The setting whose limit ended the work early, its value, and the argument of the request that set it.",
  }),
  /** Holds the answer as an object, where the caller asked for one by a schema. `response` is its text. */
  output: z.record(z.string(), jsonValueSchema).optional(),
  /** Is absent when there are none. */
  notices: z.array(outcomeNoticeSchema).optional(),
});
