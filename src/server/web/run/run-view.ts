import type { Phase, PlanStep } from "../../../core/run/events.ts";
import type { AgentsBill, Citation, Outcome, Status, StopReason } from "../../../core/run/outcome.ts";
import type { JsonValue } from "../../../kit/json.ts";

/** Holds a run as a page shows it. It is plain data, rebuilt at each change. */
export interface RunView {
  readonly question: string;
  readonly runId: string | undefined;
  /** `waiting` means that nothing is known of the run yet. `ended` means that it is over and only its text is known. */
  readonly status: Status | "waiting" | "ended";
  readonly stopReason: StopReason | undefined;
  /** Is the limit that ended the work early. */
  readonly limit: Outcome["limit"];
  /** Holds the notices that arrived before the first step, and those of the outcome. */
  readonly notices: readonly NoticeItem[];
  readonly plan: readonly PlanStep[];
  readonly steps: readonly StepView[];
  readonly answer: string;
  readonly sources: readonly Citation[];
  /** Has one entry for each phase that used a model. */
  readonly bill: readonly PhaseBill[];
  /** Holds what called agents used. It is undefined when none was called or when it is not known yet. */
  readonly agents: AgentsBill | undefined;
  /** Holds what the run waits for, if anything. */
  readonly confirmation: Confirmation | undefined;
  readonly problem: RunProblem | undefined;
}

/** Represents one turn of a model and its results. Its list only grows, so a page may keep what it has shown. */
export interface StepView {
  /** Is undefined for calls of which only the result is known. */
  readonly phase: Phase | undefined;
  readonly step: number;
  readonly model: string;
  readonly reason: string;
  readonly reasoning: string;
  readonly thought: string;
  /** Is true once the model has begun to write the answer. */
  readonly hasWritten: boolean;
  readonly items: readonly StepItem[];
  /** Is undefined while the model writes. */
  readonly end: StepEnd | undefined;
}

export interface StepEnd {
  readonly elapsedMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Is in US dollars, and null when a price is not known. */
  readonly costUsd: number | null;
  readonly isFailed: boolean;
}

export type StepItem = CallItem | EvaluationItem | NoticeItem;

export interface CallItem {
  readonly kind: "call";
  readonly callId: string;
  readonly tool: string;
  readonly arguments: JsonValue;
  /** Holds the steps of the agent that was called, a line each, or what the tool told last. */
  readonly progress: string;
  readonly hasSteps?: boolean;
  readonly end: CallEnd | undefined;
}

export interface CallEnd {
  readonly isOk: boolean;
  readonly isCached: boolean;
  /** Holds the start of the result, and the whole result once it is known. */
  readonly result: string;
  readonly elapsedMs: number;
  readonly resultCount: number | undefined;
  readonly top: readonly FoundSource[];
}

export interface FoundSource extends Citation {
  readonly snippet?: string | undefined;
}

export interface EvaluationItem {
  readonly kind: "evaluation";
  readonly message: string;
}

export interface NoticeItem {
  readonly kind: "notice";
  readonly level: "info" | "warning";
  readonly message: string;
}

/** Holds what a phase used. Plans are made by the deciding model, so they count towards its phase. */
export interface PhaseBill {
  readonly phase: "compact" | "decide" | "answer";
  readonly model: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly elapsedMs: number;
  /** Is in US dollars, and null when a price is not known. */
  readonly costUsd: number | null;
}

/** Represents a call, a plan or a tool's question that waits for a person. */
export interface Confirmation {
  readonly kind: "call" | "plan" | "question";
  readonly tool: string;
  readonly arguments: JsonValue | undefined;
  readonly message: string;
}

export interface RunProblem {
  readonly message: string;
  readonly hint: string | null;
}
