import type { Locale } from "../kit/errors.ts";
import type { JsonSchema } from "../kit/json.ts";
import type { AssistantMessage, Message } from "./messages.ts";

/** A language model behind one interface, whatever its vendor and wire format. */
export interface Model {
  readonly provider: string;
  readonly model: string;
  /** What the model can read and write in one call, in tokens; undefined when that is not known. */
  readonly contextWindow?: number;
  /** False for one that goes by rules and reads no prompt: it can decide and answer, but not plan. */
  readonly followsPrompts?: false;
  /** The variable that holds the model's key, so that a key which was refused is not tried for another model. */
  readonly keyName?: string;
  /**
   * Streams one turn. The last event is `turn-end`; a turn that cannot be finished throws a `DuetError` instead
   * (also on abort), so a stream that ended without an error is a complete turn.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** What one call with this usage cost, in US dollars; null when the price or the usage is not known. */
  cost?(usage: Usage): number | null;
  /** About how many tokens of its context these messages take: an estimate, made without a call. */
  countTokens?(messages: readonly Message[]): number;
}

/** `provider/model`, as faces and events show it. */
export function toModelName(model: Pick<Model, "provider" | "model">): string {
  return `${model.provider}/${model.model}`;
}

export interface ModelRequest {
  messages: Message[];
  /** The tools on offer; none, and the model can only answer. */
  tools: ToolDefinition[];
  /** Overrides the model's configured output limit, in tokens. */
  maxTokens?: number;
  /** The language of what the reader is told of the call; absent: the one in which the model was opened. */
  locale?: Locale;
  /** The run that this turn belongs to; absent for a call outside of any run. */
  run?: RunContext;
}

/** What a provider may need to know of the run for which it makes a turn. */
export interface RunContext {
  /** Tells runs apart: several turns and tries of one run have the same id. */
  readonly id: string;
  /** A person waits for the answer at one of Duet's own interfaces. */
  readonly isInteractive?: boolean;
  /** How long the run can still wait for this turn, in milliseconds. */
  leftMs(): number;
}

export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  /** Came to the offer while it was in use: it stands behind the others, so that what a vendor has cached begins alike. */
  late?: true;
}

/**
 * `spent` tells of an attempt that failed after it had reached the model: what the vendor will charge although there is
 * no turn. It comes once for each such attempt, before the retry or the error; it is never part of a turn's own usage.
 */
export type ModelEvent =
  | { type: "reasoning-delta"; text: string }
  | { type: "text-delta"; text: string }
  | { type: "spent"; usage: Usage }
  | Notice
  | { type: "turn-end"; turn: Turn };

export interface Turn {
  message: AssistantMessage;
  finish: FinishReason;
  usage: Usage;
}

/**
 * `stop` and `tool-calls` are complete. `length`, `refused` and `content-filter` are cut short: their tool calls
 * must not run and their text is partial.
 */
export type FinishReason = "stop" | "tool-calls" | "length" | "refused" | "content-filter";

/** Tokens of one or more calls; 0 where neither the provider said nor we could tell. */
export interface Usage {
  /** All input, cached tokens included. */
  inputTokens: number;
  /** All output, reasoning included. */
  outputTokens: number;
  reasoningTokens: number;
  /** Input that was read from the provider's cache. */
  cachedTokens: number;
  /** Input that was written to it, which some bill higher; absent where there was none. */
  cacheWriteTokens?: number;
  /** Some of it is our own estimate, because a provider said nothing or nonsense; such usage has no cost. */
  estimated?: true;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, reasoningTokens: 0, cachedTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    cacheWriteTokens: (a.cacheWriteTokens ?? 0) + (b.cacheWriteTokens ?? 0) || undefined,
    estimated: a.estimated ?? b.estimated,
  };
}

/** Something the reader should know beside the answer: a limit, a retry, a repair, a fallback. */
export interface Notice {
  type: "notice";
  level: "info" | "warning";
  code: string;
  message: string;
  /** It belongs into logs: people are shown it with `--verbose` only. Absent where everybody reads it. */
  forLog?: true | undefined;
}
