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
  /** Exclusive or inclusive upper bound of `temperature`. */
  temperature: { below: number } | { atMost: number };
  quirks: Quirks;
}

/** Named differences within a wire format; each is documented where the wire reads it. */
export interface Quirks {
  /** The name of the output limit; `max_tokens` when absent. */
  maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** The server does not know `stream_options`. */
  noStreamOptions?: boolean;
}

/** One model, ready to be called: what the configuration and the vendor's row say together. */
export interface ModelSettings {
  provider: string;
  model: string;
  wire: WireName;
  baseUrl: string;
  apiKey?: string;
  /** Named in errors, so that the reader knows what to set. */
  apiKeyEnv?: string;
  /** 0 to below 2 (Anthropic: to 1). */
  temperature: number;
  /** Above 0 to 1. */
  topP?: number;
  /** Output limit in tokens. */
  maxTokens: number;
  /** Limit of one whole call in milliseconds; silence is limited apart from it. */
  timeoutMs: number;
  /** Tokens. */
  contextWindow?: number;
  reasoningEffort?: string;
  quirks: Quirks;
}
