import type { ErrorReport } from "../kit/errors.ts";
import type { JsonValue } from "../kit/json.ts";
import type { Phase, PlanStep } from "./events.ts";
import type { Mode, OutcomeMeta, Status, StopReason } from "./outcome.ts";
import type { Permission } from "./tools/tool.ts";

/** What a run did, step by step (agent-architecture.md, "Trace"); the contract's JSON, hence `snake_case`. */
export interface AgentTrace {
  run_id: string;
  conversation_id: string;
  trace_id: string;
  question: string;
  mode: Mode;
  /** ISO 8601, UTC. */
  started_at: string;
  status: Status;
  /** In plan mode: the plan as it stood at the end. */
  plan?: PlanStep[];
  steps: TraceStep[];
  final_answer: string;
  finish_reason: StopReason;
  used_tools: Record<string, ToolStats>;
  token_usage: TokenUsage;
  total_ms: number;
  /** Each model turn by itself: what each role and phase used. */
  phases: TracePhase[];
  models: OutcomeMeta["models"];
  /** US dollars; null when a price is not known, never 0. */
  cost_usd: number | null;
  /** What agents below used; absent where none was called. */
  agents?: OutcomeMeta["agents"];
  /** What the reader was told beside the answer: retries, limits, switches, verdicts. */
  notes: TraceNote[];
  error: ErrorReport | null;
}

/** One thought with what it led to: a tool's call and result, or the final answer. */
export interface TraceStep {
  /** From 1 on. */
  step: number;
  /** Which of the trace's `phases` it came of, from 1 on; 0 before the first; absent in older traces. */
  phase?: number;
  thought?: string;
  /** Characters of the thought that were not kept; absent where there are none. */
  thought_left_out?: number;
  /** Null for a run that came to no answer. */
  action: TraceAction | null;
  /** The result as the model read it; empty for the final answer, which stands in `final_answer`. */
  observation: string;
  /** Characters of the result that were not kept; absent where there are none. */
  observation_left_out?: number;
  /**
   * What the tool itself gave, beside the observation: before it was numbered or shortened for the model, cleaned of a server's
   * secrets. Whole up to 256 Ki characters, and 1 Mi in all of a run; absent where no tool ran, and in older traces.
   */
  tool_output?: string;
  /** Characters of it that were not kept; absent where there are none. */
  tool_output_left_out?: number;
  /** Whether the result came from a cache; absent where no tool was called. */
  cached?: boolean;
  /** Whether the call was let through, and by which rule. */
  permission?: Permission;
  /** Of the tool, or of the model that wrote the answer. */
  elapsed_ms: number;
  /** ISO 8601, UTC: when it began. */
  timestamp: string;
  error?: string;
}

export interface TraceAction {
  type: "action" | "final";
  /** Empty for the final answer. */
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
  /** `provider/model`. */
  model: string;
  input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cached_tokens: number;
  elapsed_ms: number;
  /** US dollars; null when a price is not known, never 0. */
  cost_usd: number | null;
}

export interface TraceNote {
  /** ISO 8601, UTC. */
  timestamp: string;
  /** As in `TraceStep`. */
  phase?: number;
  level: "info" | "warning";
  /** Of a notice its code, of an evaluation its reason. */
  code: string;
  message: string;
}
