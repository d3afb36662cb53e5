import * as z from "zod";
import { jsonValueSchema } from "./json-value-schema.ts";
import { modeSchema, statusSchema } from "./outcome-schema.ts";

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
      sign_in: z.object({
        possible: z.boolean().meta({ description: "Whether a person may sign in to this server." }),
        signed_in: z.boolean().meta({ description: "Whether somebody has." }),
        state: z
          .enum(["waiting", "done", "failed"])
          .nullable()
          .meta({ description: "How the sign-in stands that was begun here last." }),
        address: z.string().nullable().meta({ description: "Where the person signs in, while it waits." }),
        message: z.string().nullable(),
      }),
    }),
  ),
});

/** Describes the response of `GET /operator/servers/{name}/log`. */
export const operatorLogSchema = z.object({
  lines: z
    .array(z.object({ at: time, level: z.string(), logger: z.string(), text: z.string() }))
    .meta({ description: "The last 100 lines that the server has logged, the oldest first." }),
  stderr: z.array(z.string()).meta({ description: "The last lines that its process has written to stderr." }),
});

/** Describes the response of `GET /operator/approvals`. */
export const operatorApprovalsSchema = z.object({
  approvals: z
    .array(
      z.object({
        id: z
          .string()
          .meta({ description: "Changes with the definition, so that nobody approves what was not shown." }),
        server: z.string(),
        name: z.string(),
        kind: z.enum(["changed", "new", "trusted"]),
        list: z.enum(["prompts", "resources", "templates"]).nullable(),
        lines: z
          .array(z.object({ sign: z.enum(["+", "-", " "]), text: z.string() }))
          .meta({ description: "All differences from what was approved; all of a new one." }),
      }),
    )
    .meta({ description: "What waits, and behind it what was trusted when it was first seen." }),
});

/** Describes the response of `GET /operator/tools`. */
export const operatorToolsSchema = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      source: z.string().meta({ description: "The server, or where else it comes from." }),
      description: z.string(),
      permission: z.enum(["allow", "ask", "deny"]).meta({ description: "What holds now." }),
      next: z.enum(["allow", "ask", "deny"]).meta({ description: "What the file says, from the next start on." }),
      rule: z.string().nullable().meta({ description: "The pattern that decides in the file." }),
      for_some_calls: z.boolean().meta({ description: "Whether the rule depends on the arguments of a call." }),
    }),
  ),
});

const promptText = z.object({
  text: z.string(),
  file: z.string().nullable().meta({ description: "The file of this text; null for the built-in one." }),
});

/** Describes the response of `GET /operator/prompts`. */
export const operatorPromptsSchema = z.object({
  directory: z.string().nullable().meta({ description: "The folder of your own prompts; null where there is none." }),
  prompts: z.array(
    z.object({
      name: z.string(),
      used_for: z.string(),
      variables: z.array(z.string()),
      zh: promptText,
      en: promptText,
      family_files: z.array(z.string()).meta({ description: "Files for one family of models, which go first." }),
    }),
  ),
});

/** Describes the response of `GET /operator/agents`. */
export const operatorAgentsSchema = z.object({
  agents: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      kind: z.enum(["own", "program"]).meta({ description: "With models of ours, or another program (ACP)." }),
      configured: z.boolean(),
      installed: z.boolean().nullable().meta({ description: "Whether the program is there; null for one without." }),
      install: z.string().nullable().meta({ description: "How a known program is installed." }),
      mode: z.string().nullable(),
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

/** Lists what the operator's routes answer, by its name in the OpenAPI document. */
export const operatorSchemas = {
  OperatorAgents: operatorAgentsSchema,
  OperatorApprovals: operatorApprovalsSchema,
  OperatorLog: operatorLogSchema,
  OperatorProblems: operatorProblemsSchema,
  OperatorPrompts: operatorPromptsSchema,
  OperatorRuns: operatorRunsSchema,
  OperatorServers: operatorServersSchema,
  OperatorSettings: operatorSettingsSchema,
  OperatorSpans: operatorSpansSchema,
  OperatorTools: operatorToolsSchema,
  OperatorUsage: operatorUsageSchema,
} as const;

/** Holds the types of these answers. */
export type OperatorAnswers = { [Name in keyof typeof operatorSchemas]: z.infer<(typeof operatorSchemas)[Name]> };
