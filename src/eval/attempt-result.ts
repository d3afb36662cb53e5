import * as z from "zod";
import { jsonValueSchema, statusSchema, stopReasonSchema } from "../core/schemas/outcome-schema.ts";
import { attemptTimesSchema } from "./times.ts";

/** Lists why an attempt did not succeed; the first that applies is told. */
export const failureKinds = ["timeout", "error", "wrong-tool", "wrong-arguments", "limit", "answer"] as const;

export type FailureKind = (typeof failureKinds)[number];

const tokens = z.object({ input: z.int(), output: z.int() });

/** Holds what one attempt came to. Results are kept as lines, so that an evaluation goes on where it was ended. */
export const attemptResultSchema = z.object({
  pair: z.string(),
  prompts: z.string(),
  case: z.string(),
  group: z.string().optional(),
  repetition: z.int(),
  succeeded: z.boolean(),
  failure: z.enum(failureKinds).nullable(),
  /** Says more of the failure. */
  detail: z.string().optional(),
  status: statusSchema,
  stop_reason: stopReasonSchema,
  /** Is null where it was not measured. */
  tool_choice: z.boolean().nullable(),
  arguments: z.boolean().nullable(),
  checks: z.array(
    z.object({
      kind: z.enum(["contains", "lacks", "matches", "schema", "citations", "judge"]),
      passed: z.boolean(),
      detail: z.string().optional(),
      mark: z.number().optional(),
    }),
  ),
  calls: z.array(z.object({ tool: z.string(), arguments: jsonValueSchema, ok: z.boolean() })),
  response: z.string(),
  models: z.object({ function_call: z.string(), answer: z.string() }),
  /** Holds what the vendors counted. */
  tokens: z.object({ function_call: tokens, answer: tokens }),
  /** Holds the tokens of the requests as Duet estimates them, by role; one model has all of them as `answer`. */
  request_tokens: z.object({ function_call: z.int(), answer: z.int(), total: z.int() }),
  /** Is null where a price is not known. */
  cost_usd: z.number().nullable(),
  judge_cost_usd: z.number().nullable(),
  times: attemptTimesSchema,
});

export type AttemptResult = z.infer<typeof attemptResultSchema>;
