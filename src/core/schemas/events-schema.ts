import * as z from "zod";
import { errorCodes } from "../../kit/errors.ts";
import type { Verdict } from "../run/verdict.ts";
import { jsonValueSchema } from "./json-value-schema.ts";
import { citationSchema, modeSchema, outcomeSchema } from "./outcome-schema.ts";

// Files that need only the types import them from `events.ts`, `model.ts` and `tool.ts`, which do not load Zod.

export const phaseSchema = z.enum(["compact", "plan", "decide", "answer"]);

const model = z.string().meta({ description: "provider/model" });
const draft = z.int().meta({ description: "Names the draft within its run." });
const milliseconds = z.number().meta({ description: "Milliseconds." });

/** Counts the tokens of one or more calls. A value is 0 when the provider did not report it and it could not be estimated. */
export const usageSchema = z.object({
  /** Counts all input, cached tokens included. */
  inputTokens: z.number(),
  /** Counts all output, reasoning included. */
  outputTokens: z.number(),
  reasoningTokens: z.number(),
  cachedTokens: z.number(),
  /** Counts the input written to the provider's cache, which some vendors price higher. It is absent when there was none. */
  cacheWriteTokens: z.number().optional(),
  /**
   * Is true when some of the usage is our estimate because a provider reported none or an invalid one. Its cost is an estimate, too.
   */
  estimated: z.literal(true).optional(),
});

/**
 * `stop` and `tool-calls` are complete. `length`, `refused` and `content-filter` are cut short: their tool calls
 * must not run and their text is partial.
 */
export const finishReasonSchema = z.enum(["stop", "tool-calls", "length", "refused", "content-filter"]);

export const toolFailureSchema = z.object({
  /**
   * `tool_changed` means that the tool differs from what was approved. `unavailable` means that its server cannot be reached now
   * and nothing was sent. `outcome_unknown` means that the process of the run ended during the call, which may have taken effect.
   */
  code: z.enum([
    ...errorCodes,
    "unknown_tool",
    "invalid_arguments",
    "denied",
    "cancelled",
    "tool_changed",
    "unavailable",
    "outcome_unknown",
  ]),
  message: z.string(),
  /** Is false where the same call would only fail again, such as for a host that does not exist, and absent else. */
  retryable: z.literal(false).optional(),
});

/** Records the decision about one call and the rule behind it. */
export const permissionSchema = z.object({
  /**
   * A person decides `approved` and `declined`, and has closed the dialog without a decision where it is `dismissed`.
   * `unanswered` means that nobody could be asked or nobody replied. The call ran only where it is `allowed` or `approved`.
   */
  decision: z.enum(["allowed", "approved", "declined", "dismissed", "unanswered", "denied"]),
  /**
   * Holds the rule as written, with its setting: `tools.ask: *:destructive`. It is `question.allow` when the question itself
   * allows less, `caller.allow` when the caller may use less, and `always` for a tool that asks each time.
   */
  rule: z.string(),
  /** Holds what the person who declined wants instead, in their own words. */
  instead: z.string().optional().meta({ description: "What the person who declined wants instead." }),
});

/** Represents one step of a plan (docs/development/agent-architecture.md). */
export const planStepSchema = z.object({
  /** Starts at 1. */
  step: z.int(),
  description: z.string(),
  /** Names the tool, and is empty for a step that only the answer needs. */
  tool: z.string(),
  /** Strings may refer to the result of an earlier step: `{{step_1}}`. */
  parameters: z.record(z.string(), jsonValueSchema),
  /** Is `skipped` for a step that was not run. */
  state: z.enum(["pending", "running", "done", "failed", "skipped"]),
  /**
   * Says why a step was not run: a limit, an earlier step without a result, a plan that had to be shorter, a consent that was
   * not given, or a plan that ended before the step.
   */
  reason: z
    .enum(["limit", "dependency", "dropped", "consent", "ended"])
    .optional()
    .meta({ description: "Why a skipped step was not run." }),
  /** Is true for a step whose call needs a person's consent, as far as that is known before it runs. */
  consent: z.literal(true).optional().meta({ description: "The call of the step needs consent." }),
});

export const toolEndSchema = z.object({
  type: z.literal("tool-end"),
  callId: z.string(),
  step: z.int(),
  tool: z.string(),
  title: z.string().optional().meta({ description: "As in `tool-start`." }),
  ok: z.boolean(),
  cached: z.boolean(),
  preview: z.string().meta({ description: "The start of the result, on one line." }),
  resultCount: z.int().optional().meta({ description: "Sources that a search found." }),
  top: z
    .array(z.object({ n: z.int(), title: z.string(), url: z.string(), snippet: z.string() }))
    .optional()
    .meta({ description: "The first three of them." }),
  elapsedMs: milliseconds,
  /** Holds the decision about the call and the rule behind it. Is absent when the call failed before that. */
  permission: permissionSchema.optional(),
  error: toolFailureSchema.optional(),
});

/** Tells the reader of an event beside the answer: a limit, a retry, a repair, a fallback. */
export const noticeSchema = z.object({
  type: z.literal("notice"),
  level: z.enum(["info", "warning"]),
  code: z.string(),
  message: z.string(),
  /** Marks a notice for logs. People see it with `--verbose` only. It is absent when everybody sees it. */
  forLog: z.literal(true).optional().meta({ description: "For logs: shown to people only on demand." }),
});

export const phaseEndSchema = z.object({
  type: z.literal("phase-end"),
  phase: phaseSchema,
  step: z.int(),
  model,
  /** Sums the usage of all attempts. */
  usage: usageSchema,
  elapsedMs: milliseconds,
  /** Holds the US dollars of all attempts. It is null, never 0, when a price is unknown. */
  costUsd: z.number().nullable(),
  /** Is what the output limit allowed for hidden reasoning beside `max_tokens`, and absent where there was none. */
  allowance: z.int().optional().meta({ description: "Tokens that the output limit allowed for hidden reasoning." }),
  /** Is absent when the turn did not finish. */
  finish: finishReasonSchema.optional(),
  /** Says why the turn did not finish or why its reply was rejected. */
  error: z.enum([...errorCodes, "cancelled"]).optional(),
});

/**
 * Represents a run as a stream (docs/development/contract.md#events): exactly one `run-start` comes first and exactly one `run-end` last,
 * and whatever starts also ends. Models are named `provider/model`, and times are in milliseconds.
 */
export const eventSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("run-start"),
    runId: z.string(),
    /** Identifies the run in external traces by 32 hexadecimal digits. */
    traceId: z.string(),
    conversationId: z.string(),
    mode: modeSchema,
    models: z.object({ functionCall: model, answer: model }),
    toolCount: z.int(),
  }),
  z.object({ type: z.literal("phase-start"), phase: phaseSchema, step: z.int(), model, reason: z.string() }),
  z.object({ type: z.literal("reasoning-delta"), phase: phaseSchema, text: z.string() }),
  z.object({ type: z.literal("thought-delta"), text: z.string() }),
  /**
   * A draft is text of which it is not known yet whether it is a thought or the answer. When it ends, it is void: what it was comes
   * as `thought-delta` or `answer-delta`. Drafts are told to those who ask for them, and are not stored.
   */
  z.object({ type: z.literal("draft-start"), draft, step: z.int() }),
  z.object({ type: z.literal("draft-delta"), draft, text: z.string() }),
  z.object({ type: z.literal("draft-end"), draft, kept: z.enum(["answer", "thought"]) }),
  z.object({ type: z.literal("plan"), steps: z.array(planStepSchema) }),
  z.object({
    type: z.literal("tool-start"),
    callId: z.string(),
    step: z.int(),
    tool: z.string(),
    title: z
      .string()
      .optional()
      .meta({ description: "The tool's own name, where it has letters that no model may write." }),
    arguments: jsonValueSchema,
  }),
  z.object({
    type: z.literal("tool-progress"),
    callId: z.string(),
    message: z.string(),
    progress: z.number().optional(),
    total: z.number().optional(),
    /** Is true for a step of the agent that was called, which readers keep. Other progress only replaces what was told before. */
    isStep: z.literal(true).optional(),
  }),
  toolEndSchema,
  z.object({
    type: z.literal("evaluation"),
    verdict: z.enum(["continue", "answer"]),
    /** Is any text for readers, so that a later version may add a reason. */
    reason: z.string<Verdict["reason"]>(),
    message: z.string(),
  }),
  noticeSchema,
  z.object({
    type: z.literal("answer-delta"),
    text: z.string(),
    /** Lists the sources whose number appears in this piece for the first time. */
    citations: z.array(citationSchema).optional(),
  }),
  /** Says that the text of the answer so far is void, because the process that wrote it has ended. It begins anew. */
  z.object({ type: z.literal("answer-restart") }),
  phaseEndSchema,
  z.object({ type: z.literal("run-end"), outcome: outcomeSchema }),
]);
