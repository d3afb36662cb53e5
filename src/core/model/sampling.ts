import type { TextBilling } from "./turn-budget.ts";

/** Requests a text from one of our models on behalf of a program that we call (MCP sampling). All of it is untrusted. */
export interface SamplingRequest {
  /** Holds the configured name of the server that asks. */
  from: string;
  system: string | undefined;
  messages: readonly { role: "user" | "assistant"; text: string }[];
  maxTokens: number;
  /** Takes the bill of the call during which the text is asked for; absent where there is no such call. */
  billing?: TextBilling | undefined;
}

export interface SamplingReply {
  text: string;
  /** Holds `provider/model`. */
  model: string;
  finish: "stop" | "length";
  /** Counts input and output, failed attempts included. */
  tokens: number;
  /** Holds US dollars, and is null when the price is unknown. */
  costUsd: number | null;
}

/** Rejects with a `DuetError`, or when the signal aborts. */
export type Sample = (request: SamplingRequest, signal: AbortSignal) => Promise<SamplingReply>;
