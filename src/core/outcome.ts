import type { ErrorReport } from "../kit/errors.ts";
import type { JsonObject, JsonValue } from "../kit/json.ts";

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
  | "running"
  | "cancelled";

/** Whether there is something to be read as an answer, or to be agreed to. */
export function hasSucceeded(status: Status): boolean {
  return status === "complete" || status === "partial" || status === "needs_confirmation";
}

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
  /** What a person has to agree to, with the status `needs_confirmation`, where a face hands it out. */
  confirmation?: Confirmation;
}

/** Something that a person is to agree to, through whoever asked. */
export interface Confirmation {
  /** Passed back with the person's word, once; it fits nothing but this. */
  token: string;
  kind: "call" | "plan";
  /** Of a call: what is to run. */
  tool?: string;
  arguments?: JsonObject;
  /** Of a call: why it asks. */
  rule?: string;
  /** ISO 8601, UTC: until when the token counts. */
  expires_at: string;
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
  /** Of this run's own models, as `models` says; what agents below used stands in `agents`. */
  total_tokens: number;
  tool_calls_count: number;
  /** Without the time that people took to answer questions of the run. */
  latency_ms: number;
  iterations: number;
  mode: Mode;
  /** US dollars of this run's own models; null when a price is not known, never 0. */
  cost_usd: number | null;
  /** What agents below used; absent where none was called. Counts against the run's budgets. */
  agents?: AgentsBill | undefined;
  models: { function_call: ModelBill; answer: ModelBill };
}

/** What the agents that a run has called say that they used, with the agents below them. */
export interface AgentsBill {
  /** Runs of the agents called by this one. */
  runs: number;
  total_tokens: number;
  /** US dollars; null when one of them does not know its price. */
  cost_usd: number | null;
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
