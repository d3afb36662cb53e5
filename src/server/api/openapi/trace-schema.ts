import * as z from "zod";
import { askOutput } from "../../../runs/ask-schema.ts";
import { planStep } from "./event-schema.ts";

const milliseconds = z.number().meta({ description: "Milliseconds." });
const time = z.iso.datetime().meta({ description: "UTC." });
const cost = z.number().nullable().meta({ description: "US dollars; null when a price is not known." });
const phase = z.int().optional().meta({ description: "Which of phases it came of, from 1 on; 0 before the first." });
const tokens = {
  input_tokens: z.int(),
  output_tokens: z.int(),
  reasoning_tokens: z.int(),
  cached_tokens: z.int(),
};
const { status, stop_reason, error, meta } = askOutput.shape;

const step = z.object({
  step: z.int(),
  phase,
  thought: z.string().optional(),
  thought_left_out: z.int().optional().meta({ description: "Characters that were not kept." }),
  action: z
    .object({ type: z.enum(["action", "final"]), tool: z.string(), args: z.unknown() })
    .nullable()
    .meta({ description: "A tool's call, or the final answer; null for a run that came to none." }),
  observation: z.string().meta({ description: "The result as the model read it." }),
  observation_left_out: z.int().optional().meta({ description: "Characters that were not kept." }),
  tool_output: z
    .string()
    .optional()
    .meta({ description: "What the tool itself gave, whole up to 262144 characters, and 1048576 in all of a run." }),
  tool_output_left_out: z.int().optional().meta({ description: "Characters that were not kept." }),
  cached: z.boolean().optional(),
  permission: z
    .object({ decision: z.enum(["allowed", "approved", "declined", "unanswered", "denied"]), rule: z.string() })
    .optional(),
  elapsed_ms: milliseconds,
  timestamp: time,
  error: z.string().optional(),
});

/** What `GET /agent/runs/{id}/trace` gives: `AgentTrace`. */
export const traceSchema = z.object({
  run_id: z.string(),
  conversation_id: z.string(),
  trace_id: z.string(),
  question: z.string(),
  mode: meta.shape.mode,
  started_at: time,
  status,
  plan: z.array(planStep).optional(),
  steps: z.array(step),
  final_answer: z.string(),
  finish_reason: stop_reason,
  used_tools: z.record(z.string(), z.object({ count: z.int(), total_ms: milliseconds })),
  token_usage: z.object({ ...tokens, total_tokens: z.int() }),
  total_ms: milliseconds,
  phases: z
    .array(
      z.object({
        phase: z.enum(["plan", "decide", "answer"]),
        step: z.int(),
        model: z.string(),
        ...tokens,
        elapsed_ms: milliseconds,
        cost_usd: cost,
      }),
    )
    .meta({ description: "Each turn of a model." }),
  models: meta.shape.models,
  cost_usd: cost,
  agents: meta.shape.agents,
  notes: z
    .array(
      z.object({
        timestamp: time,
        phase,
        level: z.enum(["info", "warning"]),
        code: z.string(),
        message: z.string(),
      }),
    )
    .meta({ description: "What was told beside the answer: retries, limits, verdicts." }),
  error,
  left_out: z
    .object({ characters: z.int(), entries: z.int() })
    .optional()
    .meta({ description: "What was cut off a trace that is too long." }),
});
