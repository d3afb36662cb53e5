import type { ErrorReport } from "../kit/errors.ts";
import type { JsonObject, JsonValue } from "../kit/json.ts";
import type { LimitStopReason } from "./limits.ts";

export type Mode = "agent" | "plan" | "chat";

export type Status = "complete" | "partial" | "failed" | "cancelled" | "running" | "needs_confirmation";

export type StopReason =
  | "answered"
  | LimitStopReason
  | "repetition"
  | "length"
  | "refused"
  | "error"
  | "confirmation"
  | "running"
  | "cancelled";

/** Returns true when the run has an answer to read or a confirmation to give. */
export function hasSucceeded(status: Status): boolean {
  return status === "complete" || status === "partial" || status === "needs_confirmation";
}

/** Holds the result of a run in the form that every interface returns (the contract's section 5, hence `snake_case`). */
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
  /** Is set with the status `needs_confirmation`, on interfaces that return confirmations. */
  confirmation?: Confirmation;
}

export interface Confirmation {
  /** The caller returns the token once with the person's decision. It is valid for this confirmation only. */
  token: string;
  kind: "call" | "plan";
  /** Names the tool of a call that waits for confirmation. */
  tool?: string;
  arguments?: JsonObject;
  /** Names the rule that requires the confirmation of a call. */
  rule?: string;
  /** The token expires at this time (ISO 8601, UTC). */
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
  /** Counts the tokens of this run's own models, as in `models`. The usage of called agents is in `agents`. */
  total_tokens: number;
  tool_calls_count: number;
  /** Excludes the time that people took to answer questions of the run. */
  latency_ms: number;
  iterations: number;
  mode: Mode;
  /** Holds the US dollars of this run's own models. It is null, never 0, when a price is unknown. */
  cost_usd: number | null;
  /** Holds the usage of called agents, and is absent when none was called. It counts against the run's budgets. */
  agents?: AgentsBill | undefined;
  models: { function_call: ModelBill; answer: ModelBill };
}

/** Holds the usage that the agents called by a run report, including the agents that those called. */
export interface AgentsBill {
  /** Runs of the agents called by this one. */
  runs: number;
  total_tokens: number;
  /** Holds US dollars, and is null when one of the agents does not know its price. */
  cost_usd: number | null;
}

/** Holds the usage of one of the two roles. */
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
