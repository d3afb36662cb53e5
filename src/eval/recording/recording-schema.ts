import * as z from "zod";
import { finishReasonSchema, noticeSchema, toolFailureSchema, usageSchema } from "../../core/schemas/events-schema.ts";
import { jsonValueSchema } from "../../core/schemas/json-value-schema.ts";
import { errorCodes } from "../../kit/errors.ts";
import { attemptTimesSchema } from "../times.ts";

export const recordingFormat = "duet-recording";
export const recordingVersion = 1;

const jsonObject = z.record(z.string(), jsonValueSchema);
const textSchema = z.object({ zh: z.string(), en: z.string() });

const errorSchema = z.object({
  code: z.enum(errorCodes),
  text: textSchema,
  hint: textSchema.optional(),
  retryable: z.boolean(),
});

const turnSchema = z.object({
  message: z.object({
    role: z.literal("assistant"),
    content: z.string(),
    reasoning: z.string().optional(),
    toolCalls: z.array(
      z.object({ id: z.string(), name: z.string(), argumentsText: z.string(), arguments: jsonObject.optional() }),
    ),
    phase: z.enum(["commentary", "final_answer"]).optional(),
    author: z.string().optional(),
    native: z.object({ wire: z.string(), provider: z.string(), model: z.string(), payload: z.unknown() }).optional(),
  }),
  finish: finishReasonSchema,
  usage: usageSchema,
  refusal: z.string().optional(),
  allowance: z.int().optional(),
});

const modelEventSchema = z.union([
  z.object({ type: z.literal("reasoning-delta"), text: z.string() }),
  z.object({
    type: z.literal("text-delta"),
    text: z.string(),
    phase: z.enum(["commentary", "final_answer"]).optional(),
  }),
  z.object({ type: z.literal("spent"), usage: usageSchema }),
  noticeSchema,
]);

const sourceSchema = z.object({ title: z.string(), url: z.string(), snippet: z.string() });

const resultSchema = z.object({
  ok: z.boolean(),
  text: z.string(),
  shown: z.string().optional(),
  sources: z.array(sourceSchema).optional(),
  kind: z.enum(["page", "file", "files", "cited", "instruction"]).optional(),
  cached: z.boolean().optional(),
  error: toolFailureSchema.optional(),
  /** Holds the bytes in base64. */
  images: z.array(z.string()).optional(),
});

/** Is set where the run ended before the reply. A replay waits until its own run ends. */
const aborted = z.object({ aborted: z.literal(true) });

const modelExchangeSchema = z.object({
  kind: z.literal("model"),
  /** Is `provider/model`. */
  model: z.string(),
  request: jsonObject,
  /** Estimates the tokens of the request. */
  requestTokens: z.int(),
  events: z.array(modelEventSchema),
  /** Holds the costs by usage, in US dollars. */
  costs: z.array(z.object({ usage: usageSchema, cost: z.number().nullable() })),
  reply: z.union([z.object({ turn: turnSchema }), z.object({ error: errorSchema }), aborted]),
});

const callExchangeSchema = z.object({
  kind: z.literal("call"),
  tool: z.string(),
  arguments: jsonObject,
  reply: z.union([z.object({ result: resultSchema }), z.object({ error: errorSchema }), aborted]),
});

const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  source: z.string(),
  origin: z.enum(["builtin", "server", "user"]),
  annotations: z.object({
    title: z.string().optional(),
    titleHint: z.string().optional(),
    readOnly: z.boolean().optional(),
    destructive: z.boolean().optional(),
    idempotent: z.boolean().optional(),
    openWorld: z.boolean().optional(),
  }),
  alwaysAsks: z.boolean().optional(),
  /** Is true where a failed call could be made again although the first one may have had an effect. */
  repeatable: z.literal(true).optional(),
  dataFlow: z
    .object({
      readsPrivate: z.boolean().optional(),
      readsUntrusted: z.boolean().optional(),
      readsSources: z.boolean().optional(),
      sendsOut: z.boolean().optional(),
    })
    .optional(),
});

const modelSchema = z.object({
  provider: z.string(),
  model: z.string(),
  contextWindow: z.number().optional(),
  maxTokens: z.number().optional(),
  outputAllowance: z.number().optional(),
  capabilities: z
    .object({
      functionCalling: z.boolean().optional(),
      vision: z.boolean().optional(),
      structuredOutput: z.boolean().optional(),
      reasoning: z.boolean().optional(),
    })
    .optional(),
  followsPrompts: z.literal(false).optional(),
});

const modelsSchema = z.object({
  /** Names the pair as the evaluation does. */
  pair: z.string(),
  functionCall: modelSchema,
  /** Is absent where one model plays both roles. */
  answer: modelSchema.optional(),
  fallbacks: z.object({ functionCall: z.array(modelSchema), answer: z.array(modelSchema) }).optional(),
  /** Is the model that judges answers. */
  judge: modelSchema.optional(),
});

const attemptSchema = z.object({
  /** Names the attempt, as `toAttemptName` does. */
  name: z.string(),
  exchanges: z.array(z.discriminatedUnion("kind", [modelExchangeSchema, callExchangeSchema])),
  times: attemptTimesSchema,
});

const definitionSchema = z.object({ id: z.string(), value: jsonObject });

/** Describes one line of a recording; exactly one of its fields is set. */
export const recordingLineSchema = z.union([
  z.object({ format: z.literal(recordingFormat), version: z.literal(recordingVersion), made_at: z.iso.datetime() }),
  z.object({ tool: toolSchema }),
  z.object({ models: modelsSchema }),
  /** Holds a tool as it is offered to models, which requests refer to by its ID. */
  z.object({ definition: definitionSchema }),
  /** Holds a call that answers every attempt whose arguments have at least these values. */
  z.object({ call: callExchangeSchema.omit({ kind: true }) }),
  z.object({ attempt: attemptSchema }),
]);

export type RecordingLine = z.infer<typeof recordingLineSchema>;
export type RecordedTool = z.infer<typeof toolSchema>;
export type RecordedModel = z.infer<typeof modelSchema>;
export type RecordedModels = z.infer<typeof modelsSchema>;
export type RecordedAttempt = z.infer<typeof attemptSchema>;
export type ModelExchange = z.infer<typeof modelExchangeSchema>;
export type CallExchange = z.infer<typeof callExchangeSchema>;
export type Exchange = ModelExchange | CallExchange;
export type RecordedError = z.infer<typeof errorSchema>;
