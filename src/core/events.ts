import type { ErrorCode } from "../kit/errors.ts";
import type { JsonObject, JsonValue } from "../kit/json.ts";
import type { FinishReason, Notice, Usage } from "./model.ts";
import type { Citation, Mode, Outcome } from "./outcome.ts";
import type { Permission, ToolFailure } from "./tools/tool.ts";

export type Phase = "plan" | "decide" | "answer";

/**
 * One run as a stream: exactly one `run-start` first, exactly one `run-end` last; whatever starts, ends.
 * Models are named `provider/model`; times are milliseconds. `citations` are those whose number this piece shows first.
 */
export type AgentEvent =
  | {
      type: "run-start";
      runId: string;
      /** The run in traces outside: 32 hexadecimal digits. */
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

/** The end of one model turn. */
export interface PhaseEnd {
  type: "phase-end";
  phase: Phase;
  step: number;
  model: string;
  /** Of all attempts. */
  usage: Usage;
  elapsedMs: number;
  /** US dollars of all attempts; null when a price is not known, never 0. */
  costUsd: number | null;
  /** Absent when the turn did not come to its end. */
  finish?: FinishReason | undefined;
  /** Why it did not, or why its reply was not taken. */
  error?: ErrorCode | "cancelled" | undefined;
}

export interface ToolEnd {
  type: "tool-end";
  callId: string;
  step: number;
  tool: string;
  ok: boolean;
  cached: boolean;
  /** The start of the result, on one line. */
  preview: string;
  /** How many sources a search found; absent for other tools. */
  resultCount?: number;
  /** The first three of them. */
  top?: { n: number; title: string; url: string; snippet: string }[];
  elapsedMs: number;
  /** Whether it was let through, and by which rule; absent where the call did not get that far. */
  permission?: Permission | undefined;
  error?: ToolFailure | undefined;
}

/** One step of a plan (agent-architecture.md, 3.2). */
export interface PlanStep {
  /** From 1 on. */
  step: number;
  description: string;
  /** A tool's name; empty for a step that only the answer needs. */
  tool: string;
  /** Strings may refer to the result of an earlier step: `{{step_1}}`. */
  parameters: JsonObject;
  state: "pending" | "running" | "done" | "failed" | "skipped";
}

/** What the evaluation of a round of tool calls decided, and why. */
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
        | "iteration-limit"
        | "tool-call-limit"
        | "time-limit"
        | "token-limit"
        | "cost-limit"
        | "repetition"
        | "plan-done"
        | "plan-failed"
        | "custom";
    };
