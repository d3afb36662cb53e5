import type * as z from "zod";
import type { JsonSchema } from "../../kit/json.ts";
import type { Locale } from "../../kit/locale.ts";
import type { Notice } from "../run/events.ts";
import type { finishReasonSchema, usageSchema } from "../schemas/events-schema.ts";
import type { AssistantMessage, FileReader, Message, TextPhase } from "./messages.ts";
import type { TurnCharge } from "./turn-charge.ts";

/** Calls a language model through one interface, whatever its vendor and wire format. */
export interface Model {
  readonly provider: string;
  readonly model: string;
  /** Holds the input and output tokens that fit in one call, and is undefined when unknown. */
  readonly contextWindow?: number;
  /** Limits the output of one call, in tokens, where the request does not, and is undefined when unknown. */
  readonly maxTokens?: number;
  /** Is what a call may write beside that limit as hidden reasoning, in tokens, and absent where there is none. */
  readonly outputAllowance?: number;
  /** Says what the model can do, and is absent when nothing is known of it. */
  readonly capabilities?: ModelCapabilities;
  /** Is false for a rule-based model that reads no prompt: it can decide and answer, but not plan. */
  readonly followsPrompts?: false;
  /** Names the variable that holds the model's key, so that a refused key is not tried for another model. */
  readonly keyName?: string;
  /**
   * Streams one turn: `onEvent` gets each event at the moment it happens, and never one after the promise is settled. Resolves
   * with the complete turn. Rejects with a `DuetError` when the turn cannot be finished, with the signal's reason as soon as that
   * aborts, and with what `onEvent` throws, which ends the turn; only its `spent` is told after that.
   */
  stream(request: ModelRequest, onEvent: OnModelEvent, signal: AbortSignal): Promise<Turn>;
  /** Makes the same call as `stream`, without its events. */
  call(request: ModelRequest, signal: AbortSignal): Promise<Turn>;
  /** Returns the cost of one call with this usage, in US dollars, and null when the price is unknown. Limits add it up, so return a cost for estimated usage as well. */
  cost?(usage: Usage): number | null;
  /** Estimates the tokens of these messages without a call. */
  countTokens?(messages: readonly Message[]): number;
}

/** Returns the same model with another stream. A model may be an instance of a class, of which a spread keeps no method and no getter. */
export function replaceStream(model: Omit<Model, "stream" | "call">, stream: Model["stream"]): Model {
  const { contextWindow, maxTokens, outputAllowance, capabilities, followsPrompts, keyName } = model;
  return {
    ...model,
    provider: model.provider,
    model: model.model,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(outputAllowance !== undefined && { outputAllowance }),
    ...(capabilities !== undefined && { capabilities }),
    ...(followsPrompts !== undefined && { followsPrompts }),
    ...(keyName !== undefined && { keyName }),
    ...withCall({ stream }),
    ...(model.cost && { cost: (usage) => model.cost?.(usage) ?? null }),
    ...(model.countTokens && { countTokens: (messages) => model.countTokens?.(messages) ?? 0 }),
  };
}

/**
 * Returns whether the model can call tools (the specification's `supports_function_calling`). It is true where nobody knows,
 * because it is tried then; `capabilities.functionCalling` tells the two apart.
 */
export function supportsFunctionCalling({ capabilities }: Pick<Model, "capabilities">): boolean {
  return capabilities?.functionCalling ?? true;
}

/** Adds `call` to something that streams. */
export function withCall<T extends Pick<Model, "stream">>(streaming: T): T & Pick<Model, "call"> {
  return { ...streaming, call: (request, signal) => streaming.stream(request, ignoreEvent, signal) };
}

function ignoreEvent(): void {}

/** Returns `provider/model`, as interfaces and events show it. */
export function toModelName(model: Pick<Model, "provider" | "model">): string {
  return `${model.provider}/${model.model}`;
}

/** Is the provider's name of the rules that answer where no model is configured. No vendor may have it. */
export const offlineProvider = "offline";

/** Returns true for the offline rules, which are no language model. */
export function isOffline({ provider }: Pick<Model, "provider">): boolean {
  return provider === offlineProvider;
}

/** Holds what a model is asked in one turn. */
export interface ModelRequest {
  messages: Message[];
  /** Lists the tools on offer. With none, the model can only answer. */
  tools: ToolDefinition[];
  /** Overrides the model's configured output limit, in tokens. */
  maxTokens?: number;
  /** Ends the output before the first of these texts. Vendors take at most four. */
  stop?: readonly string[];
  /** Says whether the model may, must or must not call a tool. It is `auto` when absent. */
  toolChoice?: ToolChoice;
  /** Sets the form of the text that the model writes. It is `text` when absent. */
  responseFormat?: ResponseFormat;
  /** Reads the bytes of the images and files that the messages name. It is absent when they name none. */
  files?: FileReader;
  /** Sets the language of the notices about the call. When absent, it is the language in which the model was opened. */
  locale?: Locale;
  /** Identifies the run of this turn, and is absent for a call outside of any run. */
  run?: RunContext;
}

export type ToolChoice = "auto" | "none" | "required" | { tool: string };

/** `json_schema` describes an object, and its name matches `^[a-zA-Z0-9_-]{1,64}$`. */
export type ResponseFormat =
  | { type: "text" }
  | { type: "json_object" }
  | { type: "json_schema"; name: string; schema: JsonSchema; description?: string };

/** Says what a model can do. What is absent is not known, and is tried. */
export interface ModelCapabilities {
  functionCalling?: boolean;
  /** Is true for a model that can see images. */
  vision?: boolean;
  /** Is true for a model that keeps to a JSON Schema which the request names. */
  structuredOutput?: boolean;
  reasoning?: boolean;
}

export interface RunContext {
  /** Tells runs apart: several turns and tries of one run have the same id. */
  readonly id: string;
  /** Is true when a person waits for the answer at one of Duet's own interfaces. */
  readonly isInteractive?: boolean;
  /** Is true when the call writes the answer, which may use all the time of the run. */
  readonly isAnswer?: boolean;
  /** Is true when another model takes over where this one fails, so that a long wait for it is not worth its time. */
  readonly hasFallback?: boolean;
  /** Returns how long the call may take, in milliseconds: until the answer must begin or, for the answer, until the run must end. */
  leftMs(): number;
  /** Takes what the turn is charged for, and has it counted with the record of the turn. Absent for a turn that is not recorded. */
  charge?(charge: TurnCharge): void;
}

/** Describes a tool to a model. */
export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  /**
   * Marks a tool that was added to the offer while it was in use. It comes after the others, so that the prefix in the vendor's
   * cache stays the same.
   */
  late?: true;
}

/**
 * `text-delta` has the wire's sign of what follows, where the wire has one, on the first event of each message of the turn. `spent`
 * reports an attempt that failed after it had reached the model, which the vendor charges although there is no turn. It comes once
 * for each such attempt, before the retry or the error, and is never part of a turn's own usage.
 */
export type ModelEvent =
  | { type: "reasoning-delta"; text: string }
  | { type: "text-delta"; text: string; phase?: TextPhase }
  | { type: "spent"; usage: Usage }
  | Notice;

/** Receives the events of a turn, one after the other. It returns before the next one is told, and queues what takes longer. */
export type OnModelEvent = (event: ModelEvent) => void;

/** Holds what a model has written in one turn. */
export interface Turn {
  message: AssistantMessage;
  finish: FinishReason;
  usage: Usage;
  /** Holds the words with which the model, or its vendor, explains a refusal. They are no part of the answer. */
  refusal?: string;
  /** Is what the output limit of the call allowed for hidden reasoning, in tokens. It is absent where there was none. */
  allowance?: number;
}

export type FinishReason = z.infer<typeof finishReasonSchema>;

export type Usage = z.infer<typeof usageSchema>;

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
