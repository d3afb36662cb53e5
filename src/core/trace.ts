import type { ErrorReport } from "../kit/errors.ts";
import type { JsonValue } from "../kit/json.ts";
import type { Phase, PlanStep } from "./events.ts";
import type { Mode, OutcomeMeta, Status, StopReason } from "./outcome.ts";
import type { Permission } from "./tools/tool.ts";

/** Records what a run did, step by step (agent-architecture.md, "Trace"). It is the contract's JSON, hence `snake_case`. */
export interface AgentTrace {
  run_id: string;
  conversation_id: string;
  trace_id: string;
  question: string;
  mode: Mode;
  /** Holds ISO 8601, UTC. */
  started_at: string;
  status: Status;
  /** Holds the final state of the plan in plan mode. */
  plan?: PlanStep[];
  steps: TraceStep[];
  final_answer: string;
  finish_reason: StopReason;
  used_tools: Record<string, ToolStats>;
  token_usage: TokenUsage;
  total_ms: number;
  /** Lists each model turn, with the usage of its role and phase. */
  phases: TracePhase[];
  models: OutcomeMeta["models"];
  /** Holds US dollars. It is null, never 0, when a price is unknown. */
  cost_usd: number | null;
  /** Holds the usage of called agents, and is absent when none was called. */
  agents?: OutcomeMeta["agents"];
  /** Lists the notices to the reader: retries, limits, switches, verdicts. */
  notes: TraceNote[];
  error: ErrorReport | null;
}

/** Records one thought with its outcome: a tool's call and result, or the final answer. */
export interface TraceStep {
  /** Starts at 1. */
  step: number;
  /**
   * Refers to the entry of the trace's `phases` that produced the step, from 1 on. It is 0 before the first, and absent in older
   * traces.
   */
  phase?: number;
  thought?: string;
  /** Counts the characters of the thought that were not stored, and is absent when there are none. */
  thought_left_out?: number;
  /** Is null for a run without an answer. */
  action: TraceAction | null;
  /** Holds the result as the model read it. It is empty for the final answer, which is in `final_answer`. */
  observation: string;
  /** Counts the characters of the result that were not stored, and is absent when there are none. */
  observation_left_out?: number;
  /**
   * Holds the tool's own output, beside the observation: before it was numbered or shortened for the model, with a server's
   * secrets removed. It is stored in full up to 256 Ki characters, and 1 Mi in all of a run. It is absent when no tool ran, and
   * in older traces.
   */
  tool_output?: string;
  /** Counts the characters of `tool_output` that were not stored, and is absent when there are none. */
  tool_output_left_out?: number;
  /** Is true when the result came from a cache, and absent when no tool was called. */
  cached?: boolean;
  permission?: Permission;
  /** Measures the time of the tool, or of the model that wrote the answer. */
  elapsed_ms: number;
  /** Holds the start time (ISO 8601, UTC). */
  timestamp: string;
  error?: string;
}

export interface TraceAction {
  type: "action" | "final";
  /** Is empty for the final answer. */
  tool: string;
  args: JsonValue;
}

export interface ToolStats {
  count: number;
  total_ms: number;
}

export interface TokenUsage {
  input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cached_tokens: number;
  total_tokens: number;
}

export interface TracePhase {
  phase: Phase;
  step: number;
  /** Holds `provider/model`. */
  model: string;
  input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cached_tokens: number;
  elapsed_ms: number;
  /** Holds US dollars. It is null, never 0, when a price is unknown. */
  cost_usd: number | null;
}

export interface TraceNote {
  /** Holds ISO 8601, UTC. */
  timestamp: string;
  /** Has the same meaning as in `TraceStep`. */
  phase?: number;
  level: "info" | "warning";
  /** Holds the code of a notice, or the reason of an evaluation. */
  code: string;
  message: string;
}
