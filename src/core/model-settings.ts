import type { JsonObject } from "../kit/json.ts";

/** The wire formats that we speak; a vendor is a row that names one. */
export const wires = ["openai-chat", "openai-responses", "anthropic-messages"] as const;

export type WireName = (typeof wires)[number];

/** A vendor: where it is, how it is signed in to, and how it differs. A difference is a value here, never a branch. */
export interface Vendor {
  wire: WireName;
  baseUrl: string;
  /** The environment variable that holds its key; absent for vendors that need none. */
  keyEnv?: string;
  /** The environment variable that moves its address. */
  baseUrlEnv?: string;
  /** The vendor of which this is a region: a key that is set means that one, this one is only used by its name. */
  regionOf?: string;
  /** The model that `{"provider": "..."}` alone means. */
  defaultModel?: string;
  /** The environment variable that names another default, and what it may hold. */
  modelEnv?: { name: string; match: RegExp; allowed: string };
  /** Exclusive or inclusive upper bound of `temperature`. */
  temperature: { below: number } | { atMost: number };
  /** The values of `reasoningEffort`; any when absent. */
  efforts?: readonly string[];
  /** What the user says that its models cost, by their names. */
  prices?: Readonly<Record<string, Price>>;
  quirks: Quirks;
  /** What is special about some of its models; every rule that matches counts, a later one over an earlier. */
  models?: ModelRule[];
}

/** US dollars for 1,000,000 tokens. */
export interface Price {
  input: number;
  output: number;
  /** Input that was read from a cache; as `input` when absent. */
  cachedInput?: number;
  /** Input that was written to a cache; as `input` when absent. */
  cacheWrite?: number;
}

export interface ModelRule {
  /** Tried on the name that the user wrote. */
  match: RegExp;
  /** The name to send instead of that one. */
  servedAs?: string;
  /** The wire on which the vendor serves the model with tools, where it is not the vendor's own. */
  wire?: WireName;
  /** Tokens. */
  contextWindow?: number;
  /** The most that the model writes in one turn, reasoning included, in tokens. */
  maxOutput?: number;
  /**
   * How long the model may be silent while it reasons, by the wire that does not show it reasoning, in milliseconds. It
   * counts unless the model is told not to reason.
   */
  silentThinkingMs?: Partial<Record<WireName, number>>;
  quirks?: Quirks;
}

/**
 * What a vendor takes of JSON Schema: most of it; no references and no `oneOf`; or no more than OpenAPI 3.0 has, and of
 * that a part.
 */
export type ToolDialect = "standard" | "inlined" | "openapi";

/** Named differences within a wire format; each is documented where the wire reads it. */
export interface Quirks {
  /** The name of the output limit; `max_tokens` when absent. */
  maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** `temperature` and `top_p` are refused: always, or as long as the model reasons. */
  noSampling?: "always" | "while-reasoning";
  /** The model reasons unless told not to: the effort that is sent when the user named none. */
  defaultEffort?: string;
  /** The only effort with which the model takes tools on chat completions. */
  effortWithTools?: string;
  /** The model does not reason, and refuses to be asked about it. */
  noReasoning?: boolean;
  /** The model reasons whatever it is told: the effort `none` is not sent. */
  alwaysReasons?: boolean;
  /** `temperature` and `top_p` are taken and have no effect, unless the effort is `none`. */
  samplingWithoutEffect?: boolean;
  /** How a chat completion switches reasoning on and off; by `reasoning_effort` alone when absent. */
  thinkingSwitch?: "enable_thinking" | "enable_thinking+reasoning_effort" | "thinking";
  /** The effort goes with adaptive thinking (`thinking` and `output_config`). */
  adaptiveThinking?: boolean;
  /** The effort goes as a budget of tokens for thinking. */
  budgetThinking?: boolean;
  /** Which JSON Schema the vendor takes for the arguments of tools; `standard` when absent. */
  toolDialect?: ToolDialect;
  /** The vendor caches what stands before a mark in the request (Anthropic's `cache_control`). */
  cacheMarks?: boolean;
  /** Every assistant message must carry `reasoning_content`, empty if there was none; or never empty. */
  echoReasoning?: boolean | "never-empty";
  /** Sent as `extra_content` of the first call of a turn that another model wrote. */
  foreignCallExtra?: JsonObject;
  /** What the model left for itself in earlier turns is not sent back. */
  forgetsNative?: boolean;
  /** The ids of calls are nine letters and digits. */
  nineLetterIds?: boolean;
  /** Fields added to every request body. */
  body?: JsonObject;
}

/** One model, ready to be called: what the configuration and the vendor's row say together. */
export interface ModelSettings {
  provider: string;
  model: string;
  /** The name that goes to the vendor, where it is not `model`. */
  servedAs?: string;
  wire: WireName;
  baseUrl: string;
  apiKey?: string;
  /** Named in errors, so that the reader knows what to set. Present without `apiKey`: the key is missing. */
  apiKeyEnv?: string;
  /** 0 to below 2 (Anthropic: to 1). */
  temperature: number;
  /** Somebody set the temperature; otherwise it is the default, which a model may refuse in silence. */
  temperatureSet?: boolean;
  /** Above 0 to 1. */
  topP?: number;
  /** Output limit in tokens. */
  maxTokens: number;
  /** Limit of the wait from sending to the first content or reasoning, in milliseconds. */
  timeoutMs: number;
  /** Limit of each silence after that, in milliseconds; 60 s when absent. */
  idleMs?: number;
  /** Tokens. */
  contextWindow?: number;
  /** The most that the model writes in one turn, in tokens; undefined where it is not known. */
  maxOutput?: number;
  reasoningEffort?: string;
  /** What the user says that it costs; the price list is asked when absent. */
  price?: Price;
  quirks: Quirks;
}
