import type { ErrorReport } from "./errors.ts";
import type { JsonValue } from "./json.ts";

export type Mode = "agent" | "plan" | "chat";

export type Status = "complete" | "partial" | "failed" | "cancelled" | "running" | "needs_confirmation";

export type StopReason =
  | "answered"
  | "iteration_limit"
  | "tool_call_limit"
  | "time_limit"
  | "token_limit"
  | "cost_limit"
  | "repetition"
  | "length"
  | "refused"
  | "error"
  | "confirmation"
  | "cancelled";

/** The result of a run, as every face gives it out (the contract's section 5, hence `snake_case`). */
export interface Outcome {
  success: boolean;
  status: Status;
  stop_reason: StopReason;
  response: string;
  conversation_id: string;
  run_id: string;
  trace_id: string;
  tool_calls: ToolCallRecord[];
  citations: Citation[];
  meta: OutcomeMeta;
  error: ErrorReport | null;
}

export interface ToolCallRecord {
  tool: string;
  arguments: JsonValue;
  result: string;
  ok: boolean;
  cached: boolean;
  elapsed_ms: number;
}

export interface Citation {
  n: number;
  title: string;
  url: string;
}

export interface OutcomeMeta {
  total_tokens: number;
  tool_calls_count: number;
  latency_ms: number;
  iterations: number;
  mode: Mode;
  /** US dollars; null when a price is not known, never 0. */
  cost_usd: number | null;
  models: { function_call: ModelBill; answer: ModelBill };
}

/** What one of the two roles used. */
export interface ModelBill {
  provider: string;
  model: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cached_tokens: number;
  elapsed_ms: number;
  cost_usd: number | null;
}
