import * as z from "zod";
import { jsonValueSchema } from "../core/schemas/json-value-schema.ts";
import { statusSchema, stopReasonSchema } from "../core/schemas/outcome-schema.ts";
import { attemptTimesSchema } from "./times.ts";

/** Lists why an attempt did not succeed; the first that applies is told. */
export const failureKinds = [
  "timeout",
  "error",
  "wrong-tool",
  "wrong-arguments",
  "limit",
  "answer",
  "not-judged",
] as const;

export type FailureKind = (typeof failureKinds)[number];

const tokens = z.object({ input: z.int(), output: z.int() });

/** Holds what the turns of models in one phase used. */
export const phaseUseSchema = z.object({
  turns: z.int(),
  input: z.int(),
  output: z.int(),
  /** Is null where a price is not known. */
  cost_usd: z.number().nullable(),
});

export type PhaseUse = z.infer<typeof phaseUseSchema>;

export function addPhaseUse(one: PhaseUse, other: PhaseUse): PhaseUse {
  return {
    turns: one.turns + other.turns,
    input: one.input + other.input,
    output: one.output + other.output,
    cost_usd: one.cost_usd === null || other.cost_usd === null ? null : one.cost_usd + other.cost_usd,
  };
}

export const noPhaseUse: PhaseUse = { turns: 0, input: 0, output: 0, cost_usd: 0 };

/** Holds what one attempt came to. Results are kept as lines, so that an evaluation goes on where it was ended. */
export const attemptResultSchema = z.object({
  pair: z.string(),
  prompts: z.string(),
  case: z.string(),
  group: z.string().optional(),
  repetition: z.int(),
  /** Is null where the judge gave no mark, on which it depends. */
  succeeded: z.boolean().nullable(),
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
      /** Is null where the judge gave no mark. */
      passed: z.boolean().nullable(),
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
  phases: z.record(z.string(), phaseUseSchema),
  times: attemptTimesSchema,
});

export type AttemptResult = z.infer<typeof attemptResultSchema>;
