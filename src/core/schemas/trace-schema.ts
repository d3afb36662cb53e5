import * as z from "zod";
import { permissionSchema, phaseSchema, planStepSchema } from "./events-schema.ts";
import { jsonValueSchema } from "./json-value-schema.ts";
import {
  citationSchema,
  errorReportSchema,
  modeSchema,
  outcomeMetaSchema,
  outcomeSchema,
  statusSchema,
  stopReasonSchema,
} from "./outcome-schema.ts";

// Files that need only the types import them from `trace.ts`, which does not load Zod.

const milliseconds = z.number().meta({ description: "Milliseconds." });
const time = z.iso.datetime().meta({ description: "UTC." });
const cost = z.number().nullable().meta({ description: "US dollars; null when a price is not known." });
const leftOut = z.int().optional().meta({ description: "Number of characters that were cut off." });
/** Refers to the entry of the trace's `phases` that produced a step. It is absent in older traces. */
const phase = z
  .int()
  .optional()
  .meta({ description: "The number of its phase in phases, from 1; 0 before the first." });
const tokens = {
  input_tokens: z.int(),
  output_tokens: z.int(),
  reasoning_tokens: z.int(),
  cached_tokens: z.int(),
};

export const traceActionSchema = z.object({
  type: z.enum(["action", "final"]),
  /** Is empty for the final answer. */
  tool: z.string(),
  args: jsonValueSchema,
});

/** Records one thought with its outcome: a tool's call and result, or the final answer. */
export const traceStepSchema = z.object({
  /** Starts at 1. */
  step: z.int(),
  phase,
  thought: z.string().optional(),
  thought_left_out: leftOut,
  action: traceActionSchema
    .nullable()
    .meta({ description: "A tool call or the final answer; null for a run without either." }),
  /** Is empty for the final answer, which is in `final_answer`. */
  observation: z.string().meta({ description: "The result as the model read it." }),
  observation_left_out: leftOut,
  /**
   * Holds the tool's own output, beside the observation: before it was numbered or shortened for the model, with a server's
   * secrets removed. It is absent when no tool ran, and in older traces.
   */
  tool_output: z
    .string()
    .optional()
    .meta({ description: "The tool's own output, up to 262144 characters and 1048576 per run." }),
  tool_output_left_out: leftOut,
  agent_steps: z
    .array(z.string())
    .optional()
    .meta({ description: "The steps of the agent that was called, a line each; absent for other tools." }),
  /** Is true when the result came from a cache, and absent when no tool was called. */
  cached: z.boolean().optional(),
  permission: permissionSchema.optional(),
  /** Measures the time of the tool, or of the model that wrote the answer. */
  elapsed_ms: milliseconds,
  /** Holds the start time (ISO 8601, UTC). */
  timestamp: time,
  error: z.string().optional(),
});

export const toolStatsSchema = z.object({ count: z.int(), total_ms: milliseconds });

export const tokenUsageSchema = z.object({ ...tokens, total_tokens: z.int() });

export const tracePhaseSchema = z.object({
  phase: phaseSchema,
  step: z.int(),
  /** Holds `provider/model`. */
  model: z.string(),
  ...tokens,
  /** Is what the output limit allowed for hidden reasoning, and absent where there was none. */
  reasoning_allowance: z.int().optional(),
  elapsed_ms: milliseconds,
  cost_usd: cost,
  /** Holds the start time. It is absent in older traces. */
  timestamp: time.optional(),
  failed: z.boolean().optional().meta({ description: "True for a turn that failed; absent for others." }),
});

export const traceNoteSchema = z.object({
  timestamp: time,
  phase,
  level: z.enum(["info", "warning"]),
  /** Holds the code of a notice, or the reason of an evaluation. */
  code: z.string(),
  message: z.string(),
});

export const feedbackSchema = z.object({
  rating: z.enum(["up", "down"]).nullable(),
  comment: z.string(),
  at: time,
});

/** Records what a run did, step by step (docs/development/agent-architecture.md#trace). Its keys are in `snake_case`. */
export const traceSchema = z.object({
  run_id: z.string(),
  conversation_id: z.string(),
  goes_on_with: z
    .string()
    .optional()
    .meta({ description: "The run with which this one goes on, where the answer is that of both; absent for others." }),
  trace_id: z.string(),
  question: z.string(),
  mode: modeSchema,
  started_at: time,
  status: statusSchema,
  /** Holds the final state of the plan in plan mode. */
  plan: z.array(planStepSchema).optional(),
  steps: z.array(traceStepSchema),
  final_answer: z.string(),
  citations: z
    .array(citationSchema)
    .optional()
    .meta({ description: "The sources that the answer cites; absent where there are none, and in older traces." }),
  /** Holds the answer as an object, where one was asked for. */
  output: z.record(z.string(), jsonValueSchema).optional(),
  finish_reason: stopReasonSchema,
  limit: outcomeSchema.shape.limit,
  iterations: outcomeMetaSchema.shape.iterations
    .optional()
    .meta({ description: "Rounds of deciding, as the result counts them; absent in a trace of an earlier version." }),
  used_tools: z.record(z.string(), toolStatsSchema),
  token_usage: tokenUsageSchema,
  total_ms: milliseconds,
  phases: z.array(tracePhaseSchema).meta({ description: "Each turn of a model." }),
  models: outcomeMetaSchema.shape.models,
  cost_usd: cost,
  /** Holds the usage of called agents, and is absent when none was called. */
  agents: outcomeMetaSchema.shape.agents,
  notes: z.array(traceNoteSchema).meta({ description: "Notices besides the answer: retries, limits, verdicts." }),
  error: errorReportSchema.nullable(),
  feedback: feedbackSchema.optional().meta({ description: "What a person thinks of the answer." }),
});
