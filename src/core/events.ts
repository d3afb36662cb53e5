import type { ErrorCode } from "../kit/errors.ts";
import type { JsonObject, JsonValue } from "../kit/json.ts";
import type { LimitReason } from "./limits.ts";
import type { FinishReason, Notice, Usage } from "./model.ts";
import type { Citation, Mode, Outcome } from "./outcome.ts";
import type { Permission, ToolFailure } from "./tools/tool.ts";

export type Phase = "plan" | "decide" | "answer";

/**
 * Represents a run as a stream: exactly one `run-start` comes first and exactly one `run-end` last, and whatever starts also
 * ends. Models are named `provider/model`, and times are in milliseconds. `citations` lists the sources whose number appears in
 * this piece for the first time.
 */
export type AgentEvent =
  | {
      type: "run-start";
      runId: string;
      /** Identifies the run in external traces by 32 hexadecimal digits. */
      traceId: string;
      conversationId: string;
      mode: Mode;
      models: { functionCall: string; answer: string };
      toolCount: number;
    }
  | { type: "phase-start"; phase: Phase; step: number; model: string; reason: string }
  | { type: "reasoning-delta"; phase: Phase; text: string }
  | { type: "thought-delta"; text: string }
  | { type: "plan"; steps: PlanStep[] }
  | { type: "tool-start"; callId: string; step: number; tool: string; arguments: JsonValue }
  | { type: "tool-progress"; callId: string; message: string; progress?: number; total?: number }
  | ToolEnd
  | { type: "evaluation"; verdict: Verdict["verdict"]; reason: Verdict["reason"]; message: string }
  | Notice
  | { type: "answer-delta"; text: string; citations?: Citation[] }
  | PhaseEnd
  | { type: "run-end"; outcome: Outcome };

export interface PhaseEnd {
  type: "phase-end";
  phase: Phase;
  step: number;
  model: string;
  /** Sums the usage of all attempts. */
  usage: Usage;
  elapsedMs: number;
  /** Holds the US dollars of all attempts. It is null, never 0, when a price is unknown. */
  costUsd: number | null;
  /** Is absent when the turn did not finish. */
  finish?: FinishReason | undefined;
  /** Says why the turn did not finish or why its reply was rejected. */
  error?: ErrorCode | "cancelled" | undefined;
}

export interface ToolEnd {
  type: "tool-end";
  callId: string;
  step: number;
  tool: string;
  ok: boolean;
  cached: boolean;
  /** Holds the start of the result on one line. */
  preview: string;
  /** Counts the sources that a search found, and is absent for other tools. */
  resultCount?: number;
  /** Lists the first three sources. */
  top?: { n: number; title: string; url: string; snippet: string }[];
  elapsedMs: number;
  /** Holds the decision about the call and the rule behind it. Is absent when the call failed before that. */
  permission?: Permission | undefined;
  error?: ToolFailure | undefined;
}

/** Represents one step of a plan (agent-architecture.md, 3.2). */
export interface PlanStep {
  /** Starts at 1. */
  step: number;
  description: string;
  /** Names the tool, and is empty for a step that only the answer needs. */
  tool: string;
  /** Strings may refer to the result of an earlier step: `{{step_1}}`. */
  parameters: JsonObject;
  state: "pending" | "running" | "done" | "failed" | "skipped";
}

/** Holds the decision after a round of tool calls, and its reason. */
export type Verdict =
  | { verdict: "continue"; reason: "result-thin" | "tool-failed" | "model-decides" | "custom" }
  | {
      verdict: "answer";
      reason:
        | "model-decided"
        | "model-failed"
        | "turn-cut"
        | "model-refused"
        | "sufficient"
        | LimitReason
        | "repetition"
        | "plan-done"
        | "plan-failed"
        | "custom";
    };
