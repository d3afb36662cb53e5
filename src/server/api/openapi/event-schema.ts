import * as z from "zod";
import { errorCodes } from "../../../kit/errors.ts";
import { askOutput } from "../../../runs/ask-schema.ts";

const phase = z.enum(["plan", "decide", "answer"]);
const mode = z.enum(["agent", "plan", "chat"]);
const model = z.string().meta({ description: "provider/model" });
const milliseconds = z.number().meta({ description: "Milliseconds." });

const usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
  cachedTokens: z.number(),
  cacheWriteTokens: z.number().optional(),
  estimated: z.literal(true).optional(),
});

const toolFailure = z.object({
  code: z.enum([
    ...errorCodes,
    "unknown_tool",
    "invalid_arguments",
    "denied",
    "cancelled",
    "tool_changed",
    "unavailable",
  ]),
  message: z.string(),
});

export const planStep = z.object({
  step: z.int(),
  description: z.string(),
  tool: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  state: z.enum(["pending", "running", "done", "failed", "skipped"]),
});

const toolEnd = z.object({
  type: z.literal("tool-end"),
  callId: z.string(),
  step: z.int(),
  tool: z.string(),
  ok: z.boolean(),
  cached: z.boolean(),
  preview: z.string().meta({ description: "The start of the result, on one line." }),
  resultCount: z.int().optional().meta({ description: "Sources that a search found." }),
  top: z
    .array(z.object({ n: z.int(), title: z.string(), url: z.string(), snippet: z.string() }))
    .optional()
    .meta({ description: "The first three of them." }),
  elapsedMs: milliseconds,
  permission: z
    .object({ decision: z.enum(["allowed", "approved", "declined", "unanswered", "denied"]), rule: z.string() })
    .optional(),
  error: toolFailure.optional(),
});

/** Describes the events that a run sends: `AgentEvent` (the contract's section 6). */
export const eventSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("run-start"),
    runId: z.string(),
    traceId: z.string(),
    conversationId: z.string(),
    mode,
    models: z.object({ functionCall: model, answer: model }),
    toolCount: z.int(),
  }),
  z.object({ type: z.literal("phase-start"), phase, step: z.int(), model, reason: z.string() }),
  z.object({ type: z.literal("reasoning-delta"), phase, text: z.string() }),
  z.object({ type: z.literal("thought-delta"), text: z.string() }),
  z.object({ type: z.literal("plan"), steps: z.array(planStep) }),
  z.object({
    type: z.literal("tool-start"),
    callId: z.string(),
    step: z.int(),
    tool: z.string(),
    arguments: z.unknown(),
  }),
  z.object({
    type: z.literal("tool-progress"),
    callId: z.string(),
    message: z.string(),
    progress: z.number().optional(),
    total: z.number().optional(),
  }),
  toolEnd,
  z.object({
    type: z.literal("evaluation"),
    verdict: z.enum(["continue", "answer"]),
    reason: z.string(),
    message: z.string(),
  }),
  z.object({
    type: z.literal("notice"),
    level: z.enum(["info", "warning"]),
    code: z.string(),
    message: z.string(),
    forLog: z.literal(true).optional().meta({ description: "For logs: people are shown it only on demand." }),
  }),
  z.object({
    type: z.literal("answer-delta"),
    text: z.string(),
    citations: askOutput.shape.citations.optional(),
  }),
  z.object({
    type: z.literal("phase-end"),
    phase,
    step: z.int(),
    model,
    usage,
    elapsedMs: milliseconds,
    costUsd: z.number().nullable(),
    finish: z.enum(["stop", "tool-calls", "length", "refused", "content-filter"]).optional(),
    error: z.enum([...errorCodes, "cancelled"]).optional(),
  }),
  z.object({ type: z.literal("run-end"), outcome: askOutput }),
]);
