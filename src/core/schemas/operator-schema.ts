import * as z from "zod";
import { jsonValueSchema, modeSchema, statusSchema } from "./outcome-schema.ts";

const time = z.iso.datetime().meta({ description: "UTC." });
const callerName = z
  .string()
  .nullable()
  .meta({ description: "The owner of the conversations; null for the operator." });

/** Describes the response of `GET /operator/settings`. */
export const operatorSettingsSchema = z.object({
  file: z.string().nullable().meta({ description: "The configuration file; null where there is none." }),
  settings: z.array(
    z.object({
      key: z.string(),
      value: jsonValueSchema.meta({ description: "The value in force; secrets are masked." }),
      source: z.enum(["default", "file", "environment", "flag", "code"]),
      source_name: z.string().nullable(),
      editable: z.boolean(),
      file_value: jsonValueSchema
        .optional()
        .meta({ description: "What the file has now, which counts from the next start on; null where it has none." }),
      schema: z.record(z.string(), z.unknown()).optional().meta({ description: "A JSON Schema of the value." }),
    }),
  ),
});

/** Describes the response of `GET /operator/servers`. */
export const operatorServersSchema = z.object({
  servers: z.array(
    z.object({
      name: z.string(),
      transport: z.string(),
      state: z.string(),
      tools: z.int(),
      waiting_tools: z.int().meta({ description: "How many tools wait for approval." }),
      error: z.string().nullable(),
      problems: z.array(z.string()),
      warnings: z.array(z.string()),
    }),
  ),
});

/** Describes the response of `GET /operator/runs`. */
export const operatorRunsSchema = z.object({
  runs: z
    .array(
      z.object({
        run_id: z.string(),
        conversation_id: z.string(),
        caller: callerName,
        question: z.string(),
        mode: modeSchema,
        status: statusSchema,
        waits: z.boolean(),
        error_code: z.string().nullable(),
        tool_calls: z.int(),
        total_tokens: z.int(),
        cost_usd: z.number().nullable(),
        elapsed_ms: z.int(),
        started_at: time,
      }),
    )
    .meta({ description: "Those of all callers that this process knows, the latest first." }),
  next_offset: z.int().nullable(),
});

const usageSeries = z.array(
  z.object({
    name: z
      .string()
      .nullable()
      .meta({ description: "The model or the caller; null for the operator, and for all others." }),
    is_rest: z.boolean().meta({ description: "True for all those together that are not among the first." }),
    total_tokens: z.int(),
    cost_usd: z.number(),
    cost_known: z.boolean().meta({ description: "False where the price of something is not known." }),
    days: z.array(z.object({ day: z.string(), total_tokens: z.int(), cost_usd: z.number() })),
  }),
);

/** Describes the response of `GET /operator/usage`. */
export const operatorUsageSchema = z.object({
  models: usageSeries.meta({ description: "Sums by day: those that cost the most first, and all others as one." }),
  callers: usageSeries.meta({ description: "The same by caller." }),
  next_offset: z.int().nullable(),
  days: z
    .array(
      z.object({
        day: z.string().meta({ description: "A day of UTC, such as 2026-11-26." }),
        model: z.string(),
        caller: callerName,
        runs: z.int(),
        total_tokens: z.int(),
        cost_usd: z.number().meta({ description: "As far as prices are known." }),
        unpriced_runs: z.int().meta({ description: "How many of the runs have no known price." }),
      }),
    )
    .meta({ description: "One page of what was used by day, model and caller, the newest day first." }),
});

/** Describes the response of `GET /operator/runs/{id}/spans`. */
export const operatorSpansSchema = z.object({
  run_id: z.string(),
  status: statusSchema,
  started_at: time,
  total_ms: z.number(),
  spans: z.array(
    z.object({
      kind: z.enum(["turn", "call"]),
      name: z.string().meta({ description: "The model or the tool." }),
      phase: z.string().nullable().meta({ description: "What the model did: decide, answer, plan or compact." }),
      start_ms: z.number().meta({ description: "After the start of the run." }),
      duration_ms: z.number(),
      ok: z.boolean(),
      total_tokens: z.int().nullable(),
    }),
  ),
  left_out: z.int().meta({ description: "How many further ones there are." }),
});

/** Describes the response of `GET /operator/problems`. */
export const operatorProblemsSchema = z.object({
  errors: z
    .array(z.object({ at: time, run_id: z.string(), caller: callerName, code: z.string(), message: z.string() }))
    .meta({ description: "The last runs that have failed since the process began, the newest first." }),
  tools: z
    .array(
      z.object({
        tool: z.string(),
        calls: z.int(),
        failed: z.int(),
        mean_ms: z.int(),
        max_ms: z.int(),
      }),
    )
    .meta({ description: "The slowest on average first, since the process began." }),
});
