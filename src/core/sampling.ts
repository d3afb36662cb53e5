/** A text that a program below wants a model of ours to write (MCP's sampling); all of it untrusted. */
export interface SamplingRequest {
  /** The configured name of the server that asks. */
  from: string;
  system: string | undefined;
  messages: readonly { role: "user" | "assistant"; text: string }[];
  /** Output tokens. */
  maxTokens: number;
}

export interface SamplingReply {
  text: string;
  /** `provider/model`. */
  model: string;
  finish: "stop" | "length";
  /** In and out, failed attempts included. */
  tokens: number;
  /** In US dollars; null when the price is not known. */
  costUsd: number | null;
}

/** Rejects with a `DuetError`, or when the signal aborts. */
export type Sample = (request: SamplingRequest, signal: AbortSignal) => Promise<SamplingReply>;
