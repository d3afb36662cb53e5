import * as z from "zod";
import { errorCodes } from "../../../kit/errors.ts";
import { askOutput } from "../../../runs/ask-schema.ts";
import { chatBody } from "../../openai/read-chat.ts";
import { chatInput } from "../chat-input.ts";
import { conversationListSchema, conversationSchema } from "./conversation-schema.ts";
import { eventSchema, planStep } from "./event-schema.ts";
import { questionSchema, replySchema, runListSchema, runSchema } from "./run-schema.ts";
import { settingsSchema } from "./settings-schema.ts";

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

/** Describes the response of `GET /agent/runs/{id}/trace`: `AgentTrace`. */
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

const usage = z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() });

const annotation = z.object({
  type: z.literal("url_citation"),
  url_citation: z.object({ url: z.string(), title: z.string(), start_index: z.int(), end_index: z.int() }),
});

export const chatCompletion = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      message: z.looseObject({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        reasoning_content: z.string().optional().meta({ description: "The steps of the run." }),
        annotations: z.array(annotation).optional().meta({ description: "The citations." }),
      }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: usage.optional(),
});

export const chatCompletionChunk = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion.chunk"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      delta: z.looseObject({ content: z.string().nullish(), reasoning_content: z.string().nullish() }),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: usage.nullish(),
});

const model = z.object({
  id: z.string().meta({ description: "duet-agent, duet-plan or duet-chat." }),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
});

export const modelList = z.object({ object: z.literal("list"), data: z.array(model) });

/** Describes the problem details (RFC 9457) of a request that is not served. */
export const problemSchema = z.object({
  type: z.string().meta({ description: "urn:duet:error: and the code." }),
  title: z.string(),
  status: z.int(),
  detail: z.string().meta({ description: "What is wrong, with the value and what is allowed." }),
  code: z.enum(errorCodes),
  hint: z.string().nullable().meta({ description: "What to do about it." }),
});

/** Describes the same error in OpenAI's format, which is used under `/v1`. */
export const openAiErrorSchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});

const schemas = {
  AgentEvent: eventSchema,
  ChatCompletion: chatCompletion,
  ChatCompletionChunk: chatCompletionChunk,
  ChatCompletionRequest: chatBody,
  ChatRequest: chatInput,
  Conversation: conversationSchema,
  ConversationList: conversationListSchema,
  Model: model,
  ModelList: modelList,
  OpenAiError: openAiErrorSchema,
  Outcome: askOutput,
  Problem: problemSchema,
  Question: questionSchema,
  Reply: replySchema,
  Run: runSchema,
  RunList: runListSchema,
  Settings: settingsSchema,
  Trace: traceSchema,
} as const;

export type SchemaName = keyof typeof schemas;

export function toSchemaReference(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Returns all schemas as JSON Schema (2020-12), as OpenAPI 3.1 uses it. Nested schemas are referenced by name. */
export function createSchemaComponents(): Record<string, object> {
  const named = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) named.add(schema, { id });
  // What more there may be one day is no fault of today's answers: as input, objects take it.
  const { schemas: found } = z.toJSONSchema(named, {
    io: "input",
    uri: toSchemaReference,
    override: withoutUsualBounds,
  });
  return Object.fromEntries(Object.entries(found).map(([name, { $schema, $id, ...schema }]) => [name, schema]));
}

/** Removes the bounds of safe integers, which need not be repeated for each number. */
function withoutUsualBounds({ jsonSchema }: { jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
