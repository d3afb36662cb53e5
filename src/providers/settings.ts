import type { JsonObject } from "../core/json.ts";

/** The wire formats that we speak; a vendor is a row that names one. */
export const wires = ["openai-chat", "anthropic-messages"] as const;

export type WireName = (typeof wires)[number];

/** A vendor: where it is, how it is signed in to, and how it differs. A difference is a value here, never a branch. */
export interface Vendor {
  wire: WireName;
  baseUrl: string;
  /** The environment variable that holds its key; absent for vendors that need none. */
  keyEnv?: string;
  /** The environment variable that moves its address. */
  baseUrlEnv?: string;
  /** The model that `{"provider": "..."}` alone means. */
  defaultModel?: string;
  /** The environment variable that names another default, and what it may hold. */
  modelEnv?: { name: string; match: RegExp; allowed: string };
  /** Exclusive or inclusive upper bound of `temperature`. */
  temperature: { below: number } | { atMost: number };
  quirks: Quirks;
  /** What is special about some of its models; every rule that matches counts, a later one over an earlier. */
  models?: ModelRule[];
}

export interface ModelRule {
  /** Tried on the name that the user wrote. */
  match: RegExp;
  /** The name to send instead of that one. */
  servedAs?: string;
  /** Tokens. */
  contextWindow?: number;
  quirks?: Quirks;
}

/** Named differences within a wire format; each is documented where the wire reads it. */
export interface Quirks {
  /** The name of the output limit; `max_tokens` when absent. */
  maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** The server does not know `stream_options`. */
  noStreamOptions?: boolean;
  /** `temperature` and `top_p` are refused: always, or as long as the model reasons. */
  noSampling?: "always" | "while-reasoning";
  /** The model reasons unless told not to: the effort that is sent when the user named none. */
  defaultEffort?: string;
  /** The only effort with which the model takes tools on this wire. */
  effortWithTools?: string;
  /** The effort goes with adaptive thinking (`thinking` and `output_config`). */
  adaptiveThinking?: boolean;
  /** Every assistant message must carry `reasoning_content`, empty if there was none. */
  echoReasoning?: boolean;
  /** Sent as `extra_content` of the first call of a turn that another model wrote. */
  foreignCallExtra?: JsonObject;
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
  /** Above 0 to 1. */
  topP?: number;
  /** Output limit in tokens. */
  maxTokens: number;
  /** Limit of one whole call, retries included, in milliseconds; silence is limited apart from it. */
  timeoutMs: number;
  /** Limit of the wait for the first content, in milliseconds; 30 s when absent. */
  firstContentMs?: number;
  /** Limit of silence within an answer, in milliseconds; 60 s when absent. */
  idleMs?: number;
  /** Tokens. */
  contextWindow?: number;
  reasoningEffort?: string;
  quirks: Quirks;
}
